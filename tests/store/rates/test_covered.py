"""How many of a benchmark's items a run has judged, and what its rates say of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.protocols import ALONE
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.queries import Setting, heatmap, rates
from backend.store.rates import covered, shares


@pytest.mark.slow
def test_a_run_of_some_items_says_of_how_many_and_a_whole_one_nothing(
    flipside: Callable[..., Any], flipside_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 triplets in two subsets of 20: one system has judged 10 of x alone, one all of x and 19 of y, one all."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    own, rows = tmp_path / "tri.csv", "".join(f"{k},{k}.png,a{k},b{k},c{k},{'xy'[k > 19]}\n" for k in range(40))
    own.write_text(f"id,image,caption,paraphrase,negative,subset\n{rows}")
    for name, n in (("some", 10), ("most", 39), ("every", 40)):
        file = tmp_path / f"{name}.csv"
        file.write_text(
            "item_id,correct\n" + "".join(f"{'xy'[k > 19]}/{k},{'true' if k % 3 else 'false'}\n" for k in range(n))
        )
        flipside("add-predictions", file, "--as", name, "--benchmark", "custom", "--data", own)
    store = open_store(follow=False)
    (benchmark,) = set(catalog.runs(store)["benchmark"])
    runs = {str(line.model)[12:]: str(line.run_id) for line in catalog.models(store, benchmark).itertuples()}
    assert {name: covered.judged(store, run, "verdict") for name, run in runs.items()} == {
        "some": {"triplet": (10, 40)}, "most": {"triplet": (39, 40)}, "every": {},
    }  # fmt: skip
    assert {name: covered.said(store, run, "verdict") for name, run in runs.items()} == {
        "some": "10 of the 40 triplets", "most": "", "every": "",
    }  # fmt: skip
    assert covered.totals(store, benchmark, "subset") == {("triplet", "x"): 20, ("triplet", "y"): 20}
    frame = heatmap(store, benchmark)
    told = {(str(line.model)[12:], line.group): line.of for line in frame.itertuples() if line.of == line.of}
    assert told == {("some", "x"): 20, ("most", "y"): 20}
    whole = rates(store, runs["some"], Setting("verdict"))
    assert set(whole["of"]) == {40}
    assert rates(store, runs["every"], Setting("verdict"))["of"].isna().all()
    store.close()


@pytest.mark.parametrize("by", [None, "all", "subset"])
def test_items_of_a_group_are_counted_where_they_lie_as_they_are_named(asked, by):
    """A quarter of a million items took 0.3 s of Overview's first second to be told by name."""
    benchmark = str(catalog.benchmarks(asked)["hash"].iloc[0])
    frame = asked.cursor().execute(
        "SELECT subset, protocol, '' AS pool FROM items WHERE benchmark = ? ORDER BY item_no", [benchmark]
    ).df()  # fmt: skip
    expected = {}
    for protocol in ALONE:
        own = frame[frame["protocol"] == str(protocol)].reset_index(drop=True)
        expected |= {(str(protocol), name): len(at) for name, at in shares.groups(own, by) if len(at)}
    found = covered.totals(asked, benchmark, by)
    assert found == expected
    assert len(found) > 1
