"""What scripts import (`from backend.metrics import protocols`): the functions that judge items, and a metric's chance
level by its name. Metrics themselves import `by_item`, because their entries, which say the chance levels, import them.
"""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.by_item import (
    choice,
    quad,
    rename_paraphrases,
    triplet_i2t,
    triplet_pairs_i2t,
    triplet_pairs_t2t,
    triplet_t2t,
)
from backend.metrics.core import registry
from backend.metrics.core.chance import recall_at, recall_chance
from backend.metrics.thresholds import threshold


def chance(metric: str, n_texts: ArrayLike | None = None, n_relevant: ArrayLike = 1) -> float | None:
    """Chance level of a metric by name, averaged over items; None where there is none (a deviation, no items, a name
    that no metric has). n_texts, n_relevant: as in `Metric.level`. A recall may have any k.

    >>> chance("accuracy", [2, 4]), chance("group_score") == 1 / 6, chance("i2t_recall_at_5", 10)
    (0.375, True, 0.5)
    """
    found = registry.known(metric)
    if found is not None:
        return found.level(n_texts, n_relevant)
    side, _, k = metric.partition("_recall_at_")
    if side not in ("i2t", "t2i") or not k.isdecimal() or n_texts is None:
        return None
    return recall_at(int(k))(np.atleast_1d(np.asarray(n_texts, dtype=np.float64)), n_relevant)


__all__ = [
    "chance", "choice", "quad", "recall_chance", "rename_paraphrases", "threshold",
    "triplet_i2t", "triplet_pairs_i2t", "triplet_pairs_t2t", "triplet_t2t",
]  # fmt: skip
