"""How many models are right on an item, by the verdicts that are stored: which items no model solves, and which all do.

Each model counts once (`public.set_apart`): people's own scores are no model's, a repeat is the model that it repeats.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

import duckdb
import numpy as np
import pyarrow as pa

from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.catalog import catalog, public
from backend.store.failures.filter import FailureFilter
from backend.store.rates.rates import headlines
from backend.store.scores import verdict_bits

#: A run gives one verdict on each (item, metric, query): by the kind that is asked for, else by its own first kind.
#: Queries are texts of pools; all other verdicts are counted by their bits.
_VERDICTS = """
SELECT r.benchmark, o.run_id, o.item_no, o.metric, o.query,
    arg_min_null(o.correct, CASE WHEN o.kind = $kind THEN '' ELSE o.kind END) AS correct
FROM outcomes o JOIN runs r USING (run_id)
WHERE o.query >= 0 AND o.run_id IN (SELECT unnest($runs::VARCHAR[])) GROUP BY ALL
"""
_COUNTED = f"""
SELECT benchmark, item_no, metric, query,
    (count(*) FILTER (correct AND list_contains($models::VARCHAR[], run_id)))::INTEGER AS models_right,
    (count(correct) FILTER (list_contains($models::VARCHAR[], run_id)))::INTEGER AS models_judging,
    bool_or(correct) FILTER (list_contains($people::VARCHAR[], run_id)) AS people_right
