"""What Compare's charts give to be copied: the numbers of the tables they draw, recounted, and never a margin."""

import re

import numpy as np
import pytest

from backend.metrics.statistics import paired_bootstrap, rate
from backend.store.compare.compare import against, matrix, rates
from backend.store.compare.edit_distance import Line, Part
from backend.store.compare.texts_alone import Dot
from pages.compare import to_copy
from pages.compare.steps import Panel, Point
from pages.shared.data import findings
from tests.pages.compare.samples import made, sides

SETTING = ("itc", "accuracy", "w")


def test_the_slope_chart_counts_groups_beyond_chance() -> None:
    found = made()
    tests = against(found, "concept")
    said = to_copy.slope(tests, rates(found, "concept"), sides(), "concept", SETTING)
    real = tests[tests["holm"] <= 0.05]
    assert re.search(
        rf"is right more often than one on {(real['gain'] > 0).sum()} of 2 concepts and less often on "
        rf"{(real['gain'] < 0).sum()}, each at Holm’s p ≤ .05 over 2 exact paired tests",
        said,
    )
    assert said.endswith("(n = 2 concepts; 40 to 80 verdicts each; itc; accuracy; w).")


def test_a_slope_chart_without_a_shown_difference_says_that_alone() -> None:
    found = made()
    found.correct[:, 1] = found.correct[:, 0]
    tests = against(found, "subset")
    said = to_copy.slope(tests, rates(found, "subset"), sides(), "subset", SETTING)
    assert said == "", "one group alone: the answer over all items says it"
    found.frame["subset"] = ["a", "b"] * 60
    said = to_copy.slope(against(found, "subset"), rates(found, "subset"), sides(), "subset", SETTING)
    assert said.startswith("On none of 2 subsets a difference between ")
    found.frame["subset"] = "a"
    assert "Holm" not in to_copy.gains(tests, sides(), "subset", SETTING)


def test_of_several_sides_the_slope_chart_says_where_they_lie_apart() -> None:
    found = made(k=3)
    shown = rates(found, "concept")
    said = to_copy.slope(against(found, "concept"), shown, sides(3), "concept", SETTING)
    best = shown.loc[shown[shown["group"] == "count"]["value"].idxmax()]
    assert said.startswith("Of 2 concepts these 3 lie furthest apart on count: three is right on ")
    assert f"{100 * best['value']:.1f} % [" in said
    assert "no test of that difference" in said


def test_where_subsets_weigh_the_same_no_p_is_called_exact() -> None:
    """Failed before: such a p comes of random sign flips (`equal_weight.equal_sign_flip`)."""
    found = made()
    found.frame["subset"] = ["a"] * 40 + ["b"] * (len(found) - 40)
    pairs = matrix(found, "subsets")
    row = next(iter(against(found, "", weights="subsets").itertuples()))
    said = [
        to_copy.gains(against(found, "concept", weights="subsets"), sides(), "concept", SETTING, weighed=True),
        to_copy.matrix(pairs, sides(), SETTING, weighed=True),
        to_copy.margins(found, sides(), row, SETTING, 3, "subsets"),
        findings.difference("one", "two", row, SETTING, 3, weighed=True),
    ]
    for each in said:
        assert "paired test by random sign flips, images as units" in each, each
        assert "exact" not in each
    assert "exact" in findings.difference("one", "two", row, SETTING, 3)


def test_the_gains_name_the_largest_with_holm_s_p() -> None:
    found = made()
    tests = against(found, "concept")
    said = to_copy.gains(tests, sides(), "concept", SETTING)
    row = tests.loc[tests["gain"].abs().idxmax()]
    assert f"by {100 * abs(row['gain']):.1f} points [" in said
    assert f"(n = {row['n']} items; p" in said
    assert (
        "exact paired test, images as units, Holm over 2 differences; the largest of 2 differences by concept; itc;"
        in said
    )
    assert to_copy.gains(tests.assign(p=np.nan), sides(), "concept", SETTING) == ""


def test_the_matrix_says_what_differs_most_and_who_judges_alike() -> None:
    pairs = matrix(made(k=3))
    said = to_copy.matrix(pairs, sides(3), SETTING)
    row, alike = pairs.loc[pairs["gain"].abs().idxmax()], pairs.loc[pairs["kappa"].idxmax()]
    assert f"by {100 * abs(row['gain']):.1f} points [" in said
    assert f"judge most alike: κ = {alike['kappa']:.2f} [" in said
    assert f"{100 * alike['agreement']:.1f} % of verdicts; {(pairs['holm'] <= 0.05).sum()} of 3 pairs differ" in said


