"""Several systems on the items that all of them have judged: verdicts side by side, and what tests say about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import union_categoricals

from backend.items import Protocol
from backend.metrics import statistics
from backend.metrics.core.registry import deciding
from backend.metrics.paired.equal_weight import Alike, alike, mean_of
from backend.metrics.paired.multiplicity import benjamini_hochberg, holm
from backend.metrics.paired.paired import Pair, pair
from backend.metrics.paired.resampling import where_shared
from backend.store.build.store import Store
from backend.store.compare import one_side
from backend.store.rates import asking_orders
from backend.store.rates.both_paraphrases import bounded
from backend.store.rates.rates import HEADLINES
from backend.store.scores.matrices import JOIN
from backend.store.scores.setting import Setting

#: What a verdict is about; two systems are compared where all of these agree. `pool`: a recall on a labelled part of a
#: pool compares with none on another part.
KEYS = ("item_no", "query", "metric", "pool")
KEPT = (*KEYS, "item_id", "subset", "concept", "perturbation", "cluster")

#: What weighs the same in a rate and in a gain: every verdict, or every subset that a group has verdicts of.
ITEMS, SUBSETS = "items", "subsets"
WEIGHTS = (ITEMS, SUBSETS)

#: Columns of `against`, a row a group and side.
COLUMNS = (
    "side", "group", "n", "clusters", "rate_a", "rate_b", "gain", "low", "high", "both", "only_a", "only_b", "neither",
    "p", "holm", "bh", "agreement", "kappa", "kappa_low", "kappa_high", "overlap", "overlap_chance",
)  # fmt: skip


@dataclass(frozen=True)
class Side:
    """One system: a run under a setting."""

    run_id: str
    setting: Setting


@dataclass(frozen=True)
class Shared:
    """The verdicts that all k sides have.

    frame: KEPT, a row a verdict, in item order; cluster is a number, the same for verdicts on one image; words that
    repeat are categorical (`one_side.CATEGORIES`).
    correct: bool (n, k). margin: float (n, k), each column in the unit of
    its side's kind. judged: how many verdicts each side has on its own. elsewhere: protocols' pools or metrics that
    some sides have and others lack, in words. unlike: verdicts left out, for they were asked for in other numbers of
    orders on some sides.
    """

    frame: pd.DataFrame
    correct: NDArray[np.bool_]
    margin: NDArray[np.float64]
    judged: tuple[int, ...]
    elsewhere: tuple[str, ...]
    unlike: int = 0

    def __len__(self) -> int:
        return len(self.frame)

    def only(self, keep: NDArray[np.bool_]) -> "Shared":
        """Some of the verdicts."""
        if keep.all():
            return self
        correct, margin = self.correct[keep], self.margin[keep]
        return Shared(self.frame[keep], correct, margin, self.judged, self.elsewhere, self.unlike)


def shared(store: Store, sides: Sequence[Side], metric: str | None = None, subsets: Sequence[str] = ()) -> Shared:
    """The verdicts of all sides where each has one (defined, under the same metric and pool).

    metric: None takes each protocol's headline metric; where a side was asked for verdicts, the text score stands for
    quads on every side, because that is all of a quad that it has. subsets: only these; none means all. What is only a
    lower bound on a side (`both_paraphrases`) compares with nothing: that side has no verdict of it. Items that were
    asked in other numbers of orders on some sides are left out (`asking_orders.alike`), and counted in `unlike`.
    """
    key = ("shared", tuple(sides), metric, tuple(subsets))
    return store.cached(key, lambda: _shared(store, sides, metric, frozenset(subsets)))


def headline_metrics(kinds: Sequence[str]) -> tuple[str, ...]:
    """The metrics that stand for a protocol on all of these kinds at once: where a kind does not allow a headline, what
    stands for it there stands for it everywhere.

    >>> headline_metrics(["itc"]) == HEADLINES, "group_score" in headline_metrics(["itc", "verdict"])
    (True, False)
    """
    pairs = ((deciding(protocol), deciding(protocol, kind)) for protocol in Protocol for kind in kinds)
    instead = {usual: own for usual, own in pairs if usual and own and own not in HEADLINES}
    return tuple(instead.get(name, name) for name in HEADLINES)


def _shared(store: Store, sides: Sequence[Side], metric: str | None, subsets: frozenset[str]) -> Shared:
    wanted = (metric,) if metric else headline_metrics([side.setting.kind for side in sides])
    parts = [_part(store, side, wanted, subsets) for side in sides]
    at = _rows_in_common(parts)
    same = asking_orders.alike(store, [(side.run_id, side.setting.kind) for side in sides],
                               parts[0]["item_no"].to_numpy(dtype=np.intp)[at[0]])  # fmt: skip
    at = at if same.all() else [rows[same] for rows in at]
    found = parts[0] if _is_whole(at[0], len(parts[0])) else parts[0].iloc[at[0]]
    found = found[list(KEPT)].reset_index(drop=True)
    found["cluster"] = pd.factorize(found["cluster"])[0]  # numbers: a million names take seconds to sort
    columns = {
        name: np.stack([part[name].to_numpy()[rows] for part, rows in zip(parts, at, strict=True)], axis=1)
        for name in ("correct", "margin")
    }
    judged = tuple(len(part) for part in parts)
    apart = _elsewhere(parts)
    return Shared(found, columns["correct"], columns["margin"], judged, apart, int((~same).sum()))


def _part(store: Store, side: Side, metrics: Sequence[str], subsets: frozenset[str]) -> pd.DataFrame:
    """The defined verdicts of one side in item order: KEPT, correct (bool), margin. subsets: only these; none: all."""
    known = bounded(store, side.run_id, side.setting.kind, metrics, ",".join(sorted(subsets)) or None)
    part = one_side.verdicts(store, side.run_id, side.setting, [name for name in metrics if name not in known])
    return part[part["subset"].isin(subsets)] if subsets else part


def _is_whole(rows: NDArray[np.intp], n: int) -> bool:
    return len(rows) == n and bool((rows == np.arange(n)).all())


def _rows_in_common(parts: Sequence[pd.DataFrame]) -> list[NDArray[np.intp]]:
    """Where the verdicts that all parts have stand in each of them, in the order of the first."""
    keys = _keys(parts)
    if all(np.array_equal(keys[0], key) for key in keys[1:]):  # in the same order: nothing has to be sought
        return [np.arange(len(keys[0]))] * len(keys)
    found = pd.DataFrame({"key": keys[0], "at_0": np.arange(len(keys[0]))})
    for k, key in enumerate(keys[1:], start=1):
        found = found.merge(pd.DataFrame({"key": key, f"at_{k}": np.arange(len(key))}), on="key")
    return [found[f"at_{k}"].to_numpy(dtype=np.intp) for k in range(len(parts))]


def _keys(parts: Sequence[pd.DataFrame]) -> list[NDArray[np.int64]]:
    """KEYS of each row of each part as one number, the same for the same keys."""
    ends = np.cumsum([len(part) for part in parts])[:-1]
    key = np.zeros(sum(map(len, parts)), dtype=np.int64)
    for name in KEYS:
        if name in one_side.CATEGORIES:
            codes = union_categoricals([part[name] for part in parts]).codes.astype(np.int64)
        else:
            codes = np.concatenate([part[name].to_numpy(dtype=np.int64) for part in parts])
            codes = codes - codes.min(initial=0)  # a query is -1 where there is none
        key = key * (1 + int(codes.max(initial=0))) + codes
    return np.split(key, ends)


def _elsewhere(parts: Sequence[pd.DataFrame]) -> tuple[str, ...]:
    """Groups of verdicts that not every side has: `retrieval (100 images x 300 texts)`."""
    named = list[set[str]]()
    for part in parts:
        each = part[["subset", "pool"]].drop_duplicates().astype(str)
        named.append({f"{subset} ({pool})" if pool else subset for subset, pool in each.to_numpy().tolist()})
    there, common = set[str]().union(*named), named[0].intersection(*named[1:])
    return tuple(sorted(there - common))


def against(
    found: Shared, by: str = "", baseline: int = 0, others: Sequence[int] | None = None, weights: str = ITEMS
) -> pd.DataFrame:
    """COLUMNS: every other side (its position) against the baseline, in each group; gains are other − baseline.

    by: "" (one group, ""), "subset", "concept" or "perturbation"; an item with several concepts counts in each. p is
    exact (`signflip.sign_flip`); holm and bh are adjusted over all rows of this table that have a test.

    weights: of WEIGHTS. With SUBSETS rates and gain are means over the subsets of their own rates, with interval and p
    of `equal_weight`, and so are agreement, κ and overlap; counts stay those of the verdicts.
    """
    positions = [k for k in range(found.correct.shape[1]) if k != baseline] if others is None else list(others)
    rows, every = [], _whole(found, weights)
    for name, keep in groups(found.frame, by):
        group = _group(every, keep)
        rows += [(other, name, *_row(group, baseline, other)) for other in positions]
    return _adjusted(pd.DataFrame(rows, columns=[c for c in COLUMNS if c not in ("holm", "bh")]))


def matrix(found: Shared, weights: str = ITEMS) -> pd.DataFrame:
    """Every pair of sides over all shared verdicts: baseline (its position) and COLUMNS, adjusted over the pairs.
    weights: as of `against`."""
    k, every = found.correct.shape[1], _whole(found, weights)
    rows = [(a, b, "", *_row(every, a, b)) for a in range(k) for b in range(a + 1, k)]
    return _adjusted(pd.DataFrame(rows, columns=["baseline", *(c for c in COLUMNS if c not in ("holm", "bh"))]))


def rates(found: Shared, by: str = "", weights: str = ITEMS) -> pd.DataFrame:
    """side (position), group, value, n, low, high: each side's rate on the shared verdicts, with its 95 % interval.
    weights: as of `against`."""
    rows, every = [], _whole(found, weights)
    for name, keep in groups(found.frame, by):
        group = _group(every, keep)
        shared_ = None if group.equal else where_shared(group.clusters)
        for side, right in enumerate(group.correct):
            rate = (
                mean_of(right, group.names, group.clusters) if group.equal else statistics.rate(right, clusters=shared_)
            )
            rows.append((side, name, rate.value, len(right), *(rate.ci95 or (None, None))))
    frame = pd.DataFrame(rows, columns=["side", "group", "value", "n", "low", "high"])
    return frame.astype(dict.fromkeys(("value", "low", "high"), float))


def groups(frame: pd.DataFrame, by: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Each group's name and which rows are in it, in the order in which they first appear."""
    if not by:
        yield "", np.ones(len(frame), dtype=bool)
        return
    codes, joined = pd.factorize(frame[by])
    members: dict[str, list[int]] = {}
    for k, names in enumerate(map(str, joined)):
        for name in names.split(JOIN) if by != "subset" else [names]:
            if name:
                members.setdefault(name, []).append(k)
    for name, places in members.items():
        inside = np.zeros(len(joined), dtype=np.bool_)
        inside[places] = True
        yield name, inside[codes]


