"""Which benchmarks order models alike: the numbers against scipy, and what is claimed of them."""

import numpy as np
import pytest
from scipy import stats

from backend.published.atlas import measures
from backend.published.atlas.reading import Atlas
from pages.atlas import correlation, data, view
from pages.atlas.view import View
from tests.pages.atlas.conftest import X, Y
from tests.published.atlas import made


def test_correlations_are_scipys_and_the_sentence_names_the_extremes(atlas: Atlas) -> None:
    chosen = correlation.chosen(correlation.BENCHMARKS)
    assert len(chosen) == 15
    found = data.correlations(atlas, chosen, None)
    values = np.column_stack([each.of(atlas) for each in chosen])
    assert found.rho == pytest.approx(stats.spearmanr(values).statistic)
    assert (found.n, found.clusters) == (len(made.ENTRIES), 5)
    said = correlation.sentence(found)
    off = np.where(np.eye(15, dtype=bool), np.nan, found.rho)
    for pick in (np.nanargmax, np.nanargmin):
        a, b = np.unravel_index(pick(off), off.shape)
        assert correlation.short(chosen[a]) in said
        assert correlation.short(chosen[b]) in said
    opened = sum(not (found.low[a, b] > 0 or found.high[a, b] < 0) for a in range(15) for b in range(a + 1, 15))
    assert f"Of 105 pairs, {opened} " in said
    copied = correlation.to_copy(found)
    assert copied.startswith(said.partition(". Of ")[0])
    assert f"; of 105 pairs, {opened} " in copied
    assert (
        f"(n = {len(made.ENTRIES)} models; Spearman’s ρ of published rates; 95 % intervals by leaving out "
        "whole families, 5; " in copied
    )
    html = correlation.html(found)
    assert html.count("<tr>") == 16
    assert html.count("○") == 2 * opened
    less = data.correlations(atlas, chosen, measures.measures()[measures.TASKS])
    assert len(less.measures) == 14
    assert measures.TASKS not in {each.key for each in less.measures}


@pytest.mark.parametrize(
    ("low", "high", "claimed", "not_claimed"),
    [
        (-0.03, 0.55, "in orders that are not told from unrelated, ρ = 0.41 [−0.03, 0.55]", "alike"),
        (0.0, 0.55, "in orders that are not told from unrelated", "alike"),
        (0.02, 0.55, "alike to ρ = 0.41 [0.02, 0.55]", "unrelated"),
        (-0.8, -0.1, "the other way round, ρ = 0.41", "alike"),
        (np.nan, np.nan, "in orders that are not told from unrelated, ρ = 0.41", "alike"),
    ],
)
def test_agreement_is_claimed_only_where_the_interval_leaves_out_0(
    atlas: Atlas, low: float, high: float, claimed: str, not_claimed: str
) -> None:
    ends = [np.full((2, 2), end) for end in (low, high)]
    found = data.Correlations((X, Y), np.full((2, 2), 0.41), ends[0], ends[1], (0, 1), 202, 15)
    for said in (view.together(found), view.to_copy(View(X, Y), atlas, found)):
        assert claimed in said
        assert not_claimed not in said
    assert (correlation.sentence(found).count("1 is not to be told") == 1) == (
        not_claimed == "alike" and not low < -0.5
    )


def test_every_choice_of_columns_can_be_correlated(atlas: Atlas) -> None:
    for of in correlation.choices():
        chosen = correlation.chosen(of)
        assert len(chosen) == len({each.key for each in chosen}) >= 3
    assert correlation.chosen("sugarcrepe")[-1].key == measures.TASKS
