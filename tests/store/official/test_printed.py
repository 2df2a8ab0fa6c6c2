"""Printed numbers beside the rates of a benchmark's runs: the same as `report`, for all models at once."""

import json
from pathlib import Path

import pytest

from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.official.printed import COLUMNS, printed_beside

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "visla"


def test_a_model_that_no_paper_prints_has_none(asked) -> None:
    found = printed_beside(asked, str(catalog.benchmarks(asked)["hash"].iloc[0]))
    assert list(found.numbers.columns) == list(COLUMNS)
    assert len(found.numbers) == 0
    assert found.refused == []


@pytest.mark.slow
def test_visla_s_own_numbers_stand_beside_ours(flipside, minilm, flipside_cache) -> None:
    if not DATA.is_dir():
        pytest.skip("the files of VISLA are not in ../shared/data")
    spec = f"st:{minilm}"
    answer = flipside("run", "--model", spec, "--benchmark", "visla", "--data", str(DATA), "--kinds", "t2t", "--json")
    assert answer.code == 0, answer.err
    store = open_store()
    table = catalog.benchmarks(store)
    found = printed_beside(store, str(table[table["name"] == "visla"]["hash"].iloc[0])).numbers
    first = found.drop_duplicates(["metric", "group"]).set_index(["group", "metric"])
    for metric, printed in (("t2t_accuracy", 58.89), ("p1_n_accuracy", 93.22), ("p2_n_accuracy", 60.12)):
        line = first.loc[("generic", metric)]
        assert (round(100 * line["printed"], 2), line["paper"], line["n"]) == (printed, "visla", 973)
        assert round(100 * line["value"], 2) == printed
        assert abs(line["difference"]) <= line["allow"]
    assert 100 * first.loc[("spatial", "t2t_accuracy")]["difference"] == pytest.approx(0.3125, abs=1e-6)
    said = json.loads(flipside("report", "--model", spec, "--benchmark", "visla", "--subset", "generic", "--json").out)
    for metric, entry in said["metrics"].items():
        mine = found[(found["group"] == "generic") & (found["metric"] == metric)]
        assert [e["table"] for e in entry["published_all"]] == list(mine["table"])
        assert [e["difference"] for e in entry["published_all"]] == list(mine["difference"])
