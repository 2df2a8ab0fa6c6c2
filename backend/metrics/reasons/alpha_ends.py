"""What alpha can reach on quads: c(alpha) = c(0) - alpha (p1 - p2) / 2, while gamma and r stay.

So the group score holds on one open interval of alpha, between (c(0) ± gamma) 2 / (p1 - p2): two ends. Exact only if
both images of a quad are debiased by the same P(t), so leave out both images and their cluster (`priors.left_out`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.open_intervals import Intervals, intervals_quad_image, intervals_quad_text
from backend.metrics.core.arrays import FloatArray, IntArray, as_scores
from backend.metrics.reasons.quads import decompose

#: Why alpha cannot make a quad right, in the order of the codes; the last is right at some alpha, but outside [0, 1].
REACHES = ("within", "no_binding", "outvoted_by_image", "priors_equal", "beyond")
WITHIN, NONE, BY_IMAGE, EQUAL, BEYOND = range(5)


@dataclass(frozen=True)
class Ends:
    """group: the open interval of alpha on which each quad is right (`Intervals`: inf, -inf where empty, NaN where
    undefined). reach: intp (n,), into `REACHES`, -1 where undefined.

    >>> Ends(Intervals(np.array([0.2]), np.array([0.4])), np.array([WITHIN])).reach.tolist()
    [0]
    """

    group: Intervals
    reach: IntArray


def caption_bias(gen: ArrayLike, prior: ArrayLike, alpha: ArrayLike) -> FloatArray:
    """c(alpha), float64 (n,), in the unit of gen. gen: (n, 2, 2) and prior: (n, 2), on one scale (`alpha.normalise`).

    >>> caption_bias([[[-1.0, -2.0], [-2.0, -1.5]]], [[-1.0, -3.0]], 0.5).tolist()
    [-0.375]
    """
    p = as_scores(prior, (2,), "prior")
    return np.asarray(decompose(gen).c - np.asarray(alpha) * (p[:, 0] - p[:, 1]) / 2, dtype=np.float64)


def ends(gen: ArrayLike, prior: ArrayLike) -> Ends:
    """For which alpha is the group score right, and if for none in [0, 1], why. Arguments as of `caption_bias`.

    >>> found = ends([[[-1.0, -2.0], [-2.0, -1.5]], [[-3.0, -2.0], [-4.0, -1.5]]], [[-1.0, -1.0], [-4.0, -1.0]])
    >>> found.group.lo.round(3).tolist(), found.group.hi.round(3).tolist(), [REACHES[code] for code in found.reach]
    ([-inf, 0.333], [inf, 0.833], ['within', 'within'])
    """
    g, p = as_scores(gen, (2, 2), "gen"), as_scores(prior, (2,), "prior")
    group = intervals_quad_text(g, p) & intervals_quad_image(g, p)
    taken = decompose(g)
    beyond = np.where((group.lo >= group.hi) | (group.hi <= 0) | (group.lo >= 1), BEYOND, WITHIN)
    reach = np.where(p[:, 0] == p[:, 1], np.where(taken.text, beyond, EQUAL), beyond)
    reach = np.where(taken.gamma > 0, np.where(taken.image, reach, BY_IMAGE), NONE)
    return Ends(group, np.where(taken.defined & group.defined, reach, -1).astype(np.intp))
