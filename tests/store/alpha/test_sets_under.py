"""Sets of alpha of the same scores under many priors: to the bit what `sets_of` gives for each."""

import numpy as np
import pytest

from backend.protocols import Protocol
from backend.store.alpha.curves import sets_of, sets_under

N = 500
TEXTS = np.full(N, 2)
WHOLE = {Protocol.QUAD: (2, 2), Protocol.CHOICE: (3,), Protocol.TRIPLET: (3,)}


def scores(protocol: Protocol, seed: int, *, prior: bool = False) -> np.ndarray:
    """With ties, and with infinite and missing ones."""
    shape = WHOLE[protocol][-1:] if prior else WHOLE[protocol]
    found = np.random.default_rng(seed).normal(size=(N, *shape)).round(1)
    flat = found.reshape(-1)
    flat[::97], flat[5::101], flat[3::89] = np.nan, -np.inf, np.inf
    return found


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("protocol", WHOLE)
def test_one_prior_after_the_other(protocol: Protocol, finite: bool) -> None:
    gen = scores(protocol, 0)
    texts = np.full(N, WHOLE[protocol][-1])
    for metric in sets_of(protocol, gen, scores(protocol, 1, prior=True), texts):
        of = sets_under(protocol, metric, gen, texts)
        for seed in range(1, 6):
            prior = scores(protocol, seed, prior=True)
            prior = np.nan_to_num(prior, posinf=2.0, neginf=-2.0) if finite else prior
            found, wanted = of(prior), sets_of(protocol, gen, prior, texts)[metric]
            assert np.array_equal(found.lo, wanted.lo, equal_nan=True)
            assert np.array_equal(found.hi, wanted.hi, equal_nan=True)
            assert found.note == wanted.note
            assert 0 < found.defined.sum() < N


def test_the_image_side_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from backend.metrics import alpha

    asked = []
    before = alpha.intervals_quad_image
    monkeypatch.setattr(alpha, "intervals_quad_image", lambda *more: (asked.append(1), before(*more))[1])
    of = sets_under(Protocol.QUAD, "group_score", scores(Protocol.QUAD, 0), TEXTS)
    for seed in range(4):
        of(np.random.default_rng(seed).normal(size=(N, 2)))
    assert len(asked) == 1
