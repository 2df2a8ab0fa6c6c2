"""Compare's picture: labels, dots, gains and panels."""

import itertools
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from backend.store.compare.compare import Side, against, matrix, rates
from backend.store.queries import Setting, Shared
from pages.compare import matrix as compare_matrix
from pages.compare import scatter, steps, summary, view
from pages.compare import table as compare_table
from pages.compare.picture import draw
from pages.compare.picture import view as picture
from pages.compare.sides import Named
from pages.shared.drawing import colours, signs
from tests.pages.compare.samples import ODD, made, sides
from tests.pages.scripts import Script


@pytest.mark.parametrize("seed", range(5))
def test_labels_keep_their_distance_their_order_and_the_frame(seed: int) -> None:
    wanted = np.random.default_rng(seed).random(9).round(2).tolist()
    placed = view.apart(wanted, 0.08, 0.0, 1.0)
    ordered = sorted(placed)
    assert min(b - a for a, b in itertools.pairwise(ordered)) >= 0.08 - 1e-6
    assert ordered[0] >= 0
    assert ordered[-1] <= 1 + 1e-9
    assert [wanted[k] for k in np.argsort(placed, kind="stable")] == sorted(wanted)
    assert view.apart([0.1, 0.5], 0.08, 0, 1) == [0.1, 0.5]
    assert view.apart([0.5] * 30, 0.2, 0.0, 1.0)[-1] == pytest.approx(1.0)


def test_every_mark_of_a_model_has_its_form() -> None:
    """All sides were drawn as circles: a square and a circle of one hue looked alike."""
    script = Script("compare/picture/picture.js")
    for forms in ("CORNERS", "GLYPHS"):
        assert sorted(script(f"Object.keys({forms})")) == sorted(filter(None, colours.SHAPES))


def drawn(found: Shared, named: tuple[Named, ...], by: str = "concept") -> dict[str, Any]:
    table = against(found, by)
    return picture.picture(rates(found, by), table, named, by, picture.spoken(table, named, by))


def test_the_picture_draws_the_numbers_of_the_table() -> None:
    found = made()
    table, shares, spec = against(found, "concept"), rates(found, "concept"), drawn(made(), sides())
    rows = {row["key"]: row for row in spec["gains"]}
    for row in table.to_dict("records"):
        one = rows[row["group"]]
        assert (one["gain"], one["low"], one["high"]) == (row["gain"], row["low"], row["high"])
        assert one["sure"] == (row["holm"] <= 0.05)
        assert f"n = {row['n']:,}" in str(spec["lines"])
    assert [group["key"] for group in spec["groups"]] == view.by_gain(table) == ["count", ODD]
    assert rows["count"]["at"] == 0
    assert sorted(p["value"] for line in spec["lines"] for p in line["points"]) == sorted(shares["value"])
    assert {line["sure"] for line in spec["lines"] if line["key"] == "count"} == {True}
    assert spec["reach"] >= max(abs(row["gain"]) for row in spec["gains"])
    assert "1 within chance" in spec["alt"]
    json.dumps(spec)  # what the component gets is plain data


def test_of_several_models_each_gain_has_its_own_mark_and_no_line_a_direction() -> None:
    spec = drawn(made(k=3), sides(3))
    assert {row["other"] for row in spec["gains"]} == {0, 1}
    assert all(row["model"] for row in spec["gains"])
    assert {line["colour"] for line in spec["lines"]} == {signs.QUIET}
    assert all(len(line["points"]) == 3 for line in spec["lines"])


def test_panels_over_steps_stand_where_their_numbers_are() -> None:
    points = [steps.Point(s, v, v - 0.1, v + 0.1, "#000", f"{ODD} {v}") for s, v in ((10, 0.2), (30, 0.6))]
    html = steps.grid([steps.Panel(ODD, points, 0.25)], 0, 1, percent=True, unit="right")
    assert html.count("<circle") == 2
    assert "<b>" not in html
    assert 'class="cmp-chance"' in html
    assert steps.grid([], 0, 1, percent=True, unit="x") == ""


def test_the_legend_is_true_of_charts_that_stand_below_each_other_and_names_what_a_group_mixes() -> None:
    assert not re.search("left|right", draw.legend("concept", 3), re.IGNORECASE)
    frame = pd.DataFrame({"metric": ["group_score", "accuracy", "i2t_accuracy"]})
    assert draw.mixed(frame, "concept") == "quads, choices and triplets"
    assert draw.mixed(frame, "subset") == draw.mixed(frame[:1], "concept") == ""


