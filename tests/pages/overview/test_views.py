"""What the pages draw, as pure functions on small frames."""

import pandas as pd

from backend.store.catalog.public import Apart
from pages.overview import notice, view
from pages.shared.data import best_kind
from pages.shared.drawing import heatmap, numbers, signs
from pages.shared.drawing.heatmap import Cell, Column, Row
from tests.pages.scripts import Script


def rates(*lines: tuple[str, str, str, str, float], n: int = 100, half: float = 0.05) -> pd.DataFrame:
    frame = pd.DataFrame(lines, columns=["model", "kind", "group", "metric", "value"])
    return frame.assign(n=n, ties=0, low=frame["value"] - half, high=frame["value"] + half, chance=1 / 6)


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


def test_a_rate_within_chance_has_no_colour_of_either_side() -> None:
    """Failed before: it bore ○ and was green above chance, vermilion below (`signs`, rule 5)."""
    rows, column = [Row("m", "m", "itc", "#000000")], Column("a", "a", "s", "t", 0.5)
    cells = {
        value: heatmap.view(rows, [column], {("m", "a"): Cell(value, 100, (0.4, 0.6))})["rows"][0]["cells"][0]
        for value in (0.42, 0.5, 0.58)
    }
    assert {cell["mark"] for cell in cells.values()} == {signs.OPEN}
    assert {(cell["colour"], cell["ink"]) for cell in cells.values()} == {signs.balance(0.5)}


def test_a_model_is_shown_by_one_kind_under_every_grouping() -> None:
    """The best kind was that of the columns at hand: by subset similarity, by concept matching, for the same quads."""
    best = best_kind.best_kinds(
        rates(("m", "itc", "relation", "group_score", 0.3), ("m", "itm", "relation", "group_score", 0.2))
    )
    concepts = rates(("m", "itc", "places", "group_score", 0.1), ("m", "itm", "places", "group_score", 0.5))
    assert [row.key for row in view.grid(concepts, ["places"]).rows] == ["m\titm"]
    assert [row.key for row in view.grid(concepts, ["places"], best=best).rows] == ["m\titc"]
    assert [row.key for row in view.grid(concepts, ["places"], "itm", best=best).rows] == ["m\titm"]


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
    facts = notice.notice(view.grid(frame, ["relation", "count"]))
    assert facts[0] == (
        "relation separates the models most",
        "good is right on 95.0 % of relation (group score), bad on 2.0 %.",
    )
    assert facts[1][0] == "1 of 2 models falls below chance on relation"
    assert notice.notice(view.grid(frame.iloc[:0], [])) == []


def test_of_columns_with_one_name_a_fact_names_the_metric() -> None:
    """“falls below chance on relation” did not say by which of the three scores of a quad."""
    frame = rates(
        ("good", "itc", "relation", "group_score", 0.95),
        ("bad", "itc", "relation", "group_score", 0.02),
        ("good", "itc", "relation", "text_score", 0.95),
        ("bad", "itc", "relation", "text_score", 0.6),
    )
    heads = [head for head, _ in notice.notice(view.grid(frame, ["relation"]))]
    assert "1 of 2 models falls below chance on relation (group score)" in heads


def test_where_the_best_does_worst_is_said_of_one_metric_and_of_nobody_else() -> None:
    """“Hardest for all” stood over a part that was a model's own best, and took the best over both metrics of choices,
    which do not compare."""
    frame = rates(
        ("once", "verdict", "hard", "accuracy", 0.8), ("again", "verdict", "hard", "accuracy", 0.7),
        ("third", "verdict", "hard", "accuracy", 0.75),
        ("once", "verdict", "easy", "accuracy", 0.9), ("again", "verdict", "easy", "accuracy", 0.6),
        ("third", "verdict", "easy", "accuracy", 0.75),
        ("twice", "verdict", "hard", "accuracy_mean_of_orders", 0.6),
        ("thrice", "verdict", "hard", "accuracy_mean_of_orders", 0.5),
        ("twice", "verdict", "easy", "accuracy_mean_of_orders", 0.55),
        ("thrice", "verdict", "easy", "accuracy_mean_of_orders", 0.52),
    )  # fmt: skip
    said = dict(notice.notice(view.grid(frame, ["hard", "easy"])))
    assert said["Where even the best does worst: hard"] == (
        "Of 2 parts judged by accuracy it is the one on which the best rate is lowest: once is right on 80.0 %."
    )
    assert not any("for all" in head for head in said)
    part = frame[(frame["model"] != "third") | (frame["group"] != "easy")]  # not all were judged on both parts
    said = dict(notice.notice(view.grid(part, ["hard", "easy"])))
    assert said["Where even the best does worst: easy"].startswith("Of 2 parts judged by accuracy (mean of the orders)")


def test_one_group_alone_is_not_said_to_separate_models() -> None:
    """With nothing beside it, `test` neither separates most nor is what a model does best at."""
    frame = rates(("good", "itc", "test", "group_score", 0.85), ("bad", "itc", "test", "group_score", 0.2))
    assert notice.notice(view.grid(frame, ["test"])) == []
    frame = rates(("good", "itc", "test", "group_score", 0.97), ("bad", "itc", "test", "group_score", 0.2))
    assert [head for head, _ in notice.notice(view.grid(frame, ["test"]))] == ["good nearly solves test"]


def test_a_model_does_best_only_where_its_rate_is_told_from_its_others() -> None:
    """“does best at” was said of the higher of two rates whose intervals overlapped."""
    wide = (("good", "itc", "a", "group_score", 0.5), ("bad", "itc", "a", "group_score", 0.02))  # what separates most
    near, far = (
        rates(*wide, ("good", "itc", "b", "group_score", 0.9), ("good", "itc", "c", "group_score", value))
        for value in (0.88, 0.7)
    )
    heads = [head for head, _ in notice.notice(view.grid(near.assign(n=100), ["a", "b", "c"]))]
    assert "good does well at b" in heads
    assert "good does best at b" in [head for head, _ in notice.notice(view.grid(far, ["a", "b", "c"]))]


