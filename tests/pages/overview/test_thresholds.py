"""The threshold chart's finding."""

import numpy as np

from backend.metrics.thresholds import threshold, threshold_curve
from pages.overview import thresholds


def test_it_says_both_rates_at_the_threshold_the_area_and_that_the_best_is_chosen_here() -> None:
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-rng.normal(size=(120, 2)) - np.array([1.0, -0.5])))
    rates, curve = threshold(p, at=0.4), threshold_curve(p)
    assert curve is not None
    said = thresholds.to_copy(rates, curve, 0.4, ("m", "Counting", "matching", "w"))
    accepted, rejected = np.mean(p[:, 0] > 0.4), np.mean(p[:, 1] <= 0.4)
    area = np.mean(p[:, :1] > p[:, 1][None, :])
    assert said.startswith(f"At a threshold of 0.40 m accepts {100 * accepted:.1f} % [")
    assert f"of the true captions of Counting and rejects {100 * rejected:.1f} % [" in said
    assert f"on average {50 * (accepted + rejected):.1f} % [" in said
    assert f"the AUROC is {area:.3f}, and the highest mean, chosen on these very items, " in said
    assert said.endswith("(n = 120 items; judged one caption at a time; matching; w).")
    assert thresholds.to_copy({}, curve, 0.4, ("m", "Counting", "matching", "w")) == ""
