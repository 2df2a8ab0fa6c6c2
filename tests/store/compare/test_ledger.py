"""The ledger of what a training cost, and what it lacks."""

import numpy as np
import pytest

from backend.protocols import Protocol
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare import ledger
from backend.store.compare.compare import Side, against, shared
from backend.store.compare.spread import MEASURES, means, quads, together
from backend.store.queries import Setting
from tests.store import taught_runs, writer
from tests.store.taught_runs import BASE, PLAIN, TAUGHT

MODELS = (BASE, TAUGHT, PLAIN)


@pytest.fixture
def store(flipside_cache):
    taught_runs.write(flipside_cache, writer.items(24))
    return open_store()


@pytest.mark.long
def test_every_row_is_the_paired_comparison_of_its_subset(store) -> None:
    rows = ledger.rows(store, MODELS, "itc")
    assert set(rows["subset"]) == {"attribute", "relation", "triplet", "choice", "retrieval"}
    assert sorted(rows.loc[rows["subset"] == "retrieval", "metric"]) == sorted(ledger.RECALLS)
    sides = [Side(run * 16, Setting("itc")) for run in "acb"]
    for row in rows.itertuples():
        found = shared(store, sides, row.metric, [row.subset])
        before, after, plain = found.correct.mean(axis=0)
        assert (row.n, row.before, row.after) == (len(found), pytest.approx(before), pytest.approx(after))
        assert row.gain == pytest.approx(after - before)
        assert row.plain == pytest.approx(plain - before)
        assert row.extra == pytest.approx(row.gain - row.plain)
        assert row.p == pytest.approx(against(found, baseline=0, others=[1])["p"].iloc[0])
        assert row.low <= row.gain <= row.high
        assert row.holm >= row.p
    assert ledger.rows(store, MODELS, "itc")["hash"].nunique() == 1


@pytest.mark.long
def test_without_a_plain_training_its_columns_are_empty(store) -> None:
    rows = ledger.rows(store, MODELS[:2], "itc")
    assert len(rows) == len(ledger.rows(store, MODELS, "itc"))
    assert rows[["plain", "extra", "extra_p", "extra_holm"]].isna().all().all()
    assert ledger.rows(store, (BASE, "fake:nobody"), "itc").empty
    assert list(ledger.rows(store, (BASE, "fake:nobody"), "itc").columns) == list(ledger.COLUMNS)


@pytest.mark.long
def test_what_is_missing_comes_with_its_command(flipside_cache) -> None:
    items = writer.items(8)
    taught_runs.write(flipside_cache, items)
    other = [item for item in writer.items(6) if item.protocol == Protocol.QUAD]
    writer.write_run(flipside_cache, other, "d" * 16, ["itc"], model=BASE, name="second")
    store = open_store()
    found = ledger.missing(store, MODELS, "itc")
    second = [each for each in found if each.benchmark == "second"]
    assert [(each.model, each.protocol) for each in second] == [(TAUGHT, "quad"), (PLAIN, "quad")]
    assert second[0].words == ("--model", TAUGHT, "--benchmark", "second", "--kinds", "itc")
    toy = [each for each in found if each.benchmark == "toy"]
    assert {each.what for each in toy} == {"reasons of choices", "reasons of triplets"}
    assert all(each.words[-2:] == ("--counterfactual", "16") for each in toy)


@pytest.mark.long
def test_pools_without_vectors_are_missing(flipside_cache) -> None:
    """As the bundled taught models ship: with the cosines of their items' own pairs alone."""
    items = writer.items(8)
    taught_runs.write(flipside_cache, items)
    folder = flipside_cache / "runs" / ("c" * 16)
    manifest = writer.shards.read_manifest(folder)
    for part in [name for name in manifest["parts"] if name.startswith("embeddings:")]:
        del manifest["parts"][part]
    writer.shards.write_manifest(folder, manifest)
    store = open_store()
    found = [each for each in ledger.missing(store, MODELS, "itc") if each.protocol == "retrieval"]
    assert [(each.model, each.what) for each in found] == [(TAUGHT, "retrieval")]
    assert found[0].words[:4] == ("--model", TAUGHT, "--benchmark", "toy")
    rows = ledger.rows(store, MODELS, "itc")
    assert "retrieval" not in set(rows["subset"])
    assert set(rows["subset"]) == {"attribute", "relation", "triplet", "choice"}


@pytest.mark.long
def test_deviations_side_by_side_are_those_of_each_run(store) -> None:
    frames = together([quads(store, run * 16, "itc") for run in "acb"])
    assert [len(frame) for frame in frames] == [48] * 3
    for frame, run in zip(frames, "acb", strict=True):
        own = q.deviations(store, run * 16, "itc").set_index("item_no").loc[frame["item_no"]]
        s11, s12, s21, s22 = (own[name].to_numpy() for name in ("s11", "s12", "s21", "s22"))
        assert frame["v1"].to_numpy() == pytest.approx(s12 - s21)
        assert frame["gamma"].to_numpy() == pytest.approx((s11 - s12 - s21 + s22) / 4)
        assert frame["v2_text"].to_numpy() == pytest.approx(4 * frame["c"])
        assert frame["v2_image"].to_numpy() == pytest.approx(4 * frame["r"])
        assert frame["v1"].to_numpy() == pytest.approx(2 * (frame["r"] - frame["c"]))
        for subset, part in frame.groupby("subset"):
            cells = own.loc[part["item_no"], ["s11", "s12", "s21", "s22"]].to_numpy()
            assert part["cells"].unique() == pytest.approx([cells.std()])
            for name in MEASURES:
                assert part[f"{name}_sd"].to_numpy() == pytest.approx(part[name] / cells.std()), (subset, name)
    table = means(frames, 0).set_index(["measure", "over_sd", "side"])
    assert table.loc[("|v1|", False, 1), "mean"] == pytest.approx(frames[1]["v1"].abs().mean())
    gap = frames[1]["gamma"].mean() - frames[0]["gamma"].mean()
    assert table.loc[("gamma", False, 1), "difference"] == pytest.approx(gap)
    assert np.isnan(table.loc[("gamma", False, 0), "difference"])
    assert (table["holm"].dropna() >= table["p"].dropna()).all()
    assert together([frames[0], frames[1].head(0)]) == []
    assert {len(frame) for frame in together(frames, "relation")} == {24}
    assert quads(store, "a" * 16, "t2t").empty