def test_the_plane_of_margins_says_verdicts_and_no_margin() -> None:
    found = made()
    row = against(found, "").iloc[0]
    said = to_copy.margins(found, sides(), row, SETTING)
    a, b = found.correct.T
    apart = rate(a != b)
    low, high = apart.ci95 or (0, 0)
    assert f"disagree on {100 * np.mean(a != b):.1f} % [{100 * low:.1f}, {100 * high:.1f}] of their verdicts" in said
    assert f"{100 * np.mean(a & ~b):.1f} % are right under one alone" in said
    assert f"{100 * np.mean(~a & ~b):.1f} % under neither" in said
    assert "margin" not in said
    assert said.endswith("exact paired test, images as units, of an even split between the two; itc; accuracy; w).")


def test_the_shares_of_the_plane_weigh_subsets_the_same_where_the_page_does() -> None:
    """4 verdicts of one subset, 1 of the other: A alone has 1 of the 4 right, B alone the single one."""
    found = made(5)
    found.frame["subset"] = ["large"] * 4 + ["small"]
    found.correct[:] = [[True, False], [True, True], [True, True], [True, True], [False, True]]
    row = against(found, weights="subsets").iloc[0]
    said = to_copy.margins(found, sides(), row, SETTING, weights="subsets")
    assert "disagree on 62.5 %" in said  # (1/4 + 1) / 2
    assert "12.5 % are right under one alone, 50.0 % under" in said
    assert "37.5 % under both, 0.0 % under neither" in said
    alike = to_copy.margins(found, sides(), row, SETTING)
    assert "disagree on 2 of their 5 verdicts: 1 of 5 are right under one alone" in alike


@pytest.mark.parametrize(
    ("share", "says"),
    [(0.9, "more often by"), (0.1, "less often by"), (0.5, "as often by"), (0.52, "neither surely more nor surely")],
)
def test_texts_alone_names_the_dot_furthest_from_the_diagonal(share: float, says: str) -> None:
    read = np.arange(100) < 50
    seen = np.arange(100) < 100 * share
    dot = Dot("m", "itc", "s", rate(read), rate(seen), paired_bootstrap(seen, read, np.arange(100)))
    said = to_copy.texts_alone([dot], "w")
    assert says in said
    assert (
        f"{100 * share:.1f} % against 50.0 %; guessing is a third (n = 100 triplets; no test; similarity; w)." in said
    )
    assert to_copy.texts_alone([], "w") == ""


def test_the_edit_distance_curve_says_both_of_its_ends() -> None:
    parts = (Part(-9, 0, -4, rate([True] * 80 + [False] * 20)), Part(1, 9, 4, rate([True] * 30 + [False] * 70)))
    flat = (parts[0], Part(1, 9, 4, rate([True] * 79 + [False] * 21)))
    said = to_copy.edit_distance([Line("flat", flat), Line("m", parts)], "w")
    assert said.startswith("T2T accuracy of m is 80.0 % [71.1, 86.7] where the edit-distance gap is −9 to 0 characters")
    assert (
        "and 30.0 % [21.9, 39.6] where it is 1 to 9; guessing is a third (n = 100 triplets; of 2 models the one" in said
    )
    assert to_copy.edit_distance([Line("m", parts[:1])], "w") == ""


def test_checkpoints_say_the_panel_that_changes_most() -> None:
    def panel(name: str, *values: float) -> Panel:
        points = [Point(100.0 * k, value, value - 0.1, value + 0.1, "#000", "") for k, value in enumerate(values)]
        return Panel(name, points)

    known = [panel("Flat", 0.5, 0.5), panel("Relation", 0.2, 0.4, 0.6)]
    assert to_copy.steps(known, "mine", "the rate", ("itc", "w"), True) == (
        "Over mine the rate of Relation goes from 20.0 % [10.0, 30.0] at step 0 to 60.0 % [50.0, 70.0] at step 200 "
        "(n = 3 checkpoints; of 2 panels the one that changes most; no test; itc; w)."
    )
    assert "from 0.20 [0.10, 0.30] at step 0 to 0.60 [0.50, 0.70]" in to_copy.steps(known, "mine", "α*", ("w",))
    assert to_copy.steps([panel("One", 0.5)], "mine", "α*", ()) == ""
