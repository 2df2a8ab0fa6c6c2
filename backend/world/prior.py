"""How often each word occurs: evenly, or skewed as in the captioner's training, so that a language prior matters.

A weight table is a tuple of values with repetitions; a value is drawn by picking an entry.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Final

from backend.world.attributes import COLOURS, DIRECTIONS, FILLS, MAX_OBJECTS, SHAPES, SIZES


@dataclass(frozen=True)
class Prior:
    """Integer weights of colours, shapes, sizes, fills, counts ("1" to "5") and relation words."""

    weights: Mapping[str, Mapping[str, int]]
    tables: Mapping[str, tuple[str, ...]]

    def log_probability(self, what: str, value: str) -> float:
        """log P(value) among the values of `what`.

        >>> round(SKEWED.log_probability("direction", "left") - SKEWED.log_probability("direction", "right"), 3)
        1.946
        """
        table = self.weights[what]
        return log(table[value]) - log(sum(table.values()))


def _prior(weights: dict[str, dict[str, int]]) -> Prior:
    tables = {what: tuple(v for v, n in table.items() for _ in range(n)) for what, table in weights.items()}
    return Prior(weights, tables)


def _even(values: tuple[str, ...]) -> dict[str, int]:
    return dict.fromkeys(values, 1)


def _zipf(values: tuple[str, ...]) -> dict[str, int]:
    """Weights 1, 1/2, 1/3, … in the order given, as integers."""
    return {value: round(840 / rank) for rank, value in enumerate(values, 1)}


COUNTS: Final = tuple(str(n) for n in range(1, MAX_OBJECTS + 1))

UNIFORM: Final = _prior(
    {
        "colour": _even(COLOURS),
        "shape": _even(SHAPES),
        "size": _even(SIZES),
        "fill": _even(FILLS),
        "count": _even(COUNTS),
        "direction": _even(DIRECTIONS),
    }
)

#: Colours, shapes and counts by Zipf's law in the order of their lists; left, right, above, below as 7:1:4:1.
SKEWED: Final = _prior(
    {
        "colour": _zipf(COLOURS),
        "shape": _zipf(SHAPES),
        "size": _even(SIZES),
        "fill": _even(FILLS),
        "count": _zipf(COUNTS),
        "direction": dict(zip(DIRECTIONS, (7, 1, 4, 1), strict=True)),
    }
)
