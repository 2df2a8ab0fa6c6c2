"""Overview's pure parts: where a cell leads, families, all benchmarks together, what is taken away as LaTeX."""

import doctest
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend import latex as tex
from backend.items import Item
from backend.store import queries
from backend.store.queries import FailureFilter, Setting
from pages.failures import data as failures_data
from pages.overview import controls, data, latex, printed
from pages.overview.controls import Said, address_of
from pages.overview.view import Grid, grid, headline
from pages.shared.data import stored
from pages.shared.drawing import heatmap
from pages.shared.drawing.heatmap import Cell, Column, Row
from pages.shared.frame import alpha
from pages.shared.help import glossary
from tests.pages import results

Visit = Callable[..., AppTest]


@pytest.mark.parametrize("module", [glossary, printed, tex])
def test_examples_in_the_docstrings(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert (found.failed, found.attempted > 0) == (0, True)


def failures_of(address: dict[str, str]) -> int:
    """How many verdicts the page of an address would list as wrong."""
    benchmark = stored.chosen()[address["benchmark"]]
    groups = {f"{by}s": (address[by],) for by in ("subset", "concept", "perturbation") if by in address}
    wanted = FailureFilter(
        benchmark.runs[address["model"]], Setting(address["kind"]), correct=False, metrics=(address["metric"],),
        **groups,  # type: ignore[arg-type]
    )  # fmt: skip
    return failures_data.failures(wanted).total


@pytest.mark.long
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("by", "broad"), [("subset", False), ("perturbation", True), *(
    pytest.param("concept", broad, marks=pytest.mark.slow) for broad in (False, True))])  # fmt: skip
def test_a_cell_leads_to_exactly_its_failures(by: str, broad: bool) -> None:
    benchmark = stored.chosen()["small"]
    said = Said(by, broad, "group_score", "every")
    frame = headline(data.rates(benchmark, said.grouping))
    shown = grid(frame, list(dict.fromkeys(frame["group"])), "every")
    finer = controls.below(stored.headlines(benchmark, by))
    counted = 0
    for place, cell in shown.cells.items():
        address = address_of(shown, benchmark, said, place, finer)
        assert address is not None
        assert address["kind"] == shown.kinds[place]
        if cell.value is not None and not address["metric"].endswith("recall_at_1"):
            assert failures_of(address) == round((1 - cell.value) * cell.n), address
            counted += 1
    assert counted > 10
    if by == "concept" and broad:
        assert any(
            a["concept"].endswith("/*") for p in shown.cells if (a := address_of(shown, benchmark, said, p, finer))
        )


@pytest.mark.long
def test_all_benchmarks_stand_side_by_side(small: Path) -> None:
    items: list[Item] = results.world(60)
    results.write_run(small, items, "5" * 16, ["itc"], model=results.WEAK, skill=0.5, seed=9, name="other")
    stored.store().refresh()
    both = stored.everything(stored.chosen())
    frame = data.rates(both, "subset")
    assert {group.partition(" (")[0] for group in frame["group"]} == {"small", "other"}
    one = stored.chosen()["other"]
    line = frame[(frame["group"] == "other") & (frame["metric"] == "accuracy")].iloc[0]
    alone = queries.rates(stored.store(), one.runs[results.WEAK], Setting("itc")).set_index("metric").loc["accuracy"]
    assert (line["value"], line["n"]) == (alone["value"], alone["n"])
    shown = grid(headline(frame), ["small", "other"])
    place = next(p for p in shown.cells if p == (f"{results.WEAK}\titc", "other\taccuracy"))
    found = address_of(shown, both, Said("subset", False, "group_score", "best"), place, None)
    assert found == {"benchmark": "other", "model": results.WEAK, "kind": "itc", "metric": "accuracy"}


def test_a_cell_links_where_it_is_told_to_lead() -> None:
    shown = toy()
    place = next(iter(shown.cells))
    drawn = heatmap.view(shown.rows, shown.columns, shown.cells, leads={place: "failures?model=m_1"})
    assert [row["cells"][0]["href"] for row in drawn["rows"]] == ["failures?model=m_1", ""]


