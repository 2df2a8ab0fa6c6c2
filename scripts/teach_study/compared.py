"""What the cells say of each other: rates, the parts of quads, and differences with their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from backend.metrics.auroc import area
from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons.quads import decompose
from scripts.teach_study.cells import Judged

#: Verdicts of a quad.
RATES = ("text_score", "image_score", "group_score", "group_match")
#: Means over quads, in the unit of the cosine; `spread` is the standard deviation of all cells of the set.
PARTS = ("gamma", "abs_c", "abs_r", "spread", "deviation_v1", "deviation_v2")
_TRUE = np.eye(2, dtype=np.bool_)


def verdicts(scores: NDArray[np.float32]) -> dict[str, NDArray[np.bool_]]:
    """RATES of quads (n, 2, 2), each bool (n,). Ties count as failures."""
    found = decompose(scores)
    return dict(zip(RATES, (found.text, found.image, found.group, found.gamma > 0), strict=True))


def parts(scores: NDArray[np.float32]) -> dict[str, float]:
    """PARTS of quads (n, 2, 2), and auroc: of the true pairs against the false ones, for cosines in place of
    min(pc, pf), which needs a threshold that they do not have. deviation_v1: mean |s12 - s21|; deviation_v2: mean of
    |(s11 - s12) - (s22 - s21)| and |(s11 - s21) - (s22 - s12)| (EqSim, Eq. 6)."""
    found = decompose(scores)
    c, r = np.asarray(found.c), np.asarray(found.r)
    truth = np.broadcast_to(_TRUE, scores.shape)
    return {
        "gamma": float(np.mean(found.gamma)),
        "abs_c": float(np.mean(np.abs(c))),
        "abs_r": float(np.mean(np.abs(r))),
        "spread": float(np.std(scores)),
        "deviation_v1": float(np.mean(np.abs(2 * (r - c)))),
        "deviation_v2": float(np.mean(np.abs(4 * np.stack([c, r])))),
        "auroc": _auroc(scores.ravel(), truth.ravel()),
    }


def _auroc(values: NDArray[np.float32], truth: NDArray[np.bool_]) -> float:
    _, level = np.unique(values, return_inverse=True)
    return area(level, truth, np.ones(len(values)))


def difference(ours: Sequence[NDArray[np.bool_]], theirs: Sequence[NDArray[np.bool_]]) -> dict[str, Any]:
    """Ours minus theirs over seeds, a verdict array (n,) a seed, of the same items.

    by_seed: the differences. ends: 95 % interval of their mean that takes seeds and items as drawn: the variance of the
    seeds' means and that of the items' means are added, each over its number, with Student's t at seeds - 1. What is
    left of a cell when its seed's and its item's share are taken stands in both, so the interval is rather too wide.
    None with one seed. won, lost: verdicts, over all seeds.
    """
    d: FloatArray = np.stack([np.asarray(a, float) - np.asarray(b, float) for a, b in zip(ours, theirs, strict=True)])
    s, n = d.shape
    mean = float(d.mean())
    told = {"mean": mean, "by_seed": d.mean(1).tolist(), "won": int((d > 0).sum()), "lost": int((d < 0).sum())}
    if s < 2:
        return told | {"ends": None}
    half = float(stdtrit(s - 1, 0.975)) * float(np.sqrt(d.mean(1).var(ddof=1) / s + d.mean(0).var(ddof=1) / n))
    return told | {"ends": [mean - half, mean + half]}


def told(found: Judged) -> dict[str, Any]:
    """A cell's numbers, as JSON: set -> rates and parts, and the tests of what may be forgotten."""
    sets = {
        name: {key: float(value.mean()) for key, value in verdicts(scores).items()} | parts(scores)
        for name, scores in found.scores.items()
    }
    return {"sets": sets, "hits": {name: float(hits.mean()) for name, hits in found.hits.items()}}


def against(cells: Mapping[int, Judged], others: Mapping[int, Judged]) -> dict[str, Any]:
    """One recipe's cells minus another's, seed by seed: set -> rate -> `difference`, and the same of each hit."""
    seeds = sorted(set(cells) & set(others))
    one, two = [cells[seed] for seed in seeds], [others[seed] for seed in seeds]
    sets = {}
    for name in one[0].scores:
        a, b = ([verdicts(cell.scores[name]) for cell in side] for side in (one, two))
        sets[name] = {rate: difference([v[rate] for v in a], [v[rate] for v in b]) for rate in RATES}
    hits = {name: difference([c.hits[name] for c in one], [c.hits[name] for c in two]) for name in one[0].hits}
    return {"sets": sets, "hits": hits}


def over_sets(cells: Mapping[int, Judged], others: Mapping[int, Judged]) -> dict[str, Any]:
    """As `against`, with the quads of all sets as one."""
    whole = [
        {seed: Judged({"all": np.concatenate(list(cell.scores.values()))}, {}) for seed, cell in side.items()}
        for side in (cells, others)
    ]
    found: dict[str, Any] = against(*whole)["sets"]["all"]
    return found
