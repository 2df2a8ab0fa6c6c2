"""How the VisualGPTScore paper chooses alpha on each benchmark (its Table 1, and section 4 with Table 3).

One entry a benchmark; a benchmark that is not in `PROTOCOLS` is not in the paper. The store finds the items for each
(`backend/store/alpha/stars.py`); everything here is on sets of alpha.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.curves import Domain, curve
from backend.metrics.alpha.open_intervals import CANCELS, Intervals
from backend.metrics.alpha.splits import split_half
from backend.metrics.alpha.unions import Unions
from backend.metrics.core.arrays import BoolArray

How = Literal["halves", "validation", "one-shot", "table"]

#: Step of the paper's grid search (section 4).
STEP = 0.001


@dataclass(frozen=True)
class AlphaProtocol:
    """A benchmark's own way to alpha.

    name: for people. how: which of the functions of this module. metric: what alpha is chosen on. also: metrics that
    are reported at the same alpha. source: where the paper says so. note: what the paper leaves open, and our reading.

    >>> PROTOCOLS["winoground"].metric, PROTOCOLS["coco"].how
    ('text_score', 'validation')
    """

    name: str
    how: How
    metric: str
    source: str
    also: tuple[str, ...] = ()
    note: str = ""


_PAPER = "VisualGPTScore"
_HALVES = AlphaProtocol(
    "10 random halves", "halves", "text_score", f"{_PAPER}, section 4 and Table 3(a)",
    note="Grid of step 0.001 as in the paper, the smallest of equally good values; beside it without a grid. The paper "
    "names neither its random seed nor the denominator of its standard deviation: ours are 0 and n - 1.",
)  # fmt: skip
_VALIDATION = AlphaProtocol(
    "validation split", "validation", "i2t_recall_at_1", f"{_PAPER}, section 4 and Table 3(a)", ("i2t_recall_at_5",),
    note="Chosen by R@1 on the official validation images, reported on the test images.",
)  # fmt: skip
_ONE_SHOT = AlphaProtocol(
    "one-shot samples", "one-shot", "top1_accuracy", f"{_PAPER}, section 4 and Table 3(a)",
    note="One image a class. The paper takes training images (Lin et al. 2023); where a run has none tagged "
    "`split: one-shot` (or train), one image a class is drawn from its own items, seed 0, and reported on the others.",
)  # fmt: skip
_TABLE = AlphaProtocol(
    "α = 0, α = 1 and α*", "table", "accuracy", f"{_PAPER}, Table 1",
    note="The caption says that α* is tuned on a validation set; no such set is described and the benchmark has "
    "none, so this is α* on all items: chosen and reported on the same.",
)  # fmt: skip

PROTOCOLS: dict[str, AlphaProtocol] = {
    "winoground": _HALVES, "eqben": _HALVES, "coco": _VALIDATION, "flickr30k": _VALIDATION, "imagenet": _ONE_SHOT,
    "aro": _TABLE, "crepe": _TABLE, "sugarcrepe": _TABLE, "vl_checklist": _TABLE,
}  # fmt: skip

NOT_IN_PAPER = "the VisualGPTScore paper does not use this benchmark"


def why_none(benchmark: str, metric: str) -> str:
    """Why the paper's protocol gives no alpha for a metric; "" where it does.

    >>> why_none("winoground", "text_score"), why_none("winoground", "image_score") == CANCELS, why_none("visla", "x")
    ('', True, 'the VisualGPTScore paper does not use this benchmark')
    """
    found = PROTOCOLS.get(benchmark)
    if metric == "image_score" or metric.startswith("t2i_"):
        return CANCELS
    if found is None:
        return NOT_IN_PAPER
    return "" if metric == found.metric else f"the paper chooses α for {found.metric} only here"


def grid(step: float = STEP, domain: Domain = (0.0, 1.0)) -> np.ndarray:
    """The values of the paper's grid search, both ends included.

    >>> grid(0.25).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    n = round((domain[1] - domain[0]) / step)
    return domain[0] + (domain[1] - domain[0]) * np.arange(n + 1) / n


def best_on_grid(sets: Intervals | Unions, step: float = STEP, domain: Domain = (0.0, 1.0)) -> float | None:
    """The smallest alpha of the grid with the highest value; None without a defined item.

    >>> best_on_grid(Intervals(np.array([0.3]), np.array([0.9])), step=0.25)
    0.5
    """
    found = curve(sets, domain=domain)
    if not found.n:
        return None
    points = grid(step, domain)
    values = found.at(points)
    return float(points[int(np.argmax(values >= values.max() - 1e-12))])


def halves(sets: Intervals | Unions, repeats: int = 10, seed: int = 0) -> dict[str, Any] | None:
    """Winoground and EqBen: alpha from one random half, the value on the other, repeated; None with fewer than 2 items.

    Keys: repeats, seed, n, `grid` and `exact`, each {alpha_mean, alpha_std, value_mean, value_std, at_0_mean, at_0_std,
    at_1_mean, at_1_std} over the same halves; grid also {step}. Items are halved singly, as the paper does.

    >>> found = halves(Intervals(np.full(20, 0.5), np.full(20, np.inf)))
    >>> round(found["grid"]["alpha_mean"], 6), found["exact"]["alpha_mean"], found["grid"]["value_mean"]
    (0.501, 0.75, 1.0)
    """
    exact, on_grid = (split_half(sets, repeats, seed, choose=choose) for choose in (None, best_on_grid))
    if not exact["splits"]:
        return None
    names = {"alpha": "alpha", "test_value": "value", "test_at_0": "at_0", "test_at_1": "at_1"}

    def said(result: dict[str, Any]) -> dict[str, Any]:
        return {f"{new}_{end}": result[f"{old}_{end}"] for old, new in names.items() for end in ("mean", "std")}

    return {"repeats": repeats, "seed": seed, "n": exact["n"], "grid": {"step": STEP, **said(on_grid)},
            "exact": said(exact)}  # fmt: skip


def one_shot(classes: ArrayLike, marked: ArrayLike | None = None, seed: int = 0) -> BoolArray:
    """One item a class to choose alpha on, bool (n,).

    classes: (n,) the class of each item. marked: bool (n,), items that are one-shot (training) samples; with any
    marked, one of them a class is taken. Without, one item a class is drawn from all, with this seed.

    >>> one_shot([0, 1, 1, 0], marked=[False, True, False, True]).tolist()
    [False, True, False, True]
    """
    labels = np.asarray(classes).reshape(-1)
    offered = np.ones(len(labels), np.bool_) if marked is None else np.asarray(marked, dtype=np.bool_)
    if not offered.any():
        offered = np.ones(len(labels), np.bool_)
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[offered[order]]
    _, first = np.unique(labels[order], return_index=True)
    chosen = np.zeros(len(labels), dtype=np.bool_)
    chosen[order[first]] = True
    return chosen
