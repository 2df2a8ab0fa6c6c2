"""The real failure that Overview begins with, and the rest of its first screen."""

import doctest
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.item import why
from pages.overview import causes, controls, data, facts, failure
from pages.overview.view import Grid, grid, headline, with_pages
from pages.shared.data import stored
from pages.shared.drawing import gallery, heatmap
from pages.shared.drawing.heatmap import Cell, Column, Row
from tests.pages import results

Visit = Callable[..., AppTest]


@pytest.mark.parametrize("module", [failure, facts])
def test_examples_in_the_docstrings(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert (found.failed, found.attempted > 0) == (0, True)


def shown_grid() -> tuple[stored.StoredBenchmark, Grid]:
    benchmark = stored.chosen()["small"]
    return benchmark, grid(headline(data.rates(benchmark, "subset")), list(benchmark.subsets))


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_the_card_says_who_is_wrong_and_the_stored_reason() -> None:
    benchmark, shown = shown_grid()
    found = failure.found(benchmark, shown)
    assert len(found) > 3
    kinds = {row.key.partition("\t")[0]: row.key.partition("\t")[2] for row in shown.rows}
    for each in found:
        detail = stored.item(benchmark.hash, each.item_id)
        assert each.kind == kinds[each.model]
        own = detail.outcomes[(detail.outcomes["metric"] == each.metric) & (detail.outcomes["query"] == -1)]
        said = {(line.model, line.kind): line.correct for line in own.itertuples()}
        for model, correct in each.verdicts:
            assert bool(said[model, kinds[model]]) == correct
        assert not said[each.model, each.kind]
        evidence = detail.evidence[(detail.evidence["model"] == each.model) & (detail.evidence["kind"] == each.kind)]
        assert list(evidence["reason"]) == ([each.reason] if each.reason else [])
        html = failure.html(benchmark, each)
        claim = why.claim(detail, each.model, each.kind)
        assert bool(claim) == bool(each.reason)
        assert (claim or "wrong here; why is not measured") in html
        marks = re.findall(r'class="ov-mark fs-(right|wrong) fs-told".*?<b>(.)</b>', html)
        assert marks == [("right", "✓") if correct else ("wrong", "✗") for _, correct in each.verdicts]
        assert f"{each.right or 'None'} of {len(each.verdicts)} models" in html


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_another_one_is_shown_and_stands_in_the_address(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    real = gallery.draw
    monkeypatch.setattr(gallery, "draw", lambda cards, key, **more: (drawn.append(cards), real(cards, key, **more))[1])
    page = visit("overview", benchmark="small")
    assert not page.exception
    assert "example" not in page.query_params
    page.button(key="overview-failure-next").click().run()
    assert not page.exception
    first, second = drawn[0][0].item_id, drawn[-1][0].item_id
    assert first != second
    assert page.query_params["example"] in (second, [second])
    drawn.clear()
    visit("overview", benchmark="small", example=second)
    assert drawn[0][0].item_id == second


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_all_benchmarks_at_once_begin_with_no_item(small: Any, visit: Visit) -> None:
    results.write_run(small, results.world(60), "5" * 16, ["itc"], model=results.WEAK, skill=0.5, seed=9, name="other")
    stored.store().refresh()
    page = visit("overview", benchmark="all")
    assert not page.exception
    assert not [button for button in page.button if button.key == "overview-failure-next"]


@pytest.mark.usefixtures("small")
def test_what_few_need_is_folded_and_at_most_five_controls_are_in_sight(visit: Visit) -> None:
    page = visit("overview", benchmark="small")
    folded = {box.proto.label for box in page.expander}
    assert {"More", "What else the numbers show", "Every number, with n, ties, interval and chance"} <= folded
    inside = {widget.key for box in page.expander for kind in ("selectbox", "button_group", "toggle", "slider")
              for widget in box.get(kind)}  # fmt: skip
    assert {"score", "quads"} <= inside
    kinds = ("selectbox", "button_group", "toggle", "slider", "multiselect", "text_input", "number_input")
    in_sight = {widget.key for kind in kinds for widget in page.get(kind)} - inside
    assert in_sight == {"benchmark", "by"}
    assert set(controls.KEYS) >= {"score", "quads", "broad", "example"}


def test_the_bars_follow_the_order_of_the_heat_map() -> None:
    rows = [Row("a\titc", "a", "", "#000000"), Row("b\titc", "b", "", "#000000"), Row("c\titc", "c", "", "#000000")]
    column = Column("test\tgroup_score", "test", "group score", "", 1 / 6)
    cells = {("a\titc", column.key): Cell(0.2, 10, None), ("c\titc", column.key): Cell(0.9, 10, None)}
    toy = Grid(rows, [column], cells, {})
    assert [row.label for row in causes.in_order(toy, f"-{column.key}")] == ["c", "a", "b"]
    assert [row.label for row in causes.in_order(toy, column.key)] == ["a", "c", "b"]
    assert causes.in_order(toy, "") == rows


def test_names_lead_to_the_models_pages_and_say_what_they_are() -> None:
    rows = [Row("bundled:clip\titc", "clip", "similarity", "#000000", "bundled:clip")]
    linked = with_pages(
        Grid(rows, [], {}, {}), lambda model: f"model?model={model}", {"bundled:clip": "a dual encoder"}
    )
    (row,) = linked.rows
    assert (row.href, row.tip) == ("model?model=bundled:clip", "bundled:clip\na dual encoder")
    drawn = heatmap.view(linked.rows, [Column("a", "a", "s", "t", 0.5)], {}, compact=True)
    assert drawn["rows"][0]["href"] == "model?model=bundled:clip"


def test_a_metric_that_a_group_shares_is_said_once_above_it() -> None:
    columns = [Column("a", "a", "group score", "", 0.2, "quads"), Column("b", "b", "group score", "", 0.2, "quads"),
               Column("c", "c", "accuracy", "", 0.3, "choices")]  # fmt: skip
    drawn = heatmap.view([], columns, {}, compact=True)
    assert [(group["label"], group["span"]) for group in drawn["groups"]] == [
        ("quads · group score", 2),
        ("choices", 1),
    ]
    assert [column["sub"] for column in drawn["columns"]] == ["", "", "accuracy"]
    full = heatmap.view([], columns, {})
    assert [column["sub"] for column in full["columns"]] == ["group score", "group score", "accuracy"]