@dataclass(frozen=True)
class _Group:
    """n verdicts of a group. correct: each side's, contiguous (n,); clusters (n,); subsets: the place of each
    verdict's subset among `called`, (n,); equal: whether subsets weigh the same, and there are several."""

    correct: tuple[NDArray[np.bool_], ...]
    clusters: NDArray[np.int64]
    subsets: NDArray[np.intp]
    called: NDArray[np.object_]
    equal: bool

    @property
    def names(self) -> NDArray[np.object_]:
        """The subset of each verdict, (n,)."""
        return self.called[self.subsets]


def _whole(found: Shared, weights: str) -> _Group:
    """All of the verdicts, taken apart once for all that is asked of them."""
    if weights not in WEIGHTS:
        raise ValueError(f"weights: expected one of {', '.join(WEIGHTS)}, got {weights!r}")
    subsets, called = pd.factorize(found.frame["subset"])
    return _Group(
        tuple(np.ascontiguousarray(column) for column in found.correct.T), found.frame["cluster"].to_numpy(), subsets,
        np.asarray(called, dtype=object), weights == SUBSETS and len(called) > 1,
    )  # fmt: skip


def _group(every: _Group, keep: NDArray[np.bool_]) -> _Group:
    """Some of the verdicts."""
    if keep.all():
        return every
    rows = np.flatnonzero(keep)
    own = every.subsets[rows]
    equal = every.equal and len(pd.unique(own)) > 1  # where there is one alone, its items weigh the same anyway
    return _Group(tuple(right[rows] for right in every.correct), every.clusters[rows], own, every.called, equal)


