"""Pages name a model whose only run leaves out items; one with a whole run is shown by that, whatever came later."""

import pytest

from backend.store.build.reader import open_store
from pages.model import chosen
from pages.shared.data import stored
from pages.shared.frame import sidebar
from tests.store import writer

NONE = {"split": None, "subset": None, "limit": None, "sample": None, "seed": 0}


@pytest.mark.long
def test_a_partial_run_is_shown_only_where_there_is_no_other_and_is_named(flipside_cache, monkeypatch):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "nothing")
    items = writer.items(4)
    runs = [
        ("a" * 16, "fake:whole", NONE),
        ("b" * 16, "fake:whole", NONE | {"subset": "choice"}),
        ("c" * 16, "fake:part", NONE | {"subset": "choice"}),
        ("d" * 16, "fake:part", NONE | {"limit": 5}),
        ("e" * 16, "fake:first", NONE | {"limit": 5}),
        ("f" * 16, "fake:picked", NONE | {"items": {"n": 1, "sha256": "0" * 16}}),
    ]
    for day, (run_id, model, selection) in enumerate(runs):
        updated = f"2026-01-0{day + 1}T00:00:00+00:00"
        writer.write_run(flipside_cache, items, run_id, ["itc"], model=model, selection=selection, updated=updated)
    store = open_store(follow=False, wait=True)
    monkeypatch.setattr(stored, "store", lambda: store)
    (benchmark,) = stored.chosen().values()
    assert benchmark.runs == {"fake:first": "e" * 16, "fake:part": "c" * 16, "fake:whole": "a" * 16}
    assert dict(benchmark.partial) == {"fake:first": "first 5 items", "fake:part": "subset choice"}
    said = sidebar.partial(benchmark)
    assert len(said) == 2
    assert any("part is shown by a run of subset choice only: its rates are of these." in line for line in said)
    together = stored.everything({"toy": benchmark})
    assert together.partial["fake:first"] == "first 5 items of toy"
    assert not together.unfinished
    store.close()


def test_a_run_that_was_stopped_claims_no_rates(flipside_cache, monkeypatch):
    """Failed before: "its rates are of these" stood beside a model without a single rate."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "nothing")
    selection = NONE | {"subset": "choice,triplet", "sample": 1500}
    writer.write_run(flipside_cache, writer.items(4), "a" * 16, ["itc"], selection=selection, complete=False)
    store = open_store(follow=False, wait=True)
    monkeypatch.setattr(stored, "store", lambda: store)
    (benchmark,) = stored.chosen().values()
    assert benchmark.unfinished == {"fake:ok"}
    (said,) = sidebar.partial(benchmark)
    assert said.endswith(
        "is shown by a run of subsets choice and triplet, a sample of 1,500 items that is not complete: what rates it "
        "has are of what it has judged so far, and Runs says how it goes on."
    )
    together = stored.everything({"toy": benchmark})
    assert together.unfinished == {"fake:ok"}
    (note,) = [line for line in chosen.notes(benchmark, "fake:ok") if "not complete" in line]
    assert note.startswith("Its run of subsets choice and triplet")
    store.close()