@pytest.mark.usefixtures("small")
def test_links_of_cells_take_along_what_a_click_takes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark, said = stored.chosen()["small"], Said("subset", False, "group_score", "every")
    frame = headline(data.rates(benchmark, "subset"))
    shown = grid(frame, list(dict.fromkeys(frame["group"])), "every")
    plain = controls.behind(shown, benchmark, said)
    assert plain == {place: address_of(shown, benchmark, said, place, None) for place in shown.cells}
    monkeypatch.setattr(controls.alpha, "taken", lambda: alpha.Taken(0.5, "lm:x", "sum"))
    more = {"alpha": "0.5", "prior": "lm:x", "norm": "sum"}
    assert controls.behind(shown, benchmark, said) == {place: of | more for place, of in plain.items()}


def toy() -> Grid:
    rows = [Row("m_1\titc", "m_1", "similarity", "#000000"), Row("b\titc", "b", "similarity", "#000000")]
    columns = [Column("a\taccuracy", "a & b", "accuracy", "t", 0.25)]
    cells = {("m_1\titc", "a\taccuracy"): Cell(0.5, 10, (0.4, 0.62)), ("b\titc", "a\taccuracy"): Cell(0.25, 10, None)}
    return Grid(rows, columns, cells, dict.fromkeys(cells, "itc"))


def test_the_table_in_latex() -> None:
    text = latex.table(toy(), "50 % of m_1")
    assert r"model & a \& b \\" in text
    assert r"m\_1 (similarity) & 50.0 {\scriptsize [40.0, 62.0]} \\" in text
    assert r"\textbf" not in text, "the highest of a column was bold, whether or not by chance, and no word said why"
    assert r"\caption{50 \% of m\_1}" in text
    assert text.count(r"\begin{") == text.count(r"\end{") == 2


def test_rows_of_no_items_are_no_rates() -> None:
    """“Download 448 rates as CSV”, of which 350 had no rate, of no items, beside a chance level."""

    def drawn() -> None:
        import pandas as pd

        from pages.overview import facts

        rows = [("accuracy", 0.5, 10, 0.5), ("auroc", None, 0, 0.5), ("pc", None, 4, 0.5)]
        frame = pd.DataFrame(rows, columns=["metric", "value", "n", "chance"]).assign(
            model="m", kind="itc", group="all"
        )
        facts.table(frame.reindex(columns=list(facts.COLUMNS)).assign(lower_bound=False), "rates.csv")

    page = AppTest.from_function(drawn).run()
    assert not page.exception
    assert [button.proto.label for button in page.get("download_button")] == ["Download 2 rates as CSV"]
    assert page.dataframe[0].value["n"].tolist() == [10, 4]


def test_the_published_number_stands_in_its_cell() -> None:
    line = {"model": "m_1", "kind": "itc", "alpha": 0.0, "metric": "accuracy", "group": "a", "name": "",
            "printed": 0.4875, "allow": 0.5e-4, "paper": "visla", "table": "Table 2"}  # fmt: skip
    numbers = pd.DataFrame([line, line | {"printed": 0.9, "table": "Table 5"}])
    shown = printed.beside_cells(toy(), numbers)
    drawn = heatmap.view(shown.rows, shown.columns, shown.cells)
    first, second = drawn["rows"][0]["cells"][0], drawn["rows"][1]["cells"][0]
    assert first["printed"] == "48.75", "with as many decimals as its table has"
    assert "Published: 48.75 % (VISLA, Table 2)" in first["tip"]
    assert second["printed"] == ""


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_the_page_takes_its_grouping_from_the_address(visit: Visit) -> None:
    page = visit("overview", benchmark="small", by="concept", broad="True", order="-attribute|group_score")
    assert not page.exception
    assert page.session_state["order"] == "-attribute|group_score"
    assert controls.GROUPS[page.session_state["by"]] == "Concept"


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_an_order_goes_along_when_quads_are_judged_by_another_score(visit: Visit) -> None:
    page = visit("overview", benchmark="small", order="-relation|group_score")
    page.button_group(key="quads").set_value("text_score").run()
    assert not page.exception
    assert page.query_params["order"] == "-relation|text_score"
    page.button_group(key="by").set_value("perturbation").run()  # no such column: as it is sorted by itself
    assert "order" not in page.query_params


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_the_models_own_order_can_be_linked_to_where_it_is_not_the_usual_one(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.overview.view.FEW", 1)
    drawn: list[str] = []
    real = heatmap.draw
    monkeypatch.setattr(heatmap, "draw", lambda spec, key, order="": (drawn.append(order), real(spec, key, order))[1])
    page = visit("overview", benchmark="small", order="own")
    assert not page.exception
    assert page.query_params["order"] == "own"
    assert "order" not in visit("overview", benchmark="small").query_params
    assert [order[:1] for order in drawn] == ["", "-"]