FROM ({_VERDICTS}) GROUP BY ALL
"""


@dataclass(frozen=True)
class ModelsRight:
    """What the models of a benchmark make of its items. Each at its default setting.

    table: benchmark (hash), item_no, metric, query, models_right, models_judging (how many have a verdict), and
    people_right (missing where people have none). best_first: metric -> models and people, by the share that each is
    right on. n_models: how many are counted.
    """

    table: pa.Table
    best_first: Mapping[str, tuple[str, ...]]
    n_models: int


@dataclass(frozen=True)
class Solved:
    """Of what is asked for, under no filter: how many items there are, on how many no model is right, on how many every
    model that judged them; of those without any, on how many people are (None: people have none). n_models: how many
    models have judged an item, at most; n_fewest: at least, where some have judged a part.
    one_each: whether an item has one verdict; where some have several, as in pools, it is these that are counted."""

    n: int
    by_none: int
    by_all: int
    by_people_alone: int | None
    n_models: int
    one_each: bool
    n_fewest: int = 0


def apart(store: Store, benchmark: str) -> dict[str, str]:
    """The models of a benchmark (hash) that are none of their own, and why (see `public.set_apart`)."""

    def make() -> dict[str, str]:
        known = catalog.models(store, benchmark)
        runs = zip(known["model"].astype(str), known["run_id"].astype(str), strict=True)
        return public.set_apart({model: store.run(run).record for model, run in runs})

    return store.cached(("models apart", benchmark), make)


def models_right(store: Store, benchmark: str, kind: str) -> ModelsRight:
    """Counted once for a benchmark (hash) and the kind that is asked for."""

    def make() -> ModelsRight:
        cursor = store.cursor()
        known = catalog.models(store, benchmark)
        names = dict(zip(known["run_id"].astype(str), known["model"].astype(str), strict=True))
        why = apart(store, benchmark)
        models = [run for run, model in names.items() if model not in why]
        people = [run for run, model in names.items() if why.get(model) == "people"]
        asked = {"runs": list(names), "kind": kind}
        tables, shares = [_SCHEMA.empty_table()], dict[tuple[str, str], float]()
        pools = "SELECT count(*) FROM items WHERE benchmark = ? AND protocol = ?"
        if cursor.execute(pools, [benchmark, str(Protocol.RETRIEVAL)]).fetchall()[0][0]:  # else there are no queries
            table = cursor.sql(_COUNTED, params=asked | {"models": models, "people": people}).to_arrow_table()
            ranked = cursor.execute(
                f"""SELECT metric, run_id, avg(correct::INTEGER) FROM ({_VERDICTS}) GROUP BY metric, run_id
                HAVING count(correct) > 0""",
                asked | {"runs": [*models, *people]},
            ).fetchall()
            shares = {(str(metric), str(run)): float(share) for metric, run, share in ranked}
            tables.append(_with_words(table))
        for metric in verdict_bits.metrics(cursor, names):
            counted = _by_bits(cursor, benchmark, metric, kind, list(names), set(models), set(people))
            tables.append(counted.table)
            shares |= counted.shares
        best: dict[str, list[str]] = {}
        for metric, run in sorted(shares, key=lambda each: (each[0], -shares[each], each[1])):
            best.setdefault(metric, []).append(names[run])
        whole = pa.concat_tables(part.cast(_SCHEMA) for part in tables).unify_dictionaries()
        return ModelsRight(whole, {metric: tuple(own) for metric, own in best.items()}, len(models))

    return store.cached(("models right", benchmark, kind), make)


_WORDS = pa.dictionary(pa.int32(), pa.string())
_SCHEMA = pa.schema(
    {
        "benchmark": _WORDS, "item_no": pa.int32(), "metric": _WORDS, "query": pa.int32(), "models_right": pa.int32(),
        "models_judging": pa.int32(), "people_right": pa.bool_(),
    }
)  # fmt: skip


def _with_words(table: pa.Table) -> pa.Table:
    """A table whose words stand for themselves, with each of them once."""
    for at, name in enumerate(table.column_names):
        if _SCHEMA.field(name).type == _WORDS:
            table = table.set_column(at, name, table[name].cast(pa.string()).dictionary_encode())
    return table


@dataclass(frozen=True)
class _Counted:
    table: pa.Table
    shares: dict[tuple[str, str], float]


def _by_bits(
    cursor: duckdb.DuckDBPyConnection, benchmark: str, metric: str, kind: str, runs: list[str], models: set[str],
    people: set[str],
) -> _Counted:  # fmt: skip
    """One metric of items, run after run; the share that each run is right on, where it has a verdict."""
    row = cursor.execute("SELECT max(item_no) FROM items WHERE benchmark = ?", [benchmark]).fetchall()
    n = int(row[0][0] if row[0][0] is not None else -1) + 1
    width = -(-n // 8)
    right, judging = verdict_bits.Counter(), verdict_bits.Counter()
    there, asked, solved = (np.zeros(width, dtype=np.uint8) for _ in range(3))
    shares = {}
    for run_id, own in groupby(verdict_bits.packed(cursor, runs, metric, n), key=lambda each: each[0]):
        answered, known, correct = (np.zeros(width, dtype=np.uint8) for _ in range(3))
        for _, _, has, judged, is_right in sorted(own, key=lambda each: "" if each[1] == kind else each[1]):
            new = has & ~answered
            answered |= has
            known |= new & judged
            correct |= new & judged & is_right
        there |= answered
        if run_id in models:
            judging.add(known)
            right.add(correct)
        if run_id in people:
            asked |= known
            solved |= correct
        if known.any() and (run_id in models or run_id in people):
            shares[metric, run_id] = int(np.bitwise_count(correct).sum()) / int(np.bitwise_count(known).sum())
    at = np.flatnonzero(np.unpackbits(there, count=n))
    people_asked, people_solved = (np.unpackbits(bits, count=n).astype(np.bool_)[at] for bits in (asked, solved))
    columns = {
        "benchmark": pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(at), np.int32)), pa.array([benchmark])),
        "item_no": pa.array(at.astype(np.int32)),
        "metric": pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(at), np.int32)), pa.array([metric])),
        "query": pa.array(np.full(len(at), -1, dtype=np.int32)),
        "models_right": pa.array(right.of(n)[at]),
        "models_judging": pa.array(judging.of(n)[at]),
        "people_right": pa.array(people_solved, mask=~people_asked),
    }
    return _Counted(pa.table(columns), shares)


def of_filter(store: Store, wanted: FailureFilter) -> pa.Table:
    """The tables of all benchmarks that a filter lists, one under the other."""
    runs = [wanted.run_id, *wanted.also]
    rows = store.cursor().execute(
        "SELECT DISTINCT benchmark FROM runs WHERE run_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY benchmark", [runs]
    )
    return pa.concat_tables(
        models_right(store, str(benchmark), wanted.setting.kind).table for (benchmark,) in rows.fetchall()
    )


def solved(store: Store, wanted: FailureFilter) -> Solved:
    """How many of the items that have a verdict by a filter's metrics no model is right on, whatever else it says.
    Where it names no metric, by those of the headlines that its own runs have under its kind."""
    cursor = store.cursor()
    runs = [wanted.run_id, *wanted.also]
    own = "SELECT DISTINCT metric FROM outcomes WHERE run_id IN (SELECT unnest(?::VARCHAR[])) AND kind = ?"
    there = {str(metric) for (metric,) in cursor.execute(own, [runs, wanted.setting.kind]).fetchall()}
    metrics = wanted.metrics or tuple(there & {*headlines(wanted.setting.kind)})
    cursor.register("counted", of_filter(store, wanted))
    row = cursor.execute(
        """SELECT count(*), count(*) FILTER (models_right = 0), count(*) FILTER (models_right = models_judging),
            count(*) FILTER (models_right = 0 AND people_right), count(people_right) > 0, max(models_judging),
            min(models_judging),
            count(*) = count(DISTINCT (benchmark, item_no))
        FROM counted WHERE models_judging > 0 AND metric IN (SELECT unnest(?::VARCHAR[]))""",
        [list(metrics)],
    ).fetchone()
    cursor.close()
    n, none, every, people, asked_people, models, fewest, is_each = row or (0, 0, 0, 0, False, 0, 0, True)
    return Solved(n, none, every, people if asked_people else None, models or 0, bool(is_each), fewest or 0)
