"""The section `reasons` of `report`: recounted from the exported outcomes, the same as Overview's picture, in words."""

from collections import Counter

import pandas as pd
import pytest

from backend.metrics.reasons.names import CELLS, reasons_of
from backend.protocols import Protocol
from backend.store.reasons import summary
from backend.store.report.report import report
from backend.store.scores.setting import Setting
from pages.shared.data import cell_bars
from pages.shared.drawing import cells
from tests.store.conftest import MODEL

pytestmark = pytest.mark.long
OF = {"quad": ("quad", "group_score"), "choice": ("choice", "accuracy"), "tri": ("triplet", "i2t_accuracy")}


@pytest.mark.parametrize(("kind", "more"), [("itc", ()), ("itm", ()), ("gen", ()), ("gen", ("--alpha", "0.5"))])
def test_cells_and_reasons_are_those_of_the_exported_outcomes(scored, flipside, tmp_path, kind, more):
    ask = ("--model", MODEL, "--benchmark", "mixed", "--kind", kind)
    found = flipside("report", *ask, *more, "--json").json["reasons"]
    out = tmp_path / "outcomes.csv"
    if not more:
        assert flipside("export", *ask[:4], "--what", "outcomes", "--out", out).code == 0
        rows = pd.read_csv(out, keep_default_na=False)
        rows = rows[rows["kind"] == kind]
    assert set(found) == set(OF)
    for subset, told in found.items():
        protocol, metric = OF[subset]
        assert (told["protocol"], told["n"], told["clusters"]) == (protocol, 24, 24)
        assert tuple(told["cells"]) == CELLS[protocol]
        assert tuple(told["reasons"]) == reasons_of(Protocol(protocol))
        assert sum(cell["n"] for cell in told["cells"].values()) == sum(told["reasons"].values()) == 24
        assert sum(cell["mirrored"] for cell in told["cells"].values()) == 24
        assert all(cell["share"] == cell["n"] / 24 for cell in told["cells"].values())
        assert all(cell["mirrored_share"] == cell["mirrored"] / 24 for cell in told["cells"].values())
        if not more:
            own = rows[(rows["subset"] == subset) & (rows["metric"] == metric)]
            of_cells = {name: cell["n"] for name, cell in told["cells"].items()}
            for column, counted in (("cell", of_cells), ("reason", told["reasons"])):
                assert Counter({name: n for name, n in counted.items() if n}) == Counter(own[column])
        least = told["at_least"]
        assert least["value"] == (least["plus"] - least["minus"]) / 24
        assert least["ci95"][0] <= least["value"] <= least["ci95"][1]
        assert (least["by_rank"] is None) == (protocol == "quad")
        assert told["too_few"] == ""


def test_it_is_what_overview_draws(scored):
    store, run_id = scored
    found = summary.of_run(store, run_id, Setting("itm"), ["quad", "choice", "tri"])
    rows = cell_bars.stored_bars.of_run(store, run_id, Setting("itm")).to_dict("records")
    for bar in cell_bars._bars(MODEL, "itm", rows, list(found), "", {}):
        told = found[bar.group]
        assert bar.counts == {name: (cell["n"], cell["mirrored"]) for name, cell in told["cells"].items()}
        assert bar.share == told["at_least"]["value"]
        assert (bar.low, bar.high) == pytest.approx(told["at_least"]["ci95"])
        assert ": ".join(filter(None, cells.least(bar))) == told["at_least"]["said"]


def test_a_subset_alone_and_kinds_without_reasons(scored):
    store, _ = scored
    assert list(report(store, MODEL, "mixed", kind="itc", subset="choice")["reasons"]) == ["choice"]
    assert "reasons" not in report(store, MODEL, "mixed", kind="t2t")
    assert "reasons" not in report(store, MODEL, "mixed", kind="itc", subset="pool")


def test_the_text_names_cells_reasons_and_scales(scored, flipside):
    said = flipside("report", "--model", MODEL, "--benchmark", "mixed", "--kind", "itm").out
    assert "What decides each of the quads; in brackets as many as luck alone would put there" in said
    assert "(scores as log-odds)" in said
    assert "outvoted by the caption" in said
    assert "no evidence for the truth" in said
    assert said.count("Reasons that the evidence certifies, items") == 3
    assert not [key for key in ("no_binding", "by_bias", "outvoted_by", "no_evidence") if key in said]


@pytest.mark.parametrize(
    ("images", "items", "says"),
    [
        (5, 24, "16 other images are needed and there are 5"),
        (16, 18, "20 items of one verdict are needed and there are 18"),
    ],
)
def test_what_there_is_too_little_of_is_said(flipside_cache, flipside, images, items, says):
    words = ("--model", MODEL, "--benchmark", "world")
    ran = flipside("run", *words, "--kinds", "itm", "--subset", "triplet", "--limit", items,
                   "--counterfactual", images, "--json")  # fmt: skip
    (up_front,) = ran.json["notes"]
    found = flipside("report", *words, "--run", ran.json["run"], "--json").json["reasons"]["triplet"]
    assert says in found["too_few"]
    assert says in up_front or items == 18  # of so few images some fit a caption, and there are fewer of them
    assert {name for name, n in found["reasons"].items() if n} <= {"uncertain", "by_bias", "no_evidence"}
    assert found["too_few"] in flipside("report", *words, "--run", ran.json["run"]).out
