"""Which seeds there are: whole numbers that NumPy takes and that are stored, and read back, in 31 bits."""

from typing import Final

from backend.errors import UsageError

MOST_SEED: Final = 2**31 - 1


def check_seed(seed: int, n: int = 1) -> None:
    """UsageError unless this seed, and the n - 1 that follow it, can be used and stored."""
    if not 0 <= seed <= MOST_SEED - (n - 1):
        raise UsageError(f"--seed {seed}: expected a whole number from 0 to {MOST_SEED - (n - 1):,}.")
