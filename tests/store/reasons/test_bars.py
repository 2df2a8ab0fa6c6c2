"""Bars of cells: what was counted at import against the tables that it was counted from."""

from math import comb

import pandas as pd
import pytest

from backend.kinds import SIMILARITIES, Kind
from backend.metrics.reasons import mirror
from backend.metrics.reasons.names import CELLS
from backend.protocols import Protocol
from backend.store.build.reader import open_store
from backend.store.reasons import bars, not_measured, runs
from backend.store.reasons.not_measured import Why
from backend.store.scores.setting import Setting
from tests.pages import results
from tests.store.writer import write_run

RUN, SPEAKER = "1" * 16, "3" * 16


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Four runs of a small benchmark, for tests that only read."""
    root = tmp_path_factory.mktemp("bars")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "none")
        results.write(root)
        return open_store(follow=False)


def test_what_is_kept_is_what_the_table_says(store):
    found = bars.of_runs(store, [RUN])
    assert set(found["kind"]) == {"itc", "itm"}  # t2t compares no image
    for kind in ("itc", "itm"):
        table = runs.of_run(store, RUN, Setting(kind), Protocol.QUAD)
        for subset, part in table.groupby("subset"):
            mine = found[(found["kind"] == kind) & (found["subset"] == subset)].set_index("cell")
            assert tuple(mine.index) == CELLS[Protocol.QUAD]
            assert mine["items"].sum() == mine["mirrored"].sum() == len(part) == mine["n"].iloc[0]
            assert mine["items"].to_dict() == {cell: (part["cell"] == cell).sum() for cell in mine.index}
            assert mine["mirrored"].to_dict() == {cell: (part["mirrored"] == cell).sum() for cell in mine.index}
            signs = (part["gamma"] > 0).sum(), (part["gamma"] < 0).sum()
            assert (mine["plus"].iloc[0], mine["minus"].iloc[0]) == signs
            share = (mine["plus"].iloc[0] - mine["minus"].iloc[0]) / len(part)
            assert mine["low"].iloc[0] <= share <= mine["high"].iloc[0]


def test_another_setting_is_counted_when_asked(store):
    kept, other = bars.of_run(store, SPEAKER, Setting("gen")), bars.of_run(store, SPEAKER, Setting("gen", 0.5))
    assert list(kept) == list(other) == list(bars.COLUMNS)
    assert kept["n"].to_list() == other["n"].to_list()
    again = bars.joined([bars.counted(runs.of_run(store, SPEAKER, Setting("gen"), Protocol.QUAD), Protocol.QUAD)])
    pd.testing.assert_frame_equal(kept, again, check_dtype=False)
    assert not kept["items"].equals(other["items"])


def test_a_run_that_is_gone_takes_its_cells_along(flipside_cache):
    results.write(flipside_cache)
    assert len(bars.of_runs(open_store(), [RUN]))
    for path in (flipside_cache / "runs" / RUN).iterdir():
        path.unlink()
    (flipside_cache / "runs" / RUN).rmdir()
    assert bars.of_runs(open_store(), [RUN]).empty


def test_a_run_lacks_no_protocol_that_it_has_no_item_of(store, flipside_cache):
    part = {"split": None, "subset": "relation", "limit": None, "sample": None, "seed": 0}
    write_run(flipside_cache, results.world(), "8" * 16, ["itc"], model="fake:part", name="small", selection=part)
    assert not_measured.of_run(open_store(), "8" * 16, "itc").keys() == {"retrieval"}


def test_what_is_missing_is_named_with_its_command(store, flipside_cache):
    found = not_measured.of_run(store, RUN, "itc")
    assert "quad" not in found
    typed = "flipside run --model fake:strong --benchmark small --kinds itc --counterfactual 16"
    assert found["choice"] == Why("the captions of this run have not been scored under other images", typed)
    assert found["retrieval"] == Why(
        "this kind of verdict has none, for a retrieval item is judged against its whole pool"
    )
    assert not_measured.of_run(store, RUN, "t2t")["choice"].command == ""
    write_run(flipside_cache, results.world(), "9" * 16, ["itc"], model="predictions:theirs", name="small")
    brought = not_measured.of_run(open_store(), "9" * 16, "itc")["choice"]
    assert "another system's scores cannot be asked for here" in brought.said
    assert brought.command == ""


def test_every_protocol_and_kind_without_a_reason_says_why(store):
    run = store.run(RUN)
    said = {(of, kind): not_measured.why(run, of, kind) for of in Protocol for kind in Kind}
    for (of, kind), why in said.items():
        assert why.said, (of, kind)
        asked = of in ("choice", "triplet") and kind in SIMILARITIES
        assert bool(why.command) == asked, (of, kind)
        assert why.said.startswith("this kind of verdict has none, for") == (
            of not in CELLS or kind not in SIMILARITIES
        )
    assert "without the image" in said[Protocol.QUAD, Kind.T2T].said


@pytest.mark.parametrize("n", [50, 100, 400])
def test_as_many_bars_as_the_caption_says_may_be_in_sight(n):
    claimed = 0.0
    for plus in range(n + 1):
        found = mirror.at_least([1.0] * plus + [-1.0] * (n - plus))
        if bars.state(found.value, found.ci95) == "bound":
            claimed += comb(n, plus) / 2**n
    assert claimed <= bars.BY_LUCK
    assert 1 - (1 - bars.BY_LUCK) ** bars.AT_ONCE < 0.05


@pytest.mark.parametrize("share", [0.133, -0.133])
def test_the_interval_that_is_shown_and_the_word_agree(share):
    """“Uncertain” stood beside [4.1, 22.3], which leaves out 0, without a word on why."""
    ends = (share - 0.092, share + 0.09)
    assert bars.state(share, ends) == "uncertain"
    head, beside = bars.said(Protocol.QUAD, share, ends)
    low, high = map(float, beside.rpartition("[")[2].partition("]")[0].replace("−", "-").split(", "))
    assert "uncertain" in head
    assert low < 0 < high, "the interval by which it is uncertain"
    assert "as one of many" not in " ".join(bars.said(Protocol.QUAD, 0.48, (0.38, 0.56)))
