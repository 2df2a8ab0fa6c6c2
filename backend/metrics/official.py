"""Means of means, as benchmarks' own evaluators form them: of groups of items, of files, of families of files.

An undefined verdict (NaN) counts nowhere; a mean that lacks one of its parts is undefined, and says which.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and what it rests on. value: None where undefined. n: items that count. groups: how many groups it is the
    mean of. missing: names of parts that it would need and that have no items.

    >>> mean_of({"replace": Mean(0.5, 10), "swap": Mean(None, 0)}, ["replace", "swap"]).missing
    ('swap',)
    """

    value: float | None
    n: int
    groups: int = 1
    missing: tuple[str, ...] = ()


def share(correct: ArrayLike) -> Mean:
    """The plain mean of verdicts (n,), NaN left out.

    >>> share([1, 0, float("nan"), 1])
    Mean(value=0.6666666666666666, n=3, groups=1, missing=())
    """
    values = _defined(correct)
    return Mean(float(values.mean()), len(values)) if len(values) else Mean(None, 0)


def by_group(correct: ArrayLike, groups: Sequence[str]) -> dict[str, Mean]:
    """The share of right items of each group, groups in the order in which they first occur.

    correct: float (n,), NaN where undefined. groups: (n,), "" for items that belong to none.

    >>> {name: mean.value for name, mean in by_group([1, 0, 1], ["on", "in", "on"]).items()}
    {'on': 1.0, 'in': 0.0}
    """
    values = np.asarray(correct, dtype=np.float64)
    if len(values) != len(groups):
        raise ValueError(f"{len(values)} verdicts and {len(groups)} groups")
    order: dict[str, int] = {}
    codes = np.array([order.setdefault(group, len(order)) for group in groups], dtype=np.intp)
    defined = ~np.isnan(values)
    sums = np.bincount(codes[defined], weights=values[defined], minlength=len(order))
    counts = np.bincount(codes[defined], minlength=len(order))
    return {
        name: Mean(float(sums[code] / counts[code]) if counts[code] else None, int(counts[code]))
        for name, code in order.items()
        if name
    }


def macro(correct: ArrayLike, groups: Sequence[str], minimum: int = 1, drop: Collection[str] = ()) -> Mean:
    """The plain mean of the groups' shares, without groups of fewer than `minimum` items and without those of `drop`.

    A group's size is its number of items with a defined verdict.

    >>> macro([1, 1, 0, 0], ["on", "on", "in", "near"], drop={"near"})
    Mean(value=0.5, n=3, groups=2, missing=())
    """
    kept = [
        mean
        for name, mean in by_group(correct, groups).items()
        if name not in drop and mean.n >= max(minimum, 1) and mean.value is not None
    ]
    return _mean(kept)


def mean_of(parts: Mapping[str, Mean], wanted: Iterable[str]) -> Mean:
    """The unweighted mean of some parts by their names; undefined where one of them is not there or undefined.

    >>> mean_of({"a": Mean(1.0, 10), "b": Mean(0.5, 90)}, ["a", "b"])
    Mean(value=0.75, n=100, groups=2, missing=())
    >>> mean_of({"a": Mean(1.0, 10)}, ["a", "b"])
    Mean(value=None, n=10, groups=1, missing=('b',))
    """
    known = {name: parts.get(name, Mean(None, 0)) for name in wanted}
    # A part that is itself a mean says which of its own parts it lacks: that is what a reader can act upon.
    missing = [inner for name, part in known.items() if part.value is None for inner in part.missing or (name,)]
    found = _mean(list(known.values()))
    return Mean(None if missing else found.value, found.n, found.groups, tuple(missing))


def _mean(parts: Sequence[Mean]) -> Mean:
    values = [part.value for part in parts if part.value is not None]
    return Mean(float(np.mean(values)) if values else None, sum(part.n for part in parts), len(values))


def _defined(correct: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(correct, dtype=np.float64)
    return values[~np.isnan(values)]
