"""One default rule for log P(t), live as in stored results: a blind model, else sampled images, noise last."""

import doctest

from backend.live.scoring import pool, priors
from backend.live.scoring.scoring import score
from backend.models import kinds_of
from backend.store.build.stored_run import rank
from tests.live.scoring.test_scoring import IMAGES, TEXTS


def test_examples() -> None:
    assert doctest.testmod(priors).failed == 0


def test_the_default_is_that_of_stored_results() -> None:
    """Failed before: noise first."""
    blind = [spec for spec in pool.available() if "prior" in kinds_of(spec) and "gen" not in kinds_of(spec)]
    offered = priors.sources(blind)
    assert offered[0] == "lm:bundled:lm"
    assert offered == sorted(offered, key=rank)
    assert priors.sources([]) == [priors.WORLD_IMAGES, priors.NOISE]


def test_an_item_that_is_asked_has_no_prior_computed() -> None:
    """Its verdicts are at α = 0: null images would be scored for nothing."""
    found = score(pool.Pool(), "fake:ok", IMAGES, TEXTS, "")
    assert found.problem == ""
    assert found.gen_tokens
    assert found.prior is None
