"""Verdicts as scores: from who won which contest of two captions to arrays that every protocol's rule can judge."""

import numpy as np
from numpy.typing import ArrayLike

from backend.items import Protocol
from backend.metrics.clustered import interval
from backend.metrics.core.arrays import FloatArray
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.statistics import UNDEFINED, Rate

#: The metric of choices that were asked in several orders.
MEAN_OF_ORDERS = "accuracy_mean_of_orders"
#: Why it has no chance level.
NO_CHANCE = (
    "it depends on how the question was put (all captions at once, or two at a time) and on how often neither is chosen"
)


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


def mean_of_orders(
    right: ArrayLike, clusters: ArrayLike | None = None, subsets: ArrayLike | None = None
) -> Rate:  # fmt: skip
    """The mean over items of the share of the orders of asking, of those in which it was asked, that an item is right
    in. Where every item was asked in every order it is the mean of the orders' rates, as SugarCrepe's authors print
    GPT-4V's; where not, an order weighs by what was asked in it, so that a few answers in one more change little.

    right: (n, k), 1 where the truth was chosen in that order, 0 where not, NaN where it was not asked. n counts items
    that were asked in any order; ties is 0, for an answer that names neither is none. Interval: that of
    `clustered.interval`, items or clusters (n,) of them being what is independent. subsets (n,): each weighs the same,
    so that the value is the mean over them of their own means; None: every item does.

    >>> mean_of_orders([[1, 0], [1, 1], [0, 0], [1, 1]]).value
    0.625
    >>> mean_of_orders([[1, 0], [1, float("nan")]]).value
    0.75
    >>> mean_of_orders([[1, 0], [1, 1], [0, 0], [1, 1]], subsets=["large"] * 3 + ["small"]).value
    0.75
    """
    values = np.asarray(right, dtype=np.float64)
    asked = ~np.isnan(values)
    keep = asked.any(axis=1)
    if not keep.any():
        return UNDEFINED
    shares = np.where(asked, values, 0.0)[keep].sum(axis=1) / asked[keep].sum(axis=1)
    index, n_clusters = cluster_index(None if clusters is None else np.asarray(clusters)[keep], len(shares))
    if subsets is None:
        return Rate(float(shares.mean()), len(shares), 0, interval(shares, index, n_clusters))
    codes, k = cluster_index(np.asarray(subsets)[keep], len(shares))
    weight = 1.0 / (k * np.bincount(codes, minlength=k)[codes])
    return Rate(float(shares @ weight), len(shares), 0, interval(shares, index, n_clusters, weight))
