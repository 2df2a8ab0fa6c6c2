"""What Robustness' tables and relative drops give to be copied."""

from backend.metrics.paired import flips
from backend.metrics.statistics import Rate
from backend.store.robustness.matrix import Cell
from backend.store.robustness.relative import Drop
from pages.robustness import to_copy
from pages.robustness.view import Column

LISTED = [Column(key, key.title(), "preserving", "f", "ours", 1, None) for key in ("x", "y")]
WHERE = ("accuracy", "all subsets", "w")


def cell(column: str, lost: int, p: float = 0.001, model: str = "m") -> Cell:
    return Cell(model, "itc", column, ("e",), flips.change([1] * 200, [0] * lost + [1] * (200 - lost)), None, (), p=p)


def test_a_table_speaks_of_its_certainly_largest_loss() -> None:
    said = to_copy.table([cell("x", 10), cell("y", 60)], LISTED, "drop", WHERE)
    assert said.startswith("Y makes m right less often by 30.0 points [")
    assert "100.0 % before, 70.0 % after (n = 200 verdicts; p = .001, exact sign-flip test, images as units; " in said
    assert said.endswith(
        "of 2 cells the one with the largest loss by its interval, p not adjusted for that; similarity; accuracy; all "
        "subsets; w)."
    )
    assert to_copy.table([], LISTED, "drop", WHERE) == ""


def test_other_measures_are_rates_without_a_test() -> None:
    said = to_copy.table([cell("x", 10), cell("y", 60)], LISTED, "lost", WHERE)
    assert said.startswith(
        "Y turns 30.0 % [24.1, 36.7] from right to wrong of the verdicts of m (n = 200 verdicts; of 2 "
    )
    assert "no test" in said
    assert to_copy.table([cell("x", 10)], LISTED, "flipped", WHERE).startswith("X flips 5.0 % [")


def test_captions_against_their_edits_and_sums_of_recalls() -> None:
    foils = [
        Cell("m", "itc", key, ("e",), flips.NOTHING, None, (share,), Rate(share, 50, 0, (share - 0.1, share + 0.1)))
        for key, share in (("x", 0.7), ("y", 0.4))
    ]
    said = to_copy.table(foils, LISTED, "flipped", WHERE)
    assert said.startswith("Under m the caption wins over its own edit (Y) in 40.0 % [30.0, 50.0], by guessing in 50 %")
    assert "of 2 cells the one where captions win least by its interval" in said
    sums = flips.sum_change([1.0, 0.0] * 40, [0.0, 0.0] * 40, ["recall"] * 80, [f"i{k}" for k in range(80)])
    told = to_copy.table([Cell("m", "itc", "x", ("e",), flips.NOTHING, sums, (), p=0.004)], LISTED, "drop", WHERE)
    assert told.startswith("X changes the sum of all recalls of m by −50.0 points [")
    assert "p = .004, sign flips" in told


def test_the_relative_drop_that_is_certainly_largest() -> None:
    wide, sure = (
        Drop("w", "a", "itc", "x", 9, 0.5, 0.9, (-0.2, 1.0)),
        Drop("w", "b", "itc", "y", 400, 0.5, 0.4, (0.3, 0.5)),
    )
    said = to_copy.drops([wide, sure, Drop("w", "c", "itc", "x", 4, 0.0, None, None)], {"y": "typo"})
    assert said.startswith(
        "Of the verdicts that b has right before, typo costs 40.0 % [30.0, 50.0] (n = 400 verdicts; of 2 "
    )
    assert to_copy.drops([], {}) == ""
