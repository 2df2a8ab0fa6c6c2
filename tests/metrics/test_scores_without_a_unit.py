"""Kind `score`: higher is better and nothing else is assumed."""

import numpy as np
import pytest

from backend.kinds import ASKED, PAIR_KINDS, PROBABILITIES, SPOKEN, Kind
from backend.metrics import eqsim
from backend.metrics.core.registry import METRICS
from backend.metrics.reasons.scales import on_scale
from backend.models import load


def test_no_model_of_ours_is_asked_for_it():
    assert Kind.SCORE in PAIR_KINDS
    assert Kind.SCORE not in {*ASKED, *PROBABILITIES, *SPOKEN}
    assert Kind.SCORE not in load("fake:ok").kinds


def test_it_has_rates_and_no_threshold():
    judged = {metric.name for metric in METRICS if Kind.SCORE in metric.kinds}
    assert {"text_score", "image_score", "group_score", "accuracy"} <= judged
    assert not {"pc", "pf", "threshold_accuracy", "auroc"} & judged
    assert Kind.SCORE.info.no_threshold


def test_its_scale_is_its_own():
    found = on_scale([3.0, -40.0], "score")
    assert (found.name, found.values.tolist(), found.saturated) == ("as they come", [3.0, -40.0], 0)


def test_deviations_know_no_unit_but_the_spread_of_the_subset():
    s = np.array([[[4.0, 2.0], [1.0, 8.0]], [[3.0, 3.0], [3.0, 5.0]], [[np.nan, 1.0], [2.0, 3.0]]])
    subsets = ["a", "a", "a"]
    for scale in (1.0, 1000.0):
        spread = eqsim.in_spreads(scale * s, subsets)
        np.testing.assert_allclose(spread, s / np.std(s[:2]))
    assert np.isnan(eqsim.in_spreads(np.ones((2, 2, 2)), ["a", "b"])).all()
    with pytest.raises(ValueError, match="kind must be itc, itm, gen or vqa"):
        eqsim.normalise(s, "score", "softmax-cells")
