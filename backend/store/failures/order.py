"""What a filter leaves in its order: a page of rows, or the ids of all items."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from backend.store.build.store import Store
from backend.store.failures import columns, models_right
from backend.store.failures.columns import UNDEFINED, Floats
from backend.store.failures.conditions import Asked
from backend.store.failures.filter import BY_MARGIN, FailureFilter
from backend.store.rates.asking_orders import has_margins

#: A page is cut out of all that is left before it is put in order, where that is at least so many times as many.
_MANY = 4


def page(store: Store, wanted: FailureFilter, asked: Sequence[Asked]) -> pd.DataFrame:
    """The rows of a page, see `failures.FailurePage`."""
    cursor = store.cursor()
    part, row = _sorted(store, wanted, asked, wanted.offset + wanted.limit)
    here = slice(wanted.offset, wanted.offset + wanted.limit)
    shown, counted = _table(asked, part[here], row[here]), models_right.of_filter(store, wanted)
    cursor.register("page", shown)
    # Of a million counts those of a page's items are picked out here, several times as fast as by a query.
    cursor.register("models_right", counted.filter(pc.is_in(counted["item_no"], pc.unique(shown["item_no"]))))
    found = cursor.execute(
        """SELECT p.item_no, i.item_id, i.subset, i.protocol, i.texts, i.image_keys, i.image_uris, i.cluster,
            p.run_id, p.benchmark, i.concepts, i.perturbations, p.metric, p.query, p.correct, p.margin, p.ties, p.cell,
            p.reason, p.own_tags, p.noted, p.own_verdict, p.own_date, p.other_correct, p.other_margin,
            m.models_right, m.models_judging, m.people_right
        FROM page p JOIN items i ON i.item_no = p.item_no AND i.benchmark = p.benchmark
            AND i.item_no IN (SELECT item_no FROM page)
        LEFT JOIN models_right m
            ON m.benchmark = p.benchmark AND m.item_no = p.item_no AND m.metric = p.metric AND m.query = p.query
        ORDER BY place"""
    ).df()
    cursor.close()
    bare = {
        run for run in (*found["run_id"].unique(), wanted.other_run or "") if run and not _margins(store, wanted, run)
    }
    if not bare:
        return found
    return found.assign(
        margin=found["margin"].mask(found["run_id"].isin(bare)),
        other_margin=np.nan if wanted.other_run in bare else found["other_margin"],
    )


def _margins(store: Store, wanted: FailureFilter, run_id: str) -> bool:
    """Whether a run of a filter has margins (see `asking_orders.has_margins`)."""
    setting = wanted.other_setting if run_id == wanted.other_run and wanted.other_setting else wanted.setting
    return has_margins(store, run_id, setting.kind)


def ids(store: Store, wanted: FailureFilter, asked: Sequence[Asked]) -> list[str]:
    """The ids of all items that are left, each once, in the filter's order."""
    part, row = _sorted(store, wanted, asked, sum(len(each.hits) for each in asked))
    benchmarks = [each.items.benchmark for each in asked]
    number = np.empty(len(part), dtype=np.int64)
    for at, each in enumerate(asked):
        mine = part == at
        number[mine] = each.items.item_no[each.verdicts.item[row[mine]]]
    cursor = store.cursor()
    names = pa.DictionaryArray.from_arrays(pa.array(part.astype(np.int32)), pa.array(benchmarks))
    cursor.register("in_order", pa.table({"place": np.arange(len(part)), "benchmark": names, "item_no": number}))
    rows = cursor.execute(
        "SELECT item_id FROM in_order JOIN items USING (benchmark, item_no) ORDER BY place"
    ).fetchall()
    cursor.close()
    return list(dict.fromkeys(str(name) for (name,) in rows))