@pytest.mark.parametrize("reach", [0.004, 0.03, 0.12, 0.61, 1.0])
def test_the_axis_of_gains_has_few_round_steps_around_zero(reach: float) -> None:
    found = Script("compare/picture/picture.js")("steps(a)", reach)
    assert 0 in found
    assert found == [-step for step in reversed(found)]
    assert 1 <= len(found) <= 5
    assert max(found) <= 100 * reach


def test_long_names_are_shortened_in_the_picture_and_every_name_leads_to_its_page() -> None:
    long = "one" + "x" * 120 + "end"
    named = (Named("itc a", ODD, Side("a", Setting("itc")), ODD, "#0072b2", ODD),
             Named("itc b", long, Side("b", Setting("itc")), long, "#0072b2", "small"))  # fmt: skip
    found = made()
    tests, rated = against(found, "concept"), rates(found, "concept")
    drawn = picture.picture(rated, tests, named, "concept", "")
    assert drawn["sides"][1]["label"].startswith("B · onexxx")
    assert drawn["sides"][1]["label"].endswith("xxxend")
    assert len(drawn["sides"][1]["label"]) < 32
    assert (drawn["left"], drawn["right"]) == (f"← {ODD} is better", "B is better →")
    said = str(summary.html(against(found), rates(found), named))
    table = str(compare_table.html(tests, (*named, named[0]), "concept"))
    pairs = str(compare_matrix.html(matrix(found), named))
    for html in (said, table, pairs):
        assert f'href="model?model={long}&amp;benchmark=small" target="_self">{long}</a>' in html
        assert ODD not in html
    assert f'">{escape(ODD)}</a>' in said


def test_a_loss_is_painted_as_a_loss() -> None:
    found = made()
    worse = Shared(found.frame, found.correct[:, ::-1], found.margin[:, ::-1], found.judged, ())
    for judged, colour, mark in ((found, signs.GAIN, signs.UP), (worse, signs.LOSS, signs.DOWN)):
        table = against(judged, "concept")
        spec = drawn(judged, sides())
        (row,) = (row for row in spec["gains"] if row["key"] == "count")
        assert (row["colour"], row["mark"]) == (colour, mark)
        (open_,) = (row for row in spec["gains"] if row["key"] == ODD)
        assert (open_["colour"], open_["mark"]) == (signs.QUIET, signs.OPEN), "within chance there is no direction"
        assert {line["colour"] for line in spec["lines"] if line["key"] == "count"} == {colour}
        look, other = ("fs-gain", "fs-loss") if colour == signs.GAIN else ("fs-loss", "fs-gain")
        html = compare_table.html(table, sides(), "concept")
        assert html.count(look) == 1
        assert other not in html
        pairs = str(compare_matrix.html(matrix(judged), sides()))
        assert signs.balance(1.0 if colour == signs.GAIN else 0.0)[0] in pairs
    plane = scatter.plane(found, sides(), False, (1.0, 1.0))
    assert [mark.colour for mark in plane.marks][2:] == [signs.LOSS, signs.GAIN]


def test_by_two_rules_nothing_is_anybodys_gain() -> None:
    """“← coin · itc is better” and vermilion stood over a side whose answers were right more often, one by one."""
    found, named = made(), sides()
    table = against(found, "concept")
    said = picture.spoken(table, named, "concept", {1})
    spec = picture.picture(rates(found, "concept"), table, named, "concept", said, {1})
    (sure,) = (row for row in spec["gains"] if row["sure"])
    assert sure["mark"] == "■"
    assert sure["tip"].endswith("by two rules, so nobody’s gain")
    assert {row["colour"] for row in (*spec["gains"], *spec["lines"])} == {signs.QUIET}
    assert (spec["left"], spec["right"]) == ("← one is higher", f"{ODD} is higher →")
    assert "gained" not in spec["alt"]
    assert "right more often on" in spec["alt"]
    legend = draw.legend("concept", 2, {1})
    assert "gained" not in legend
    assert "■ grey: beyond chance, but by two rules, so nobody’s gain" in legend
    assert "fs-gain" not in str(compare_table.html(table, named, "concept", {1}))
    pairs = matrix(found)
    assert "■ " in str(compare_matrix.html(pairs, named, ("", "in every order")))
    assert "■" not in str(compare_matrix.html(pairs, named, ("in every order", "in every order")))
