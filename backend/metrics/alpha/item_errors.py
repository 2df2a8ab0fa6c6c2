"""What the Monte-Carlo error of log P(t) means for one item: how sure its debiased margin and its break-points are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backend.items import Protocol
from backend.metrics.alpha.montecarlo import break_point_error, standard_error
from backend.metrics.alpha.open_intervals import half_lines
from backend.metrics.core.arrays import BoolArray, FloatArray
from backend.metrics.core.compare import differences, real_texts


class Comparisons(NamedTuple):
    """Every comparison that the text side of an item needs, (n, m): truth minus competitor.

    gen, prior: differences of the two terms; prior_error: standard error of the prior's, NaN with one sample. counted:
    which of the m an item has.

    >>> Comparisons(*(np.zeros((1, 1)),) * 3, np.ones((1, 1), bool)).gen.shape
    (1, 1)
    """

    gen: FloatArray
    prior: FloatArray
    prior_error: FloatArray
    counted: BoolArray


def comparisons(
    protocol: Protocol, gen: ArrayLike, prior: ArrayLike, influences: ArrayLike, n_texts: ArrayLike | None = None
) -> Comparisons:
    """The comparisons of choices and classes (n, k+1), triplets (n, 3) or the text score of quads, gen (n, 2, 2).

    prior: (n, texts); influences: (samples, n, texts) from `montecarlo.prior_influence`.

    Raises ValueError for another protocol.

    >>> found = comparisons(Protocol.CHOICE, [[-1.0, -2.0]], [[-3.0, -2.0]], [[[0.1, -0.1]], [[-0.1, 0.1]]])
    >>> found.gen.tolist(), found.prior.tolist(), found.prior_error.round(6).tolist()
    ([[1.0]], [[-1.0]], [[0.2]])
    """
    g, p, u = (np.asarray(values, dtype=np.float64) for values in (gen, prior, influences))
    if protocol == Protocol.QUAD:
        g, own = g.reshape(len(g), 4), [0, 1, 0, 1]
        p, u, truth, foil = p[:, own], u[:, :, own], [0, 3], [1, 2]
    elif protocol == Protocol.TRIPLET:
        truth, foil = [0, 1], [2, 2]
    elif protocol in (Protocol.CHOICE, Protocol.CLASSIFY):
        truth, foil = [0] * (g.shape[1] - 1), list(range(1, g.shape[1]))
    else:
        raise ValueError(
            f"{protocol} items have no comparison of texts of their own; it must be choice, triplet or quad"
        )
    counted = np.ones((len(g), len(truth)), dtype=np.bool_)
    if protocol in (Protocol.CHOICE, Protocol.CLASSIFY):
        counted = real_texts(g, n_texts)[:, 1:]
    return Comparisons(
        differences(g[:, truth], g[:, foil]),
        differences(p[:, truth], p[:, foil]),
        standard_error(u[:, :, truth] - u[:, :, foil]),
        counted,
    )


class ItemErrors(NamedTuple):
    """One value an item, float64 (n,); NaN where undefined.

    margin: smallest g - alpha p difference. margin_error: its Monte-Carlo standard error, that of the deciding
    comparison. lo, hi: the open interval of alpha in which the item is right, as in `intervals`; lo_error, hi_error:
    standard errors of its ends, NaN where an end is infinite or the item never right.

    >>> ItemErrors(*(np.zeros(1),) * 6).margin.tolist()
    [0.0]
    """

    margin: FloatArray
    margin_error: FloatArray
    lo: FloatArray
    lo_error: FloatArray
    hi: FloatArray
    hi_error: FloatArray


def item_errors(found: Comparisons, alpha: float) -> ItemErrors:
    """Margins and break-points with their errors, to first order: which comparison decides is taken as given.

    >>> one = comparisons(Protocol.CHOICE, [[-1.0, -2.0]], [[-3.0, -5.0]], [[[0.1, -0.1]], [[-0.1, 0.1]]])
    >>> [round(float(values[0]), 3) for values in item_errors(one, 0.25)]
    [0.5, 0.05, -inf, nan, 0.5, 0.05]
    """
    n = len(found.gen)
    if not found.gen.size:
        return ItemErrors(*(np.full(n, np.nan) for _ in range(6)))
    rows = np.arange(n)
    with np.errstate(invalid="ignore"):
        gaps = found.gen - alpha * found.prior
    gaps = np.where(found.counted, gaps, np.inf)
    deciding = np.where(np.isnan(gaps), -np.inf, gaps).argmin(axis=1)
    some = found.counted.any(axis=1)
    margin = np.where(some, gaps[rows, deciding], np.nan)
    lows, highs = half_lines(found.gen, found.prior)
    unknown = ~some | (found.counted & np.isnan(lows)).any(axis=1)
    lows, highs = np.where(found.counted, lows, -np.inf), np.where(found.counted, highs, np.inf)
    at_lo = np.where(np.isnan(lows), -np.inf, lows).argmax(axis=1)
    at_hi = np.where(np.isnan(highs), np.inf, highs).argmin(axis=1)
    lo, hi = lows[rows, at_lo], highs[rows, at_hi]
    never = ~unknown & (lo >= hi)

    def error(end: FloatArray, at: FloatArray) -> FloatArray:
        found_error = break_point_error(found.prior[rows, at], end, found.prior_error[rows, at])
        return np.where(unknown | never, np.nan, found_error)

    return ItemErrors(
        margin,
        np.where(np.isnan(margin), np.nan, abs(alpha) * found.prior_error[rows, deciding]),
        np.where(unknown, np.nan, np.where(never, np.inf, lo)),
        error(lo, at_lo),
        np.where(unknown, np.nan, np.where(never, -np.inf, hi)),
        error(hi, at_hi),
    )
