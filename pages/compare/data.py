"""What the Compare and Teach pages read, cached for one generation of the data."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend.kinds import Kind
from backend.metrics.paired.differences import Paired
from backend.metrics.statistics import Rate
from backend.protocols import Protocol
from backend.store.catalog import public
from backend.store.compare import compare, flow, rules, series
from backend.store.compare.compare import ITEMS, SUBSETS
from backend.store.queries import Checkpoint, Shared, Side, shared
from backend.store.rates import asking_orders
from backend.store.rates.asking_orders import Told
from pages.shared.data import best
from pages.shared.data.best import Entry
from pages.shared.data.best_kind import best_kinds
from pages.shared.data.stored import StoredBenchmark, headlines, kept, store


def verdicts(sides: Sequence[Side], metric: str | None, subsets: Sequence[str]) -> Shared:
    """The verdicts that all sides have (see `compare.shared`); kept by the store itself."""
    return shared(store(), tuple(sides), metric, tuple(subsets))


def without(sides: Sequence[Side], k: int) -> tuple[Side, ...]:
    """All sides but the one at position k."""
    return tuple(side for at, side in enumerate(sides) if at != k)


def against(
    sides: Sequence[Side], metric: str | None, subsets: Sequence[str], by: str, weights: str = ITEMS
) -> pd.DataFrame:
    """Every other side against the first, in each group (see `compare.against`)."""
    return _against(tuple(sides), metric, tuple(subsets), by, weights)


@kept("Comparing verdicts …")
def _against(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], by: str, weights: str
) -> pd.DataFrame:
    return compare.against(shared(store(), sides, metric, subsets), by, weights=weights)


def rates(
    sides: Sequence[Side], metric: str | None, subsets: Sequence[str], by: str, weights: str = ITEMS
) -> pd.DataFrame:
    """Each side's rate on the shared verdicts, in each group (see `compare.rates`)."""
    return _rates(tuple(sides), metric, tuple(subsets), by, weights)


@kept()
def _rates(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], by: str, weights: str
) -> pd.DataFrame:
    return compare.rates(shared(store(), sides, metric, subsets), by, weights)


def overall(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], weights: str = ITEMS) -> pd.DataFrame:
    """Every other side against the first over all shared verdicts: those rows of `matrix`. Its p is adjusted over every
    pair of the sides, so that a pair has one p wherever the page speaks of it."""
    pairs = matrix(sides, metric, subsets, weights)
    return pairs[pairs["baseline"] == 0].drop(columns="baseline").reset_index(drop=True)


def dividing(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], among: Sequence[str]) -> list[str]:
    """Those of some labels ("subset", "concept", "perturbation") that do not stand on all shared verdicts alike: what
    these have alike divides nothing."""
    return [name for name in among if _parting(tuple(sides), metric, tuple(subsets), name)]


def parting(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], by: str) -> list[str]:
    """The groups of the shared verdicts by a label, but none that all of them are in."""
    return _parting(tuple(sides), metric, tuple(subsets), by)


@kept()
def _parting(sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], by: str) -> list[str]:
    found = shared(store(), sides, metric, subsets)
    return [name for name, rows in compare.groups(found.frame, by) if not rows.all()]


@kept()
def ranked(benchmark: StoredBenchmark) -> list[Entry]:
    """Its models, the best first, without people and repeats (see `best.ranking`)."""
    apart = best.apart(store(), benchmark.runs, benchmark.partial)
    return best.ranking(headlines(benchmark, "all"), apart, best_kinds(headlines(benchmark, "subset")))


def repeats(sides: Sequence[Side]) -> dict[int, str]:
    """Sides (by position) whose public files hold the head of the first side once more: how."""
    records = [store().run(side.run_id).record for side in sides]
    each = {k: public.repeat(records[0], record) for k, record in enumerate(records) if k}
    return {k: how for k, how in each.items() if how and sides[k].run_id != sides[0].run_id}


def orders_of(sides: Sequence[Side], found: Shared, weights: str = ITEMS) -> dict[int, Told]:
    """Sides (by position) whose choices were asked in several orders: what these say of the shared items."""
    items = found.frame.loc[found.frame["metric"] == "accuracy", "item_no"].to_numpy(dtype=np.intp)
    each = {
        k: asking_orders.told(store(), side.run_id, side.setting.kind, items, equal=weights == SUBSETS)
        for k, side in enumerate(sides)
    }
    return {k: told for k, told in each.items() if told is not None and len(items) == len(found)}


def rules_of(sides: Sequence[Side]) -> tuple[str, ...]:
    """The rule behind each side's verdicts (see `rules.rules`)."""
    return rules.rules(store(), sides)


def uneven(sides: Sequence[Side]) -> frozenset[int]:
    """Sides (by position) that follow another rule than the baseline (see `rules.uneven`)."""
    ruled = rules_of(sides)
    return frozenset(at for at in range(1, len(ruled)) if rules.uneven(sides, ruled, at) is not None)


def chances(
    sides: Sequence[Side], metric: str | None, subsets: Sequence[str], weights: str
) -> tuple[float, ...] | None:
    """What chance alone reaches, by side, where they follow different rules (see `rules.chances`)."""
    if len({bool(rule) for rule in rules_of(sides)}) < 2:  # nothing is read of sides that follow one rule
        return None
    return _chances(tuple(sides), metric, tuple(subsets), weights)


