"""What charts and items give to be copied: from numbers to sentences, whatever is known of them."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from backend.metrics.reasons.mirror import Share
from backend.protocols import Protocol
from backend.store.reasons.plane import Lost
from pages.overview.view import Grid
from pages.shared.data import findings
from pages.shared.data.cell_bars import Bar
from pages.shared.drawing.heatmap import Cell, Column, Row


def bar(share: float | None, low: float | None, high: float | None) -> Bar:
    counts = {"right": (30, 2), "no_binding": (70, 0)}
    return Bar(Protocol.QUAD, "m", "itc", "relation", counts, 100, share, low, high, "cosine")


@pytest.mark.parametrize(
    ("of", "begins"),
    [
        (
            bar(0.48, 0.38, 0.56),
            "At least 38.0 % of the quads of relation bind under m (48.0 % [38.0, 56.0] beyond luck); the l",
        ),
        (
            bar(0.02, -0.07, 0.11),
            "No more than luck is seen to bind on the quads of relation under m: 2.0 % [−7.0, 11.0]; ",
        ),
        (
            bar(0.133, 0.041, 0.223),
            "Whether any of the quads of relation bind under m is uncertain: 13.3 % [4.1, 22.3] beyond luck "
            "(as one of many such shares [−2.3, 28.6], which holds 0); ",
        ),
        (
            bar(-0.5, -0.56, -0.43),
            "m reads the quads of relation the other way round more often than it binds: −50.0 % [−56.0, ",
        ),
    ],
)
def test_a_bar_says_what_its_interval_certifies(of: Bar, begins: str) -> None:
    said = findings.cells(of, "w")
    assert said.startswith(begins)
    assert said.endswith("“no binding seen”, 70 of 100 (n = 100 items; similarity; cosine; w).")


def test_the_hero_speaks_of_the_bar_that_binds_most_and_of_none_without_any() -> None:
    assert findings.hero([bar(0.1, 0.05, 0.2), bar(0.48, 0.38, 0.56)], "w").startswith("At least 38.0 %")
    people = replace(bar(0.96, 0.92, 0.97), model="predictions:people")
    assert " under m (" in findings.hero([bar(0.48, 0.38, 0.56), people], "w", {"predictions:people"})
    assert " under people (" in findings.hero([people], "w", {"predictions:people"})
    assert findings.hero([bar(0.48, 0.38, 0.56)], "w", whole=True).startswith("At least 38.0 % of all quads bind under")
    assert findings.hero([bar(None, None, None)], "w") == ""


def test_the_heat_map_speaks_of_its_widest_gap() -> None:
    rows = [Row("a\titc", "a", "similarity", "#000000"), Row("b\titc", "b", "similarity", "#000000")]
    columns = [Column("x\tt", "x", "text score", "", 0.25), Column("y\tt", "y", "text score", "", None)]
    cells = {
        ("a\titc", "x\tt"): Cell(0.9, 100, (0.83, 0.94)), ("b\titc", "x\tt"): Cell(0.2, 100, (0.13, 0.29)),
        ("a\titc", "y\tt"): Cell(0.5, 100, (0.4, 0.6)),
    }  # fmt: skip
    of = findings.widest(Grid(rows, columns, cells, {}))
    assert findings.heat(of, "w") == (
        "a is right on 90.0 % [83.0, 94.0] of x, b on 20.0 % [13.0, 29.0]; chance is 25.0 % (n = 100 items; text "
        "score; similarity; w)."
    )
    assert findings.widest(Grid(rows, columns, cells, {}), {"a"}).best.label == "b", "people are no model"
    row = SimpleNamespace(n=100, gain=0.7, low=0.6, high=0.8, p=1e-9)
    by_two = findings.widest(Grid(rows, columns, cells, {("a\titc", "x\tt"): "itc", ("b\titc", "x\tt"): "gen"}))
    assert findings.heat(by_two, "w", row) == (
        "a is right more often than b on x by 70.0 points [60.0, 80.0]: 90.0 % [83.0, 94.0] against 20.0 % [13.0, "
        "29.0]; chance is 25.0 % (n = 100 items; p < .001, exact paired test, images as units; the widest gap shown, p "
        "not adjusted for that; text score; similarity against generation; w)."
    )
    luck = findings.heat(by_two, "w", SimpleNamespace(n=100, gain=0.02, low=-0.05, high=0.09, p=0.6))
    assert luck.startswith(
        "a is right neither surely more nor surely less often than b on x, a difference of +2.0 points [−5.0, +9.0], "
        "within chance: 90.0 %"
    )
    few = {key: Cell(cell.value and 2 / 4, 4, (0.1, 0.9)) for key, cell in cells.items() if key[0] == "a\titc"}
    assert findings.heat(findings.widest(Grid(rows[:1], columns, few, {})), "w").startswith(
        "a is right on 2 of 4 items of "
    )
    alone = Grid(rows[:1], columns, {key: cell for key, cell in cells.items() if key[0] == "a\titc"}, {})
    assert findings.heat(findings.widest(alone), "w").startswith("a is right on ")
    assert findings.widest(Grid(rows, columns, {}, {})) is None
    assert findings.heat(None, "w") == ""


def test_where_every_column_has_one_row_the_one_furthest_from_chance_is_told() -> None:
    """As of two systems that are judged by different metrics: it took the first column."""
    rows = [Row("a\tverdict", "a", "forced choice", "#000000"), Row("b\tverdict", "b", "forced choice", "#000000")]
    columns = [Column(name, name, "accuracy", "", chance) for name, chance in (("x", 0.5), ("y", 0.25), ("z", None))]
    cells = {
        ("a\tverdict", "x"): Cell(0.9, 100, (0.83, 0.94)), ("b\tverdict", "y"): Cell(0.85, 100, (0.8, 0.9)),
    }  # fmt: skip
    found = findings.widest(Grid(rows, columns, cells, {}))
    assert (found.column.key, found.best.label, found.is_alone) == ("y", "b", True)


@pytest.mark.parametrize(
    ("gained", "low", "high", "p", "says"),
    [
        (0.2, 0.1, 0.3, 0.0004, "b is right more often than a by 20.0 points [10.0, 30.0]: 70.0 % against 50.0 %"),
        (-0.2, -0.3, -0.1, 0.0004, "b is right less often than a by 20.0 points [10.0, 30.0]: 70.0 % against 50.0 %"),
        (
            0.01,
            -0.1,
            0.1,
            0.8,
            "b is right neither surely more nor surely less often than a, a difference of +1.0 points "
            "[−10.0, +10.0], within chance: ",
        ),
        (0.0, float("nan"), float("nan"), 1.0, "b is right as often as a, a difference of 0.0 points, within chance: "),
    ],
)
def test_two_systems(gained: float, low: float, high: float, p: float, says: str) -> None:
    row = SimpleNamespace(n=100, gain=gained, low=low, high=high, holm=p, rate_a=0.5, rate_b=0.7)
    said = findings.difference("a", "b", row, ("itc", "w"))
    assert said.startswith(says)
    assert said.endswith("exact paired test, images as units; itc; w).")
    assert findings.difference("a", "b", SimpleNamespace(n=0), ()) == ""


def test_an_item_with_and_without_its_scores() -> None:
    words = ("outvoted", "uncertain")
    whole = findings.item("a/1", "m", "accuracy", False, -0.0312, "cosine", words, "Uncertain: why.", ("itc", "w"))
    assert whole.startswith("On item a/1 m is wrong, margin −0.0312 cosine (n = 1 item; ")
    assert whole.endswith("; itc; w). Uncertain: why.")
    bare = findings.item("a/1", "m", "accuracy", None, None, "cosine", words, "", ("itc",))
    assert "m has no verdict; why: uncertain (scores alone: outvoted) (n = 1 item" in bare
    assert "cosine" not in bare


def test_the_plane() -> None:
    cells = {"right": (40, 2), "outvoted_by_image": (50, 3), "no_binding": (10, 0)}
    said = findings.plane("m", Lost(100, Share(100, 80, 20, 0.6, (0.42, 0.73)), cells, 0), "itc", "all quads", "w")
    assert said == (
        "m binds at least 42.0 % of all quads (60.0 % [42.0, 73.0] beyond luck); 40.0 % are right, the largest "
        "part of the others is "
        "“outvoted by the image” (50.0 %) (n = 100 quads; similarity; w)."
    )


def test_names_bring_no_markup_and_no_formula() -> None:
    said = findings.item("s/1", "=HYPERLINK(`x`)", "group_score", True, None, "", ("", ""), "<img src=x>", ("[a](b)",))
    assert "\\`x\\`" in said
    assert "\\<img" in said
    assert "[a]\\(b)" in said
    of = bar(-0.5, -0.56, -0.43)
    assert findings.cells(replace(of, model="predictions:=1+1"), "w").startswith("'=1+1 reads")
