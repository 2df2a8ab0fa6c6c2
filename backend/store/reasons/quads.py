"""Quads of a run under a setting, taken apart: binding, biases, cell and reason of each item."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import SIMILARITIES
from backend.metrics.reasons import items, quads, scales
from backend.protocols import Protocol
from backend.store.scores import matrices
from backend.store.scores.setting import Setting


def measured(kind: str, protocol: Protocol) -> bool:
    """Whether a quad has a cell under a kind: a model gave a score to each image with each caption."""
    return protocol == Protocol.QUAD and kind in SIMILARITIES


def apart(block: matrices.Block, scores: matrices.FloatArray, setting: Setting) -> pd.DataFrame:
    """One row a quad of a block, in its order.

    scores: (n, 2, 2), as the setting judges them. Columns: item_no, item_id, subset; gamma, c, r (float64, in the unit
    of `scale`, NaN where a score is missing), nested (bool), cell, mirrored (the cell of its decoy), reason, q (the
    share of luck among items at least as strong), scale (its name), saturated (how many of the four lie at the clip),
    cluster (what items share).
    What an item is certified of is decided within its subset, as docs/reasons.md says.
    """
    scaled = scales.judged_on_scale(scores, setting.kind, setting.norm)
    found = quads.decompose(scores, scaled.values)
    names = np.array([*quads.QUAD_CELLS, ""], dtype=object)  # code -1 is the last
    reason, q = np.full(len(block), "", dtype=object), np.full(len(block), np.nan)
    subset, _ = pd.factorize(block.items["subset"])
    for rows in (np.flatnonzero(subset == code) for code in range(subset.max(initial=-1) + 1)):
        said = items.of_quads(found.take(rows))
        reason[rows], q[rows] = said.reason, said.q
    return pd.DataFrame(
        {name: block.items[name].reset_index(drop=True) for name in ("item_no", "item_id", "subset")}
        | {
            "gamma": found.gamma, "c": found.c, "r": found.r, "nested": found.nested,
            "cell": _as_words(names[found.cell]), "mirrored": _as_words(names[found.mirrored]),
            "reason": pd.Series(reason, dtype=object), "q": q, "scale": scaled.name,
            "saturated": _saturated(scores, scaled.values), "cluster": block.items["cluster"].reset_index(drop=True),
        }
    )  # fmt: skip


def _as_words(values: NDArray[np.object_]) -> pd.Series:
    """A column that stays one of Python's own words: to turn it into one of text takes longer than to make it."""
    return pd.Series(values, dtype=object)


def _saturated(scores: matrices.FloatArray, scaled: matrices.FloatArray) -> NDArray[np.intp]:
    """How many of an item's four scores the scale has cut, intp (n,)."""
    if scaled is scores:
        return np.zeros(len(scores), dtype=np.intp)
    cut = (np.abs(scaled) < np.abs(scores)).reshape(-1, 4)
    return np.asarray(sum(column.astype(np.intp) for column in cut.T), dtype=np.intp)