def test_nothing_is_said_of_a_model_by_rates_of_few_items() -> None:
    """“clip nearly solves captions. It reaches 100.0 %” was said of three items."""
    frame = rates(("good", "itc", "test", "group_score", 0.97), ("bad", "itc", "test", "group_score", 0.2))
    assert notice.notice(view.grid(frame.assign(n=20), ["test"])) != []
    assert notice.notice(view.grid(frame.assign(n=19), ["test"])) == []


def test_of_many_models_below_chance_the_worst_are_named() -> None:
    """43 names were listed where a few and a count say as much."""
    frame = rates(*((f"m{k}", "itc", "test", "group_score", 0.045 - k / 1000) for k in range(40)), n=400, half=0.02)
    head, said = notice.notice(view.grid(frame, ["test"]))[0]
    assert head == "All 40 models fall below chance on test"
    assert said.startswith(
        "m39, m38, m37, m36, m35 and 35 more, the lowest first: right less often than the 16.7 % that"
    )
    assert notice.notice(view.grid(frame.iloc[:3], ["test"]))[0][1].startswith("m0, m1 and m2: right less often")


def test_below_chance_is_counted_beyond_the_luck_of_so_many_tests() -> None:
    """43 of 58 was the number of 95 % intervals below chance; one in forty of these lies there by luck."""
    level = [("m0", "itc", "test", "group_score", 0.02)]
    level += [(f"m{k}", "itc", "test", "group_score", 0.128) for k in range(1, 40)]  # p = .04 each
    frame = rates(*level, n=400, half=0.033)
    assert view.grid(frame, ["test"]).cells["m1\titc", "test\tgroup_score"].ci95[1] < 1 / 6
    head, said = notice.notice(view.grid(frame, ["test"]))[0]
    assert head == "1 of 40 models falls below chance on test"
    assert "(exact binomial tests, Holm over 40)" in said
    clustered = rates(level[0], n=400, half=0.14)  # of an interval so wide nothing follows
    assert notice.notice(view.grid(clustered, ["test"])) == []


def test_people_are_no_model_and_a_repeat_counts_once() -> None:
    names = ("clip", "clip_b32", "people", "flava")
    frame = rates(*((name, "itc", "test", "group_score", 0.02) for name in names), n=400, half=0.014)
    head, said = notice.notice(view.grid(frame, ["test"]), Apart(frozenset({"people"}), frozenset({"clip_b32"})))[0]
    assert head == "Both models fall below chance on test"
    assert "Holm over 2, not counting people and 1 repeat)" in said
    heads = Apart(heads=frozenset({"clip", "clip_b32"}))
    assert notice.notice(view.grid(frame, ["test"]), heads)[0][0] == "All 4 systems fall below chance on test"
    alone, said = notice.notice(view.grid(frame.iloc[:1], ["test"]))[0]
    assert alone == "clip falls below chance on test"
    assert said.startswith("clip: right less often than the 16.7 %")
    frame = rates(("people", "score", "test", "group_score", 0.97), ("a", "itc", "test", "group_score", 0.5))
    assert notice.notice(view.grid(frame, ["test"]), Apart(frozenset({"people"}))) == []


def test_no_internal_name_and_no_text_encoder_beside_models_that_see() -> None:
    frame = rates(
        ("bundled:clip", "itc", "one_place_vertical", "i2t_accuracy", 0.2),
        ("bundled:clip", "t2t", "one_place_vertical", "t2t_accuracy", 0.0),
        ("hf:other", "itc", "one_place_vertical", "i2t_accuracy", 0.5),
        ("hf:other", "t2t", "one_place_vertical", "t2t_accuracy", 0.3),
        ("bundled:sentence", "t2t", "one_place_vertical", "t2t_accuracy", 1.0),
        *((model, kind, "count", f"{kind.replace('itc', 'i2t')}_accuracy", 0.2)
          for model, kind in (("bundled:clip", "itc"), ("hf:other", "t2t"), ("hf:other", "itc"))),
    )  # fmt: skip
    shown = view.grid(frame, ["one_place_vertical", "count"])
    assert {column.label for column in shown.columns} == {"another place, above or below", "count"}
    said = " ".join(text for fact in notice.notice(shown) for text in fact)
    assert "another place, above or below" in said
    assert "one_place" not in said
    assert "sentence" not in said
    texts = view.grid(frame[frame["kind"] == "t2t"].assign(model=["st:a", "st:b", "st:c", "st:b"]), ["x"])
    assert "c is right on" in notice.notice(texts)[0][1]  # nothing else was judged


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


def test_a_long_name_of_a_model_loses_its_middle_as_everywhere_and_is_whole_where_it_is_pointed_at() -> None:
    script, name = Script("shared/drawing/heatmap.js"), "a-name-" * 20
    for most in (11, 28, 32):
        assert script("shortened(a, b)", name, most) == numbers.shortened(name, most)
    assert script("shortened(a, b)", "clip", 28) == "clip"
    change = "two places swapped: left and right"  # a row's name wraps in a turned table: it said "swa…eft"
    assert script("shortened(a, WRAPS)", change) == change
    assert script("inFull(a, b, c)", name, "a tip", 28) == f"{name}\na tip"
    assert script("inFull(a, b, c)", name, f"{name} · itc", 28) == f"{name} · itc", "it says so already"
    assert script("inFull(a, b, c)", "clip", "a tip", 28) == "a tip"