def _sorted(
    store: Store, wanted: FailureFilter, asked: Sequence[Asked], most: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(which of `asked`, which of its rows) of the first `most` that are left, in the filter's order."""
    rows = [each.hits for each in asked]
    part = np.repeat(np.arange(len(asked)), [len(of) for of in rows])
    if not by_margins(store, wanted):
        wanted = replace(wanted, sort="item")  # verdicts alone stand for margins of ±1, which say nothing of an order
    keys = [np.concatenate(column) for column in zip(*_keys(store, wanted, asked, rows), strict=True)]
    row = np.concatenate(rows)
    chosen = np.arange(len(row))
    if 0 < _MANY * most < len(row):
        first = np.where(np.isnan(keys[0]), np.inf, keys[0])
        chosen = np.flatnonzero(first <= np.partition(first, most - 1)[most - 1])
    order = chosen[np.lexsort([key[chosen] for key in reversed(keys)])][:most]
    return part[order], row[order]


def by_margins(store: Store, wanted: FailureFilter) -> bool:
    """Whether a filter's order can be kept: one by margins only where every run that it rests on has margins (see
    `asking_orders.has_margins`), else the items stand in the benchmark's order."""
    if wanted.sort not in BY_MARGIN:
        return True
    runs = [wanted.run_id, *wanted.also]
    if wanted.sort == "gap" and wanted.other_run:
        runs.append(wanted.other_run)
    return all(_margins(store, wanted, run) for run in runs)


def _keys(
    store: Store, wanted: FailureFilter, asked: Sequence[Asked], rows: Sequence[NDArray[np.intp]]
) -> list[list[NDArray[np.generic]]]:
    """What each run's rows are sorted by, ascending, missing ones last; what is equal by benchmark, item, metric and
    query."""
    benchmarks = sorted({each.items.benchmark for each in asked})
    metrics = sorted({name for each in asked for name in each.verdicts.metric.names})
    found = []
    for each, of in zip(asked, rows, strict=True):
        number = each.items.item_no[each.verdicts.item[of]]
        names = np.array([metrics.index(name) for name in each.verdicts.metric.names] or [0])
        first = [key.astype(np.float64) for key in _first(store, wanted, each, of, number)]
        where = np.full(len(of), benchmarks.index(each.items.benchmark))
        found.append([*first, where, number, names[each.verdicts.metric.codes[of]], each.verdicts.query[of]])
    return found


def _first(
    store: Store, wanted: FailureFilter, asked: Asked, rows: NDArray[np.intp], number: NDArray[np.int64]
) -> list[NDArray[np.generic]]:
    sort = wanted.sort
    margin = asked.verdicts.margin[rows]
    if sort in ("fewest", "most"):
        right, judging = (of[rows] for of in _models(store, wanted, asked))
        return [right, -judging, margin] if sort == "fewest" else [-right, judging, -margin]
    if sort == "item":
        return [number]
    if sort == "gap":
        return [margin - asked.others.margin[rows]]
    return [{"margin": margin, "-margin": -margin, "near": np.abs(margin)}[sort]]


def _models(store: Store, wanted: FailureFilter, asked: Asked) -> tuple[Floats, Floats]:
    """(how many models are right, how many have a verdict) on each of a run's rows, (m,); NaN where that is not
    known."""
    benchmark, kind = asked.items.benchmark, wanted.setting.kind

    def make() -> tuple[Floats, Floats]:
        table = models_right.models_right(store, benchmark, kind).table
        place = columns.found(
            (asked.items.item_no[asked.verdicts.item], asked.verdicts.query, asked.verdicts.metric),
            (
                table["item_no"].to_numpy().astype(np.int64), table["query"].to_numpy().astype(np.int32),
                columns.Words.of(table["metric"]),
            ),
        )  # fmt: skip
        known = place >= 0
        both = (table[name].to_numpy().astype(np.float64) for name in ("models_right", "models_judging"))
        right, judging = (np.where(known, of[place], np.nan) if len(of) else np.full(len(place), np.nan) for of in both)
        return right, judging

    return store.cached(("failure models", asked.verdicts.run_id, wanted.setting, kind), make)


def _table(asked: Sequence[Asked], part: NDArray[np.intp], row: NDArray[np.intp]) -> pa.Table:
    """The rows of a page as they stand, what people wrote beside them."""
    listed = []
    for place, (at, own) in enumerate(zip(part.tolist(), row.tolist(), strict=True)):
        each = asked[at]
        item, of, other = int(each.verdicts.item[own]), each.verdicts, each.others
        listed.append((
            place, int(each.items.item_no[item]), of.run_id, each.items.benchmark, of.metric.at(own),
            int(of.query[own]), _verdict(of.correct[own]), _number(of.margin[own]), bool(of.ties[own]),
            of.cell.at(own), of.reason.at(own), list(each.marks.tags.get(item, ())), bool(each.marks.noted[item]),
            each.marks.verdict.at(item), each.marks.dates.get(item, ""), _verdict(other.correct[own]),
            _number(other.margin[own]),
        ))  # fmt: skip
    return pa.Table.from_pylist([dict(zip(_PAGE.names, values, strict=True)) for values in listed], schema=_PAGE)


def _verdict(correct: np.int8) -> bool | None:
    return None if correct == UNDEFINED else bool(correct)


def _number(margin: np.float64) -> float | None:
    return None if np.isnan(margin) else float(margin)


_PAGE = pa.schema(
    {
        "place": pa.int32(), "item_no": pa.int32(), "run_id": pa.string(), "benchmark": pa.string(),
        "metric": pa.string(), "query": pa.int32(), "correct": pa.bool_(), "margin": pa.float64(),
        "ties": pa.bool_(), "cell": pa.string(), "reason": pa.string(), "own_tags": pa.list_(pa.string()),
        "noted": pa.bool_(), "own_verdict": pa.string(), "own_date": pa.string(), "other_correct": pa.bool_(),
        "other_margin": pa.float64(),
    }
)  # fmt: skip