def _row(group: _Group, a: int, b: int) -> tuple[object, ...]:
    """One row of the tables."""
    right_a, right_b = group.correct[a], group.correct[b]
    t: Pair = pair(right_a, right_b, group.clusters)
    rates_: tuple[float | None, ...] = (float(right_a.mean()), float(right_b.mean())) if t.n else (None, None)
    gain, ends, p = t.gain, t.gain_ci, t.p
    same: Pair | Alike = t
    if group.equal:
        gaps, names = right_b.astype(np.float64) - right_a, group.names
        mean = mean_of(gaps, names, group.clusters, gaps=True)
        each = (mean_of(right, names, group.clusters).value for right in (right_a, right_b))
        rates_, gain, ends, p = tuple(each), mean.value, mean.ci95, mean.p
        same = alike(right_a, right_b, names, group.clusters)
    return (
        t.n, t.clusters, *rates_, gain, *(ends or (None, None)), t.both, t.only_a, t.only_b, t.neither, p,
        same.agreement, same.kappa, *(same.kappa_ci or (None, None)), same.overlap, same.overlap_chance,
    )  # fmt: skip


def _adjusted(frame: pd.DataFrame) -> pd.DataFrame:
    whole = ("side", "n", "clusters", "both", "only_a", "only_b", "neither", "baseline")
    numbers = [c for c in frame.columns if c not in (*whole, "group")]
    frame = frame.astype(dict.fromkeys(numbers, float))
    p = frame["p"].to_numpy()
    at = list(frame.columns).index("p") + 1
    frame.insert(at, "holm", holm(p))
    frame.insert(at + 1, "bh", benjamini_hochberg(p))
    return frame
