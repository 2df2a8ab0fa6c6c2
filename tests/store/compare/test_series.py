"""Checkpoints over steps, from what runs say of themselves."""

import json

import pytest

from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare import series
from tests.store import writer


def name_series(folder, **steps):
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"series": steps}))


@pytest.fixture
def ladder(flipside_cache, items):
    """Three checkpoints, written in no order, of which one belongs to a second series; and a model of none."""
    parts = ["itc", "gen", "prior@images:2"]
    name_series(writer.write_run(flipside_cache, items, "b" * 16, parts, model="hf:late", skill=2.0), mine=200)
    early = writer.write_run(flipside_cache, items, "a" * 16, parts, model="hf:early", skill=0.0, seed=1)
    name_series(early, mine=10, alone=3)
    name_series(writer.write_run(flipside_cache, items, "c" * 16, ["itc"], model="hf:mid", skill=1.0, seed=2), mine=100)
    writer.write_run(flipside_cache, items, "d" * 16, ["itc"], model="hf:mine-300")
    return open_store()


@pytest.mark.long
def test_series_come_from_records_alone(ladder):
    found = series.series(ladder, q.benchmarks(ladder)["hash"][0])
    assert {name: [(c.step, c.model) for c in of] for name, of in found.items()} == {
        "mine": [(10, "hf:early"), (100, "hf:mid"), (200, "hf:late")]
    }


@pytest.mark.slow
def test_accuracy_deviation_and_alpha_over_steps(ladder):
    points = series.series(ladder, q.benchmarks(ladder)["hash"][0])["mine"]
    rates = series.accuracy(ladder, points, "itc", ("group_score",))
    assert rates["step"].tolist() == [10, 10, 100, 100, 200, 200]
    own = q.rates(ladder, "b" * 16, q.Setting("itc"), "subset")
    own = own[own["metric"] == "group_score"].set_index("group")["value"]
    late = rates[rates["step"] == 200].set_index("group")["value"]
    assert late.to_dict() == own.to_dict()

    moved = series.deviation(ladder, points, "itc", "relation")
    assert moved.groupby("measure")["step"].apply(list).to_dict() == {name: [10, 100, 200] for name in series.MEASURES}
    raw = q.deviations(ladder, "c" * 16, "itc", "relation")["v1_scale_free"].abs()
    row = moved[(moved["measure"] == "v1") & (moved["step"] == 100)].iloc[0]
    assert row["value"] == pytest.approx(raw.mean())
    assert row["lo"] < row["value"] < row["hi"]
    assert series.deviation(ladder, points, "t2t").empty

    stars = series.alpha_star(ladder, points, "choice")
    assert stars["step"].tolist() == [10, 200]
    (curve,) = q.alpha_curves(ladder, "a" * 16, None, "token", "choice")
    assert stars["alpha"].iloc[0] == curve.best.alpha
    assert (stars["value"] >= stars["at_zero"]).all()
