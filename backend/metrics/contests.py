"""Verdicts as scores: from who won which contest of two captions to arrays that every protocol's rule can judge."""

import numpy as np
from numpy.typing import ArrayLike

from backend.items import Protocol
from backend.metrics.arrays import FloatArray


def as_scores(protocol: Protocol, shares: ArrayLike) -> FloatArray:
    """Scores whose comparisons are the contests themselves: winner > loser iff the contest was won in both orders.

    shares: the share of the two orders in which the first text was chosen (1, 0.5 or 0; NaN where it was not asked).
    Triplet (n, 2): each paraphrase against the negative -> (n, 3), the negative at 0. Choice (n, k): the truth against
    each foil -> (n, k + 1), the truth at 0. Quad (n, 2): text 1 against text 2, for each image -> (n, 2, 2). A margin
    is the share of orders won minus the share lost: 1, 0 or -1. Contests that nobody asks (two foils, two paraphrases)
    play no part, which a share of all contests would let them do. ValueError for a protocol without contests.

    >>> as_scores(Protocol.TRIPLET, [[1.0, 0.5]]).tolist()
    [[1.0, 0.0, 0.0]]
    >>> as_scores(Protocol.CHOICE, [[1.0, 0.0]]).tolist()
    [[0.0, -1.0, 1.0]]
    >>> as_scores(Protocol.QUAD, [[1.0, 0.0]]).tolist()
    [[[1.0, 0.0], [0.0, 1.0]]]
    """
    s = np.asarray(shares, dtype=np.float64)
    if protocol == Protocol.QUAD:
        return np.stack([s, 1.0 - s], axis=2)
    base = np.zeros((len(s), 1))
    if protocol == Protocol.TRIPLET:
        return np.concatenate([2.0 * s - 1.0, base], axis=1)
    if protocol == Protocol.CHOICE:
        return np.concatenate([base, 1.0 - 2.0 * s], axis=1)
    raise ValueError(f"{protocol} items have no contests of two texts")
