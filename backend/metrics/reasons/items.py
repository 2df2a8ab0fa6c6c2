"""The words of an item: its arithmetic cell, always, and a reason where the evidence certifies it, else uncertain."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend import enough
from backend.metrics.core.arrays import FloatArray, IntArray, as_mask
from backend.metrics.reasons.counterfactual import CHOICE_CELLS, Evidence
from backend.metrics.reasons.mirror import NOT_SEEN, REVERSED, UNCERTAIN, Certified, certify, unclear, words
from backend.metrics.reasons.quads import NO_BINDING, QUAD_CELLS, RIGHT, Quads


@dataclass(frozen=True)
class Reasons:
    """cell, reason: n words each, those of the columns of `outcomes`, "" where undefined. state: intp (n,), into
    `mirror.STATES`; q: float64 (n,), see `mirror.Certified`.

    >>> Reasons(["right"], ["uncertain"], np.zeros(1, dtype=np.intp), np.ones(1)).reason
    ['uncertain']
    """

    cell: list[str]
    reason: list[str]
    state: IntArray
    q: FloatArray


def of_quads(found: Quads) -> Reasons:
    """Cells and reasons of one model on one subset of quads.

    >>> from backend.metrics.reasons.quads import decompose
    >>> of_quads(decompose([[[4.0, 2.0], [1.0, 8.0]]] * 20)).reason[0]
    'right'
    """
    certified = certify(found.gamma, found.cell == RIGHT, found.mirrored == RIGHT)
    return _reasons(found.cell, certified, QUAD_CELLS, [QUAD_CELLS[NO_BINDING]] * len(found))


def of_choices(found: Evidence, may_fit: ArrayLike | None = None, *, sources_agree: bool = True) -> Reasons:
    """Cells and reasons of one model on one subset of choices or triplets.

    Uncertain always: items with fewer than 16 other images, all items where sources of images disagree
    (`counterfactual.agree`). may_fit: bool (n,), items whose captions some of the other images may fit, too. Such an
    image takes evidence away and makes none, so what is seen stays seen; that nothing is seen, or the reverse, may be
    its doing: of these items neither `by_bias` nor `no_evidence` nor `reversed` is said.

    >>> from backend.metrics.reasons.counterfactual import of_margins
    >>> of_choices(of_margins([9.0] * 20, np.tile([-1.0, 1.0] * 8, (20, 1)))).reason[0]
    'grounded'
    """
    many = found.n_other >= enough.OTHER_IMAGES
    certified = certify(np.where(many, found.z, np.nan), found.right, found.mirrored_right)
    fits = as_mask(may_fit, len(found), "may_fit") & (may_fit is not None)
    # One other image leaves a cell without a z: its spread is not known, so nothing is certified.
    state = np.where((found.cell >= 0) & (~many | (certified.state < 0)), UNCERTAIN, certified.state)
    certified = Certified(state, certified.q)
    unsaid = fits & np.isin(certified.state, (NOT_SEEN, REVERSED))
    certified = unclear(certified, unsaid | (not sources_agree))
    return _reasons(found.cell, certified, CHOICE_CELLS, np.where(found.right, "by_bias", "no_evidence").tolist())


def _reasons(cell: IntArray, certified: Certified, cells: tuple[str, ...], nothing: list[str]) -> Reasons:
    names, reasons = words(cell, certified.state, cells, nothing)
    return Reasons(names, reasons, certified.state, certified.q)
