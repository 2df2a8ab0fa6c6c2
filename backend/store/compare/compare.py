"""Several systems on the items that all of them have judged: verdicts side by side, and what tests say about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Kind, Protocol
from backend.metrics import statistics
from backend.metrics.core.registry import deciding
from backend.metrics.paired.equal_weight import Alike, alike, equal_sign_flip, mean_of
from backend.metrics.paired.multiplicity import benjamini_hochberg, holm
from backend.metrics.paired.paired import Pair, pair
from backend.metrics.paired.resampling import where_shared
from backend.store.build.store import Store
from backend.store.rates.rates import HEADLINES
from backend.store.scores import outcomes
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

    frame: KEPT, a row a verdict, in item order; cluster is a number, the same for verdicts on one image.
    correct: bool (n, k). margin: float (n, k), each column in the unit of
    its side's kind. judged: how many verdicts each side has on its own. elsewhere: protocols' pools or metrics that
    some sides have and others lack, in words.
    """

    frame: pd.DataFrame
    correct: NDArray[np.bool_]
    margin: NDArray[np.float64]
    judged: tuple[int, ...]
    elsewhere: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.frame)

    def only(self, keep: NDArray[np.bool_]) -> "Shared":
        """Some of the verdicts."""
        return Shared(self.frame[keep], self.correct[keep], self.margin[keep], self.judged, self.elsewhere)


