"""How many verdicts batching could turn over: counted beside ties, with bounds, and said where it is from."""

import json

import numpy as np
import pytest

from backend.store.build.stored_run import StoredRun
from backend.store.rates import shares
from backend.store.scores import noise
from backend.store.scores.noise import Noise
from backend.store.scores.setting import Setting


class Recorded:
    """A store that knows one run's record."""

    def __init__(self, record):
        self.record = record

    def cached(self, _key, make):
        return make()

    def run(self, run_id):
        return StoredRun(self, run_id)

    def execute(self, *_):
        return self

    def fetchall(self):
        return [(json.dumps(self.record),)]


def bound(record, setting, metric="accuracy"):
    return noise.noise_of(Recorded(record), "r", setting).of(metric)


def test_a_measurement_goes_before_what_is_assumed():
    model = {"family": "dual-hf", "dtype": "float32"}
    measured = {"model": model, "batching": {"itc": {"difference": 3e-3, "n": 8}, "gen": {"difference": 0.5,
                "per_token": 0.01, "n": 8}}}  # fmt: skip
    assert bound(measured, Setting("itc")) == 6e-3
    assert bound(measured, Setting("gen")) == 0.02
    assert bound(measured, Setting("gen", norm="sum")) == 1.0
    assert bound(measured, Setting("itm")) == 2e-5
    assert bound({"model": model}, Setting("itc")) == 2e-6
    assert bound({"model": model}, Setting("itc"), "i2t_recall_at_1") == 2e-4
    assert bound({"model": model | {"dtype": "bfloat16"}}, Setting("itc")) == 2e-2
    assert "assumed for float32" in noise.noise_of(Recorded({"model": model}), "r", Setting("itc")).source
    assert "measured" in noise.noise_of(Recorded(measured), "r", Setting("itc")).source


def test_a_measured_zero_is_not_believed():
    record = {"model": {"dtype": "float32"}, "batching": {"itc": {"difference": 0.0, "n": 8}}}
    assert bound(record, Setting("itc")) == 2 * noise.STEP


@pytest.mark.parametrize("family", ["predictions", "endpoint"])
def test_of_scores_made_elsewhere_nothing_is_pretended(family):
    assert bound({"model": {"family": family, "dtype": None}}, Setting("itc")) is None


def test_verdicts_have_no_such_margin():
    assert bound({"model": {"dtype": "float32"}}, Setting("verdict")) is None


def test_an_order_blind_model_is_bounded_on_both_sides():
    """The planted case: of 1,040 margins 520 are float dust around 0, 300 are wrong and 220 right beyond doubt."""
    rng = np.random.default_rng(0)
    dust = rng.choice([-3e-7, -1e-7, 0.0, 1e-7, 3e-7], 520)
    margin = np.concatenate([dust, np.full(300, -0.1), np.full(220, 0.1)])
    found = shares.within(margin, Noise(1e-6, None, "").of("accuracy"))
    assert found == shares.Within(520, 220 / 1040, 740 / 1040)
    assert shares.within(margin, None) is None
    strict = (margin > 0).mean()
    assert found.lowest < strict < found.highest
