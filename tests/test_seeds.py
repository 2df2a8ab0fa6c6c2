"""Seeds that cannot be used, or not be read back, are refused wherever they are named."""

import pytest

from backend.engine.inputs.selection import Selection
from backend.errors import UsageError
from backend.seeds import MOST_SEED, check_seed
from backend.verbs.perturb import _wanted
from backend.verbs.run import MOST_STEP, checkpoint_of


@pytest.mark.parametrize("seed", [-1, MOST_SEED + 1, 2**63])
def test_seeds_that_are_none(seed: int) -> None:
    with pytest.raises(UsageError, match=f"--seed {seed}: expected a whole number from 0 to 2,147,483,647"):
        Selection(sample=3, seed=seed)
    with pytest.raises(UsageError, match="--seed"):
        _wanted("swap_attributes", seed, 1, "all", None)


def test_the_seeds_that_follow_count() -> None:
    check_seed(MOST_SEED - 4, 5)
    with pytest.raises(UsageError, match="to 2,147,483,643"):
        check_seed(MOST_SEED - 3, 5)


@pytest.mark.parametrize("step", [-1, MOST_STEP + 1, 2**63 - 1])
def test_steps_that_a_record_could_not_hold(step: int) -> None:
    assert checkpoint_of("a", MOST_STEP) == {"a": MOST_STEP}
    with pytest.raises(UsageError, match="a step from 0 to"):
        checkpoint_of("a", step)