def shared(store: Store, sides: Sequence[Side], metric: str | None = None, subsets: Sequence[str] = ()) -> Shared:
    """The verdicts of all sides where each has one (defined, under the same metric and pool).

    metric: None takes each protocol's headline metric; where a side was asked for verdicts, the text score stands for
    quads on every side, because that is all of a quad that it has. subsets: only these; none means all.
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
    parts = []
    for side in sides:
        part = _stored(store, side, wanted)
        part = outcomes.compute(store, side.run_id, side.setting) if part is None else part
        keep = part["metric"].isin(wanted) & part["correct"].notna()
        parts.append(part[keep & part["subset"].isin(subsets)] if subsets else part[keep])
    frame = parts[0][list(KEPT)].assign(at_0=np.arange(len(parts[0])))
    for k, part in enumerate(parts[1:], start=1):
        if all(_alike(frame[name], part[name]) for name in KEYS):  # in the same order: nothing has to be sought
            frame = frame.assign(**{f"at_{k}": np.arange(len(part))})
        else:
            frame = frame.merge(part[list(KEYS)].assign(**{f"at_{k}": np.arange(len(part))}), on=list(KEYS))
    at = [frame[f"at_{k}"].to_numpy(dtype=np.intp) for k in range(len(parts))]
    correct = [part["correct"].to_numpy(dtype=bool)[rows] for part, rows in zip(parts, at, strict=True)]
    margin = [part["margin"].to_numpy(dtype=float)[rows] for part, rows in zip(parts, at, strict=True)]
    found = frame[list(KEPT)].reset_index(drop=True)
    found["cluster"] = pd.factorize(found["cluster"])[0]  # numbers: a million names take seconds to sort
    judged = tuple(len(part) for part in parts)
    return Shared(found, np.stack(correct, axis=1), np.stack(margin, axis=1), judged, _elsewhere(parts))


def _alike(one: pd.Series, other: pd.Series) -> bool:
    """Whether two columns say the same, row by row."""
    return len(one) == len(other) and bool((one.to_numpy() == other.to_numpy()).all())


def _stored(store: Store, side: Side, metrics: Sequence[str]) -> pd.DataFrame | None:
    """What is needed here of `outcomes.compute`, read from what is stored of a default setting by these metrics alone.
    None where nothing is."""
    if not side.setting.is_default or side.setting.kind == Kind.PRIOR:
        return None
    cursor = store.cursor()
    binds = {"run": side.run_id, "kind": side.setting.kind, "metrics": list(metrics)}
    which = "FROM outcomes o WHERE o.run_id = $run AND o.kind = $kind AND list_contains($metrics::VARCHAR[], o.metric)"
    names = [str(name) for (name,) in cursor.execute(f"SELECT DISTINCT o.metric {which}", binds).fetchall()]
    of_pools = [name for name in names if "_recall_at_" in name]
    sizes = _sizes(cursor, side, of_pools) if of_pools else {}
    if not names or sizes is None:
        return None
    asked = f"SELECT o.item_no, o.query, o.metric, o.correct, o.margin {which}"
    verdicts = cursor.sql(asked, params=binds).to_arrow_table()
    items = _items(store, store.run(side.run_id).benchmark)
    number, query = (verdicts[name].to_numpy().astype(np.int64) for name in ("item_no", "query"))
    known = items["item_no"].to_numpy()
    place = np.minimum(np.searchsorted(known, number), max(0, len(known) - 1))
    rows = np.flatnonzero(known[place] == number) if len(known) else np.zeros(0, dtype=np.intp)
    if (np.diff(number[rows]) < 0).any() or (np.diff(query[rows])[np.diff(number[rows]) == 0] < 0).any():
        rows = rows[np.lexsort((rows, query[rows], number[rows]))]  # as they are stored where nothing else tells
    coded = verdicts["metric"].combine_chunks().dictionary_encode()
    correct = verdicts["correct"].combine_chunks()
    found: pd.DataFrame = items.iloc[place[rows]].reset_index(drop=True)
    found = found.assign(
        query=query[rows],
        metric=pd.array(coded.dictionary.to_pylist(), dtype="str").take(coded.indices.to_numpy()[rows]),
        pool="",
        correct=pd.arrays.BooleanArray(
            correct.fill_null(False).to_numpy(zero_copy_only=False)[rows],
            correct.is_null().to_numpy(zero_copy_only=False)[rows],
        ),
        margin=verdicts["margin"].to_numpy()[rows],
    )
    if of_pools:
        in_pool = found["metric"].isin(of_pools)
        found.loc[in_pool, "pool"] = found.loc[in_pool, "subset"].map(sizes)
    return found


def _items(store: Store, benchmark: str) -> pd.DataFrame:
    """The items of a benchmark (hash) in their order: item_no, item_id, subset, concept, perturbation, cluster."""
    asked = f"""SELECT item_no::BIGINT AS item_no, item_id, subset, array_to_string(concepts, '{JOIN}') AS concept,
        array_to_string(perturbations, '{JOIN}') AS perturbation, cluster
        FROM items WHERE benchmark = ? ORDER BY item_no"""

    def make() -> pd.DataFrame:
        found: pd.DataFrame = store.cursor().sql(asked, params=[benchmark]).to_arrow_table().to_pandas()
        return found

    return store.cached(("items compared", benchmark), make)


def _sizes(cursor: duckdb.DuckDBPyConnection, side: Side, metrics: Sequence[str]) -> dict[str, str] | None:
    """Subset -> "" or the size of its pool, which is only a labelled part of it, as the rates that are kept by subset
    name their groups; None where they name none, or two of one subset."""
    said = cursor.execute(
        """SELECT DISTINCT "group" FROM rates
        WHERE run_id = $run AND kind = $kind AND "by" = 'subset' AND list_contains($metrics::VARCHAR[], metric)""",
        {"run": side.run_id, "kind": side.setting.kind, "metrics": list(metrics)},
    ).fetchall()
    judged = cursor.execute(
        """SELECT DISTINCT i.subset FROM outcomes o JOIN items i ON i.item_no = o.item_no
            AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
        WHERE o.run_id = $run AND o.kind = $kind AND list_contains($metrics::VARCHAR[], o.metric)""",
        {"run": side.run_id, "kind": side.setting.kind, "metrics": list(metrics)},
    ).fetchall()
    groups, found = {str(name) for (name,) in said}, dict[str, str]()
    for (subset,) in judged:
        own = [group for group in groups if group == subset or group.startswith(f"{subset} (")]
        if len(own) != 1:
            return None
        found[str(subset)] = own[0].removeprefix(str(subset)).removeprefix(" (").removesuffix(")")
    return found


def _elsewhere(parts: Sequence[pd.DataFrame]) -> tuple[str, ...]:
    """Groups of verdicts that not every side has: `retrieval (100 images x 300 texts)`."""
    each = [part[["subset", "pool"]].drop_duplicates() for part in parts]
    named = [{f"{subset} ({pool})" if pool else subset for subset, pool in of.itertuples(index=False)} for of in each]
    there = set.union(*named)
    return tuple(sorted(there - set.intersection(*named)))


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
    strata = pd.factorize(found.frame["subset"])[0] if not by else None
    rows = [
        (other, name, *_row(found, keep, baseline, other, strata, weights))
        for name, keep in groups(found.frame, by)
        for other in positions
    ]
    return _adjusted(pd.DataFrame(rows, columns=[c for c in COLUMNS if c not in ("holm", "bh")]))


def matrix(found: Shared, weights: str = ITEMS) -> pd.DataFrame:
    """Every pair of sides over all shared verdicts: baseline (its position) and COLUMNS, adjusted over the pairs.
    weights: as of `against`."""
    k = found.correct.shape[1]
    strata = pd.factorize(found.frame["subset"])[0]
    every = np.ones(len(found), dtype=bool)
    rows = [(a, b, "", *_row(found, every, a, b, strata, weights)) for a in range(k) for b in range(a + 1, k)]
    return _adjusted(pd.DataFrame(rows, columns=["baseline", *(c for c in COLUMNS if c not in ("holm", "bh"))]))


def rates(found: Shared, by: str = "", weights: str = ITEMS) -> pd.DataFrame:
    """side (position), group, value, n, low, high: each side's rate on the shared verdicts, with its 95 % interval.
    weights: as of `against`."""
    rows = []
    for name, keep in groups(found.frame, by):
        clusters = found.frame["cluster"].to_numpy()[keep]
        subsets = found.frame["subset"].to_numpy()[keep]
        grouped, equal = where_shared(clusters), _is_equal(weights, subsets)
        for side in range(found.correct.shape[1]):
            right = found.correct[keep, side]
            rate = mean_of(right, subsets, clusters) if equal else statistics.rate(right, clusters=grouped)
            rows.append((side, name, rate.value, len(right), *(rate.ci95 or (None, None))))
    frame = pd.DataFrame(rows, columns=["side", "group", "value", "n", "low", "high"])
    return frame.astype(dict.fromkeys(("value", "low", "high"), float))


def groups(frame: pd.DataFrame, by: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Each group's name and which rows are in it, in the order in which they first appear."""
    if not by:
        yield "", np.ones(len(frame), dtype=bool)
        return
    values = frame[by].astype(str)
    members: dict[str, list[str]] = {}
    for joined in values.unique():
        for name in joined.split(JOIN) if by != "subset" else [joined]:
            if name:
                members.setdefault(name, []).append(joined)
    for name, joined_values in members.items():
        yield name, values.isin(joined_values).to_numpy(dtype=bool)


