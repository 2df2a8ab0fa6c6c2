"""Yes or no: answers to statements or questions about an image, each with the answer that is expected.

An item is one cell, an image with one text. Cells that belong together (two questions on two images) share a group;
within it they are known by their question and by their image. A cell is right where its log-odds of yes lie strictly on
the expected side of zero, p = 0.5; exactly there is a tie, which counts as wrong whatever was expected.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics import auroc as auroc_
from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.core.compare import Outcomes, from_margins
from backend.metrics.paired.halves import LEAST as FEWEST
from backend.metrics.paired.halves import between
from backend.metrics.paired.resampling import cluster_index, where_shared
from backend.metrics.statistics import UNDEFINED, Rate, of_clusters, rate

#: Columns of `asked`: which group a cell is of, and which question and image within the benchmark.
GROUP, QUESTION, IMAGE = 0, 1, 2
#: The metrics of these.
OF_GROUPS = ("question_accuracy", "image_accuracy", "group_accuracy")
#: How many cells a question, an image or a group has at least to be judged as one.
LEAST = {GROUP: 4, QUESTION: 2, IMAGE: 2}


def signed(log_odds: ArrayLike, expected: ArrayLike) -> FloatArray:
    """How far each cell is on the expected side, (n,): its log-odds, turned round where no is expected.

    >>> signed([[2.0], [1.0]], [True, False]).tolist()
    [2.0, -1.0]
    """
    values = np.asarray(log_odds, dtype=np.float64).reshape(-1)
    return np.where(np.asarray(expected, dtype=np.bool_), values, -values)


def cells(log_odds: ArrayLike, expected: ArrayLike | None) -> Outcomes | None:
    """One verdict a cell; None where nobody says what is expected.

    >>> found = cells([[2.0], [1.0], [0.0]], [True, False, True])
    >>> found.correct.tolist(), found.ties.tolist()
    ([True, False, False], [False, False, True])
    """
    return None if expected is None else from_margins(signed(log_odds, expected))


def together(
    log_odds: ArrayLike,
    expected: ArrayLike | None,
    asked: ArrayLike | None,
    by: int,
    clusters: ArrayLike | None = None,
) -> Rate:
    """The share of questions (of images, of groups) of which every cell is right.

    asked: (n, 3) numbers, -1 where a cell is of none. by: QUESTION, IMAGE or GROUP. One with fewer cells than LEAST, or
    with one that has no score, is left out. clusters: (n,), what cells share; those of a whole are resampled together.

    >>> asked = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]]
    >>> together([[2.0], [-1.0], [1.0], [1.0]], [1, 0, 0, 1], asked, QUESTION).value
    0.5
    """
    if expected is None or asked is None:
        return UNDEFINED
    margin = signed(log_odds, expected)
    codes = np.asarray(asked, dtype=np.intp).reshape(-1, 3)[:, by]
    kept = np.flatnonzero(codes >= 0)
    if not len(kept):
        return UNDEFINED
    _, first, index = np.unique(codes[kept], return_index=True, return_inverse=True)
    least = np.full(len(first), np.inf)
    np.fmin.at(least, index, margin[kept])
    known = np.ones(len(first), dtype=np.bool_)
    np.logical_and.at(known, index, ~np.isnan(margin[kept]))
    known &= np.bincount(index, minlength=len(first)) >= LEAST[by]
    least = np.where(known, least, np.nan)
    found = from_margins(least)
    shared = None if clusters is None else where_shared([np.asarray(clusters)[kept][at] for at in first])
    return rate(found.correct, found.defined, found.ties, shared)


def area(log_odds: ArrayLike, expected: ArrayLike | None, clusters: ArrayLike | None = None, seed: int = 0) -> Rate:
    """AUROC: P(a cell where yes is expected scores above one where no is), an equal pair counts one half; every
    threshold at once. n: cells. Interval: random halves of the clusters (`halves`), none of fewer than `halves.LEAST`.

    >>> area([[2.0], [1.0], [0.0]], [True, False, True]).value
    0.5
    """
    values, is_yes, index, n_clusters = _known(log_odds, expected, clusters)
    if not is_yes.any() or is_yes.all():
        return UNDEFINED
    _, level = np.unique(values, return_inverse=True)
    rng = np.random.default_rng(seed)
    halves = []
    for _ in range(1000 if n_clusters >= FEWEST else 0):
        weight = rng.integers(0, 2, n_clusters)[index].astype(np.float64)
        known = weight[is_yes].any() and weight[~is_yes].any()
        halves.append(auroc_.area(level, is_yes, weight) if known else np.nan)
    value = auroc_.area(level, is_yes, np.ones(len(values)))
    return Rate(value, len(values), 0, between(np.array(halves)) if halves else None)


def yes_bias(log_odds: ArrayLike, expected: ArrayLike | None, clusters: ArrayLike | None = None) -> Rate:
    """The share of cells that are answered yes minus the share where yes is expected: above 0 it says yes too often.

    Exactly p = 0.5 is half a yes.

    >>> yes_bias([[2.0], [1.0], [-1.0], [3.0]], [True, False, False, True]).value
    0.25
    """
    values, is_yes, index, n_clusters = _known(log_odds, expected, clusters)
    if not len(values):
        return UNDEFINED
    excess = np.where(values > 0, 1.0, np.where(values == 0, 0.5, 0.0)) - is_yes
    shares = of_clusters((excess + 1) / 2, index) if n_clusters > 1 else None  # as of any share
    ends = None if shares is None else (2 * shares[0] - 1, 2 * shares[1] - 1)
    return Rate(float(excess.mean()), len(values), int((values == 0).sum()), ends)


def _known(
    log_odds: ArrayLike, expected: ArrayLike | None, clusters: ArrayLike | None
) -> tuple[FloatArray, NDArray[np.bool_], IntArray, int]:
    """The cells that have a score: log-odds, whether yes is expected, their clusters by number, how many."""
    values = np.asarray(log_odds, dtype=np.float64).reshape(-1)
    kept = ~np.isnan(values) if expected is not None else np.zeros(len(values), np.bool_)
    is_yes = np.zeros(int(kept.sum()), np.bool_) if expected is None else np.asarray(expected, np.bool_)[kept]
    named = None if clusters is None else np.asarray(clusters).reshape(-1)[kept]
    index, n = cluster_index(named, int(kept.sum()))
    return values[kept], is_yes, index, n
