"""What the Atlas says of its plane: the front, both axes, who is highest, how fine an axis is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from backend.published.atlas import measures
from backend.published.atlas.reading import Atlas
from pages.atlas import data, view
from pages.atlas.data import Own
from pages.atlas.view import View
from tests.pages.atlas.conftest import X, Y


def test_the_best_stars_are_those_that_none_beats() -> None:
    own = [(Own(f"m{k}", "itc"), x, y) for k, (x, y) in enumerate([(1.0, 1.0), (9.0, 2.0), (2.0, 9.0), (8.0, 1.0)])]
    assert sorted(view.best_stars(own, 2)) == [1, 2]
    assert view.best_stars(own, 3)[2] == 3
    assert view.best_stars([], 3) == []


def test_the_front_is_said_with_its_n(atlas: Atlas) -> None:
    shown = View(X, Y)
    rows = view.front(shown, atlas)
    points = view.points(shown, atlas)
    assert (np.diff(points[rows, 0]) >= 0).all()
    assert (np.diff(points[rows, 1]) <= 0).all()
    said = view.said(shown, atlas)
    assert f"{len(rows)} of {len(atlas.entries)}" in said
    assert atlas.entries[rows[0]].name in said
    only = view.said(replace(shown, families=("MobileCLIP",)), atlas)
    assert "stands 1 of 1: MobileCLIP-B-LT datacomp-dr." in only


def test_both_axes_are_copied_with_what_they_rest_on(atlas: Atlas) -> None:
    one, other = X, Y
    found = data.correlations(atlas, (one, other), None)
    said = view.to_copy(View(one, other), atlas, found)
    rho = stats.spearmanr(one.of(atlas), other.of(atlas)).statistic
    assert f"alike to ρ = {rho:.2f}".replace("-", "−") in said
    assert f"(n = {len(atlas.entries)} models; Spearman; 95 % interval by leaving out whole families, 5; " in said
    alone = view.to_copy(View(one, one), atlas, None)
    best = int(np.argmax(one.of(atlas)))
    assert f"{atlas.entries[best].name} has the highest rate in {one.title}: {one.of(atlas)[best]:.1f} % [" in alone
    assert "not tested against the next ones" in alone


def test_models_that_share_the_highest_rate_are_counted(atlas: Atlas) -> None:
    rates = atlas.rates.copy()
    rates[:, atlas.column["winoground::text"]] = 25.0
    said = view.to_copy(View(X, X), replace(atlas, rates=rates), None)
    assert f"{atlas.entries[0].name} and {len(atlas.entries) - 1} others have the highest rate" in said


def test_how_fine_an_axis_is_is_said(atlas: Atlas) -> None:
    said = view.precision(View(X, measures.measures()[measures.TASKS]), atlas)
    assert "Across: n = 400 items" in said
    assert "Up: each task once; its sampling error cannot be told" in said
    low, high = data.ends(X, 50.0) or (0, 0)
    assert (low, high) == pytest.approx((45.12, 54.88), abs=0.01)  # Wilson, 200 of 400
    assert data.ends(measures.measures()[measures.TASKS], 50.0) is None


def test_what_is_drawn_of_some_families_is_said_beside_numbers_of_all(atlas: Atlas) -> None:
    found, some = data.correlations(atlas, (X, Y), None), View(X, Y, families=("MobileCLIP",))
    assert "families that are not drawn are counted, too" in view.together(found, some)
    assert "families that are not drawn are counted, too" in view.to_copy(some, atlas, found)
    assert "not drawn" not in view.together(found, View(X, Y)) + view.to_copy(View(X, Y), atlas, found)
    assert "No other drawn model" in view.said(some, atlas)
    assert "No other published model" in view.said(View(X, Y), atlas)


def test_why_a_chosen_star_is_not_in_the_plane_is_said() -> None:
    rates = {"winoground::text": (40.0, None), "winoground::image": (10.0, None)}
    own = [Own("m", "itc", "", rates), Own("p", "score", data.PEOPLE, rates), Own("half", "itc", "", {})]
    seen = View(X, Y)
    assert view.missing(seen, own[0], own, "m") == ""
    assert "left out" in view.missing(replace(seen, stars=False), own[0], own, "m")
    assert "unless the sidebar says so" in view.missing(seen, own[1], own, "people")
    assert view.missing(replace(seen, people=True), own[1], own, "people") == ""
    assert "no rate of both axes" in view.missing(seen, own[2], own, "half")


def test_a_run_can_stand_only_where_both_axes_are_measured_here() -> None:
    assert view.can_stand(View(X, Y))
    assert not view.can_stand(View(X, measures.measures()[measures.TASKS]))
