"""Choosing alpha where it is not reported: the protocols of the VisualGPTScore paper (section 4)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.curves import Domain, curve
from backend.metrics.alpha.open_intervals import Intervals
from backend.metrics.alpha.unions import Unions
from backend.metrics.core.arrays import as_mask
from backend.metrics.paired.resampling import cluster_index

#: From the sets of the dev items to alpha.
Choose = Callable[[Intervals | Unions], float | None]


def tune(
    sets: Intervals | Unions,
    dev: ArrayLike,
    test: ArrayLike,
    domain: Domain = (0.0, 1.0),
    choose: Choose | None = None,
) -> dict[str, Any]:
    """Choose alpha* on the dev items, report on the test items (COCO and Flickr30k by their validation sets).

    dev, test: bool (n,). choose: another way to alpha from the dev items' sets, for example a grid; then there is no
    interval. Keys: alpha, interval [lo, hi], dev_value, test_value, test_at_0, test_at_1, n_dev, n_test (defined
    items). Values are None where a side has no defined item.

    >>> half = Intervals(np.array([0.5, 0.5, -np.inf]), np.array([np.inf, np.inf, np.inf]))
    >>> found = tune(half, [True, False, False], [False, True, True])
    >>> found["alpha"], found["test_at_0"], found["test_value"]
    (0.75, 0.5, 1.0)
    """
    n = len(sets)
    on_dev = sets.take(as_mask(dev, n, "dev"))
    chosen = curve(on_dev, domain=domain)
    held_out = curve(sets.take(as_mask(test, n, "test")), domain=domain)
    best = chosen.best() if choose is None else None
    alpha = best.alpha if best else choose(on_dev) if choose else None
    reported = alpha is not None and held_out.n > 0

    def value(alpha: float | None) -> float | None:
        return float(held_out.at(alpha)) if reported and alpha is not None else None

    return {
        "alpha": alpha,
        "interval": [best.lo, best.hi] if best else None,
        "dev_value": best.value if best else float(chosen.at(alpha)) if alpha is not None else None,
        "test_value": value(alpha),
        "test_at_0": value(0.0),
        "test_at_1": value(1.0),
        "n_dev": chosen.n,
        "n_test": held_out.n,
    }


def split_half(
    sets: Intervals | Unions,
    repeats: int = 10,
    seed: int = 0,
    clusters: ArrayLike | None = None,
    domain: Domain = (0.0, 1.0),
    choose: Choose | None = None,
) -> dict[str, Any]:
    """Winoground's and EqBen's protocol: alpha* on a random half, the value on the other, repeated (10 times).

    The paper searches a grid of step 0.001; here alpha* is exact, unless `choose` says how else (see
    `protocols.best_on_grid`). clusters: (n,) ids of what items share (images), kept
    on one side. Undefined items are left out before halving; the dev half is the smaller one where n is odd.
    Keys: splits (a `tune` result each) and, for alpha, test_value, test_at_0 and test_at_1, `<name>_mean` and
    `<name>_std` (sample standard deviation over the halves; None for fewer than two), n.

    >>> result = split_half(Intervals(np.full(20, 0.5), np.full(20, np.inf)))
    >>> result["alpha_mean"], result["test_value_mean"], result["test_at_0_mean"], len(result["splits"])
    (0.75, 1.0, 0.0, 10)
    """
    known = np.flatnonzero(sets.defined)
    index, n_clusters = cluster_index(None if clusters is None else np.asarray(clusters)[known], len(known))
    rng = np.random.default_rng(seed)
    splits = []
    for _ in range(repeats if n_clusters >= 2 else 0):
        dev = np.zeros(n_clusters, dtype=np.bool_)
        dev[rng.permutation(n_clusters)[: n_clusters // 2]] = True
        on_dev = np.zeros(len(sets), dtype=np.bool_)
        on_dev[known] = dev[index]
        on_test = ~on_dev & sets.defined
        splits.append(tune(sets, on_dev, on_test, domain, choose))
    result: dict[str, Any] = {"n": len(known), "splits": splits}
    for name in ("alpha", "test_value", "test_at_0", "test_at_1"):
        values = [split[name] for split in splits]
        result[f"{name}_mean"] = float(np.mean(values)) if values else None
        result[f"{name}_std"] = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return result
