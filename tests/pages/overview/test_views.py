"""What the pages draw, as pure functions on small frames."""

import pandas as pd

from pages.overview import view
from pages.shared.drawing import heatmap, signs
from pages.shared.drawing.heatmap import Cell, Column, Row


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
    assert first["mark"] == "▼"
    assert "40.0 % [30.0, 45.0] (n = 100), below chance, 2 ties counted as failures" in first["tip"]
    assert [c["chance"] for c in drawn["columns"]] == ["50.0 %", "–"]


def test_the_best_kind_is_chosen_on_what_all_kinds_judged() -> None:
    frame = rates(
        ("m", "itc", "relation", "group_score", 0.2),
        ("m", "itm", "relation", "group_score", 0.3),
        ("m", "itc", "retrieval", "i2t_recall_at_1", 0.9),
    )
    assert view.kind_of(frame, "best") == "itm"


def test_the_grid_keeps_the_order_of_groups_and_shows_texts_beside_images() -> None:
    frame = rates(
        ("m", "t2t", "triplet", "t2t_accuracy", 0.6),
        ("m", "itc", "triplet", "i2t_accuracy", 0.5),
        ("m", "itc", "count", "group_score", 0.4),
        ("m", "itc", "relation", "group_score", 0.1),
    )
    shown = view.grid(frame, ["relation", "count", "triplet"])
    assert [c.label for c in shown.columns] == ["relation", "count", "triplet", "triplet"]
    assert shown.kinds[("m\titc", "triplet\tt2t_accuracy")] == "t2t"


def test_facts_come_from_the_numbers() -> None:
    frame = rates(
        ("good", "itc", "relation", "group_score", 0.95),
        ("bad", "itc", "relation", "group_score", 0.02),
        ("good", "itc", "count", "group_score", 0.5),
        ("bad", "itc", "count", "group_score", 0.45),
    )
    facts = view.notice(view.grid(frame, ["relation", "count"]))
    assert facts[0] == (
        "relation separates the models most",
        "good is right on 95.0 % of relation (group score), bad on 2.0 %.",
    )
    assert facts[1][0] == "1 of 2 models fall below chance on relation"
    assert view.notice(view.grid(frame.iloc[:0], [])) == []


def test_no_internal_name_and_no_text_encoder_beside_models_that_see() -> None:
    frame = rates(
        ("bundled:clip", "itc", "one_place_vertical", "i2t_accuracy", 0.2),
        ("bundled:clip", "t2t", "one_place_vertical", "t2t_accuracy", 0.0),
        ("hf:other", "itc", "one_place_vertical", "i2t_accuracy", 0.5),
        ("hf:other", "t2t", "one_place_vertical", "t2t_accuracy", 0.3),
        ("bundled:sentence", "t2t", "one_place_vertical", "t2t_accuracy", 1.0),
    )
    shown = view.grid(frame, ["one_place_vertical"])
    assert {column.label for column in shown.columns} == {"another place, above or below"}
    said = " ".join(text for fact in view.notice(shown) for text in fact)
    assert "another place, above or below" in said
    assert "one_place" not in said
    assert "sentence" not in said
    texts = view.grid(frame[frame["kind"] == "t2t"].assign(model=["st:a", "st:b", "st:c"]), ["x"])
    assert "c is right on" in view.notice(texts)[0][1]  # nothing else was judged


def test_many_columns_are_turned_so_that_the_page_scrolls_down() -> None:
    rows = [Row("m\titc", "m", "itc", "#000000"), Row("n\titc", "n", "itc", "#111111")]
    columns = [Column(f"c{k}\tacc", f"c {k}", "accuracy", "t", 0.25, "Choices") for k in range(heatmap.MOST_ACROSS + 1)]
    cells = {("m\titc", column.key): Cell(k / 20, 100, None) for k, column in enumerate(columns)}
    drawn = heatmap.view(rows, columns, cells)
    assert drawn["turned"]
    assert [column["label"] for column in drawn["columns"]] == ["m", "n"]
    assert [row["label"] for row in drawn["rows"]] == [column.label for column in columns]
    assert drawn["rows"][3]["kind"] == "accuracy; chance 25.0 %"
    first, second = drawn["rows"][3]["cells"]
    assert (first["id"], second) == ("m\titc\nc3\tacc", None)  # a click means the same either way
    assert "turned" not in heatmap.view(rows, columns[:-1], cells)


def test_a_rate_is_coloured_by_how_far_it_is_from_chance() -> None:
    rows, column = [Row("m", "m", "itc", "#000000")], Column("a", "a", "s", "t", 0.25)
    colour = {
        value: heatmap.view(rows, [column], {("m", "a"): Cell(value, 9, None)})["rows"][0]["cells"][0]["colour"]
        for value in (0.0, 0.25, 1.0)
    }
    assert colour == {value: signs.balance(at)[0] for value, at in ((0.0, 0.0), (0.25, 0.5), (1.0, 1.0))}
    unknown = Column("a", "a", "s", "t", None)
    (entry,) = heatmap.view(rows, [unknown], {("m", "a"): Cell(0.5, 9, None)})["rows"][0]["cells"]
    assert entry["colour"] == signs.strength(0.5)[0]
