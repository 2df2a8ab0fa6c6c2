"""What the pages draw, as pure functions on small frames."""

import pandas as pd

from pages.parts import heatmap, overview_view
from pages.parts.heatmap import Cell, Column, Row


def rates(*lines: tuple[str, str, str, str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(lines, columns=["model", "kind", "group", "metric", "value"])
    return frame.assign(n=100, ties=0, low=frame["value"] - 0.05, high=frame["value"] + 0.05, chance=1 / 6)


def test_a_cell_without_a_rate_is_a_dash_and_chance_is_marked() -> None:
    rows, columns = (
        [Row("m", "m", "itc", "#000000")],
        [Column("a", "a", "s", "t", 0.5), Column("b", "b", "s", "t", None)],
    )
    drawn = heatmap.view(rows, columns, {("m", "a"): Cell(0.4, 100, (0.3, 0.45), ties=2)})
    first, second = drawn["rows"][0]["cells"]
    assert second is None
    assert first["mark"] == "▾"
    assert "40.0 ± 10.0 % (n = 100), below chance, 2 ties counted as failures" in first["tip"]
    assert [c["chance"] for c in drawn["columns"]] == ["50.0 %", "–"]


def test_the_best_kind_is_chosen_on_what_all_kinds_judged() -> None:
    frame = rates(
        ("m", "itc", "relation", "group_score", 0.2),
        ("m", "itm", "relation", "group_score", 0.3),
        ("m", "itc", "retrieval", "i2t_recall_at_1", 0.9),
    )
    assert overview_view.kind_of(frame, "best") == "itm"


def test_the_grid_keeps_the_order_of_groups_and_shows_texts_beside_images() -> None:
    frame = rates(
        ("m", "t2t", "triplet", "t2t_accuracy", 0.6),
        ("m", "itc", "triplet", "i2t_accuracy", 0.5),
        ("m", "itc", "count", "group_score", 0.4),
        ("m", "itc", "relation", "group_score", 0.1),
    )
    shown = overview_view.grid(frame, ["relation", "count", "triplet"])
    assert [c.label for c in shown.columns] == ["relation", "count", "triplet", "triplet"]
    assert shown.kinds[("m\titc", "triplet\tt2t_accuracy")] == "t2t"


def test_facts_come_from_the_numbers() -> None:
    frame = rates(
        ("good", "itc", "relation", "group_score", 0.95),
        ("bad", "itc", "relation", "group_score", 0.02),
        ("good", "itc", "count", "group_score", 0.5),
        ("bad", "itc", "count", "group_score", 0.45),
    )
    facts = overview_view.notice(overview_view.grid(frame, ["relation", "count"]))
    assert facts[0] == (
        "relation separates the models most",
        "good is right on 95.0 % of relation (group score), bad on 2.0 %.",
    )
    assert facts[1][0] == "1 of 2 models fall below chance on relation"
    assert overview_view.notice(overview_view.grid(frame.iloc[:0], [])) == []
