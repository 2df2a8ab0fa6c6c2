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