def smallest(found: Shared) -> tuple[str, int]:
    """The subset with the fewest clusters, and how many it has; ("", 0) without verdicts."""
    each = found.frame.groupby("subset", sort=False)["cluster"].nunique()
    return (str(each.idxmin()), int(each.min())) if len(each) else ("", 0)


def _is_equal(weights: str, subsets: NDArray[np.object_]) -> bool:
    """Whether subsets are weighed: where there is one alone, its items weigh the same anyway."""
    if weights not in WEIGHTS:
        raise ValueError(f"weights: expected one of {', '.join(WEIGHTS)}, got {weights!r}")
    return weights == SUBSETS and len(pd.unique(subsets)) > 1


def _row(
    found: Shared, keep: NDArray[np.bool_], a: int, b: int, strata: NDArray[np.intp] | None, weights: str
) -> tuple[object, ...]:
    clusters = found.frame["cluster"].to_numpy()[keep]
    right_a, right_b = found.correct[keep, a], found.correct[keep, b]
    t: Pair = pair(right_a, right_b, clusters, strata[keep] if strata is not None else None)
    rates_: tuple[float | None, ...] = (float(right_a.mean()), float(right_b.mean())) if t.n else (None, None)
    gain, ends, p = t.gain, t.gain_ci, t.p
    same: Pair | Alike = t
    subsets = found.frame["subset"].to_numpy()[keep]
    if _is_equal(weights, subsets):
        gaps = right_b.astype(np.float64) - right_a
        mean = mean_of(gaps, subsets, clusters, gaps=True)
        each = (mean_of(right, subsets, clusters).value for right in (right_a, right_b))
        rates_, gain, ends, p = tuple(each), mean.value, mean.ci95, equal_sign_flip(gaps, subsets, clusters)
        same = alike(right_a, right_b, subsets, clusters)
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