@kept()
def _chances(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], weights: str
) -> tuple[float, ...] | None:
    return rules.chances(store(), sides, shared(store(), sides, metric, subsets), weights)


def chances_by(
    sides: Sequence[Side], metric: str | None, subsets: Sequence[str], by: str, weights: str
) -> dict[str, tuple[float, ...]]:
    """Group -> what chance alone reaches in it, by side, where these follow different rules (see `rules.chances`)."""
    if len({bool(rule) for rule in rules_of(sides)}) < 2:
        return {}
    found = shared(store(), tuple(sides), metric, tuple(subsets))
    each = {
        name: rules.chances(store(), sides, found.only(rows), weights)
        for name, rows in compare.groups(found.frame, by)
    }  # fmt: skip
    return {name: level for name, level in each.items() if level is not None}


def even(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], weights: str) -> dict[int, Paired]:
    """Sides (by position) that follow another rule than the baseline -> how they compare by one (see `rules.even`);
    none where subsets weigh the same, of which that test knows nothing."""
    if weights == SUBSETS or not uneven(sides):
        return {}
    return _even(tuple(sides), metric, tuple(subsets))


@kept()
def _even(sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...]) -> dict[int, Paired]:
    found = shared(store(), sides, metric, subsets)
    each = {at: rules.even(store(), sides, found, at) for at in range(1, len(sides))}
    return {at: paired for at, paired in each.items() if paired is not None and paired.n}


def other_orders(
    sides: Sequence[Side], names: Sequence[str], metric: str | None, subsets: Sequence[str]
) -> dict[int, str]:
    """Sides (by position) that were asked in orders of other names than the baseline -> that, in a sentence (see
    `rules.other_orders`)."""
    if sum(side.setting.kind == Kind.VERDICT for side in sides) < 2:
        return {}
    return _other_orders(tuple(sides), tuple(names), metric, tuple(subsets))


@kept()
def _other_orders(
    sides: tuple[Side, ...], names: tuple[str, ...], metric: str | None, subsets: tuple[str, ...]
) -> dict[int, str]:
    found = shared(store(), sides, metric, subsets)
    each = {at: rules.other_orders(store(), sides, names, found, at) for at in range(1, len(sides))}
    return {at: said for at, said in each.items() if said}


def means(
    sides: Sequence[Side], metric: str | None, subsets: Sequence[str], by: str, weights: str
) -> dict[int, dict[str, Rate]]:
    """Sides (by position) that were asked in several orders -> group -> the mean of these (see `rules.means`)."""
    return _means(tuple(sides), metric, tuple(subsets), by, weights)


@kept()
def _means(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], by: str, weights: str
) -> dict[int, dict[str, Rate]]:
    found = shared(store(), sides, metric, subsets)
    each = {k: rules.means(store(), side, found, by, weights) for k, side in enumerate(sides)}
    return {k: of for k, of in each.items() if of}


def matrix(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], weights: str = ITEMS) -> pd.DataFrame:
    """Every pair of sides (see `compare.matrix`)."""
    return _matrix(tuple(sides), metric, tuple(subsets), weights)


@kept("Comparing verdicts …")
def _matrix(sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], weights: str) -> pd.DataFrame:
    return compare.matrix(shared(store(), sides, metric, subsets), weights)


def family(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], protocol: Protocol) -> Shared:
    """The verdicts of one protocol that all sides have (see `flow.family`)."""
    return flow.family(verdicts(sides, metric, subsets), protocol)


def words(sides: Sequence[Side], metric: str | None, subsets: Sequence[str], protocol: Protocol) -> pd.DataFrame:
    """Cells and reasons of these verdicts under the first two sides (see `flow.words`)."""
    return _words(tuple(sides[:2]), tuple(sides), metric, tuple(subsets), protocol)


@kept("Reading the reasons of both …")
def _words(
    pair: tuple[Side, ...], sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], protocol: Protocol
) -> pd.DataFrame:
    return flow.words(store(), family(sides, metric, subsets, protocol), pair, protocol)


def all_series(benchmark: StoredBenchmark) -> dict[str, list[Checkpoint]]:
    """Series of checkpoints on a benchmark (see `series.series`)."""
    return series.series(store(), benchmark.hash)


def accuracy(points: Sequence[Checkpoint], kind: str, metrics: tuple[str, ...]) -> pd.DataFrame:
    """Rates by subset over steps (see `series.accuracy`)."""
    return _accuracy(tuple(points), kind, metrics)


@kept()
def _accuracy(points: tuple[Checkpoint, ...], kind: str, metrics: tuple[str, ...]) -> pd.DataFrame:
    return series.accuracy(store(), list(points), kind, metrics)


def deviation(points: Sequence[Checkpoint], kind: str, subset: str | None) -> pd.DataFrame:
    """Scale-free deviations over steps (see `series.deviation`); kept by the store itself."""
    return series.deviation(store(), list(points), kind, subset)


def alpha_star(points: Sequence[Checkpoint], subset: str | None) -> pd.DataFrame:
    """α* over steps (see `series.alpha_star`)."""
    return _alpha_star(tuple(points), subset)


@kept()
def _alpha_star(points: tuple[Checkpoint, ...], subset: str | None) -> pd.DataFrame:
    return series.alpha_star(store(), list(points), subset)
