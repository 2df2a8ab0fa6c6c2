import numpy as np
import pytest
from scipy.special import expit

from backend.metrics.reasons.scales import CLIP, declared, on_scale


def test_each_kind_has_its_scale():
    scores = np.array([[0.2, -40.0]])
    assert on_scale(scores, "itc").values.tolist() == scores.tolist()
    found = on_scale(scores, "vqa")
    assert (found.name, found.saturated) == ("log-odds", 1)
    assert expit(found.values[0, 1]) == pytest.approx(CLIP)
    assert on_scale([[-6.0, -6.0]], "gen", [[2, 3]], "paper-score").values.tolist() == [[-3.0, -2.0]]
    assert on_scale([[-6.0]], "gen", norm="sum").values.tolist() == [[-6.0]]
    assert np.isnan(on_scale([[-6.0]], "gen", [[0]]).values).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: on_scale([0.0], "t2t"), "kind must be"),
        (lambda: on_scale([0.0], "gen"), "needs n_tokens"),
        (lambda: on_scale([0.0], "gen", [1], "mean"), "norm must be"),
        (lambda: declared([2.0], "probability"), "declared a probability"),
        (lambda: declared([2.0], "logit"), "'probability' or 'as is'"),
    ],
)
def test_what_has_no_scale_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_declared_probabilities_become_log_odds():
    found = declared([0.0, 0.25, 1.0, np.nan], "probability")
    assert found.saturated == 2
    assert found.values[1] == pytest.approx(np.log(1 / 3))
    assert found.values[0] == pytest.approx(-found.values[2])
    assert np.isnan(found.values[3])
