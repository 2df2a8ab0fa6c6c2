"""What the pictures of Compare share: where labels stand, the order of groups, the level of a test."""

from collections.abc import Sequence

import pandas as pd

LEVEL = 0.05
#: The mark of a difference between two sides of which one alone has to be right in every order of asking, which chance
#: makes rarer: nobody's gain, and nobody's loss.
TWO_RULES = "■"


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels as near as can be (least squares) to where they are wanted, at least a gap from each other and
    inside [low, high]; evenly spread where there is no room.

    >>> apart([0.5, 0.5, 0.9], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.9]
    """
    n = len(wanted)
    if n and gap * (n - 1) >= high - low:
        gap = (high - low) / max(1, n - 1)
    order = sorted(range(n), key=lambda k: wanted[k])
    # With the k-th label moved down by k gaps the order alone has to hold: isotonic regression by pooling.
    blocks: list[list[float]] = []
    for place, k in enumerate(order):
        blocks.append([wanted[k] - place * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value, count = blocks.pop()
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + value * count) / (blocks[-1][1] + count),
                blocks[-1][1] + count,
            ]
    level = [value for value, count in blocks for _ in range(int(count))]
    found = [0.0] * n
    for place, k in enumerate(order):
        inside = min(max(level[place], low), high - (n - 1) * gap)
        found[k] = round(inside + place * gap, 9)
    return found


def by_gain(tests: pd.DataFrame) -> list[str]:
    """Groups, the largest gain of the first other side first; undefined ones last."""
    first = tests[tests["side"] == tests["side"].min()]
    return [str(name) for name in first.sort_values("gain", ascending=False, na_position="last")["group"]]
