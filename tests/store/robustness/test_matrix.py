"""The tests of a matrix of edits and models are corrected together."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from backend.metrics.paired import flips
from backend.metrics.paired.multiplicity import holm
from backend.metrics.statistics import Rate
from backend.store.robustness.matrix import Cell, adjusted, cell


def of(before, after, clusters=None):
    frame = pd.DataFrame({"was": before, "now": np.asarray(after, float), "seed": 0, "hash": "h", "edition": "e"})
    frame["cluster"] = np.arange(len(frame)) if clusters is None else clusters
    return cell(frame, "m", "itc", "x", "headline")


def test_p_is_adjusted_over_all_cells_that_have_one():
    rng = np.random.default_rng(0)
    was = np.ones(80)
    cells = [of(was, rng.random(80) > drop) for drop in (0.02, 0.05, 0.3)]
    foils = Cell("m", "itc", "y+as_foils", ("e",), flips.NOTHING, None, (0.7,), Rate(0.7, 50, 0, (0.6, 0.8)))
    found = adjusted([*cells, foils])
    assert found[3].holm is None
    assert [one.holm for one in found[:3]] == pytest.approx(holm([one.p for one in cells]))
    assert [one.column for one in found] == ["x", "x", "x", "y+as_foils"]
    assert found[2].holm < 1e-4


def test_the_test_of_a_cell_is_exact_and_takes_clusters():
    was, now = np.ones(60), np.repeat([0.0, 1.0], [12, 48])
    assert of(was, now).p == pytest.approx(binomtest(12, 12).pvalue)
    assert of(was, now, np.arange(60) // 4).p == pytest.approx(binomtest(3, 3).pvalue)


@pytest.mark.long
def test_forty_cells_without_any_effect_find_one_in_a_twentieth_of_the_matrices():
    rng = np.random.default_rng(1)
    plain = corrected = 0
    for _ in range(40):
        was = rng.random((40, 300)) < 0.7
        now = was ^ (rng.random((40, 300)) < 0.6) & (rng.random((40, 300)) < np.where(was, 0.3, 0.7))
        cells = adjusted([of(*pair) for pair in zip(was.astype(float), now.astype(float), strict=True)])
        plain += any(one.p <= 0.05 for one in cells)
        corrected += any(one.holm <= 0.05 for one in cells)
    assert plain / 40 > 0.6
    assert corrected / 40 <= 0.15
