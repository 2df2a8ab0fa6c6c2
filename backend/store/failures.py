"""Failures: the items that a filter leaves, a page of them, and counts for every facet."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import duckdb
import pandas as pd

from backend import taxonomy
from backend.store import outcomes
from backend.store.rates import headlines
from backend.store.reader import Store
from backend.store.setting import Setting

#: Facet -> the column of the filtered table that it counts; lists count each of their members.
FACETS = ("benchmark", "subset", "concept", "perturbation", "diagnosis", "metric", "correct")

#: Ends a concept or perturbation that stands for itself and all narrower terms: `attribute/*`.
NARROWER = "/*"

Sort = Literal["margin", "-margin", "near", "item", "gap"]

_FLAGS = ", ".join(f"ok_{name}" for name in (*FACETS, "rest"))
_HITS = " AND ".join(f"ok_{name}" for name in (*FACETS, "rest"))

_ORDER: dict[str, str] = {
    "margin": "margin ASC NULLS LAST",
    "-margin": "margin DESC NULLS LAST",
    "near": "abs(margin) ASC NULLS LAST",
    "item": "item_no ASC",
    "gap": "margin - other_margin ASC NULLS LAST",
}


@dataclass(frozen=True)
class FailureFilter:
    """What to list. Empty tuples and None mean "any".

    run_id, setting: whose outcomes. metrics: by name; empty takes each protocol's headline metric. correct: False
    lists failures, True successes, None both. concepts, perturbations: terms of backend/taxonomy.py or an item's own
    words; one that ends in `/*` stands for itself and all narrower terms. margin: (from, to), both included. text:
    words in any caption, any case. diagnoses: any of these labels. other_run, other_setting, other_correct: a second
    run (B) and what its verdict must be: "A right and B wrong" is correct=True, other_correct=False. sort: margin
    (worst first), -margin (best first), near (closest to flipping), item, gap (A behind B most). also: further runs,
    on other benchmarks, that are listed with it; benchmarks: only items of these (hashes). only: None, or the items (by
    id) that alone are listed.
    """

    run_id: str
    setting: Setting = field(default_factory=Setting)
    metrics: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = ()
    diagnoses: tuple[str, ...] = ()
    correct: bool | None = False
    margin: tuple[float, float] | None = None
    text: str = ""
    other_run: str | None = None
    other_setting: Setting | None = None
    other_correct: bool | None = None
    sort: Sort = "margin"
    limit: int = 50
    offset: int = 0
    also: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    def page(self, number: int) -> "FailureFilter":
        """The same filter at a page, counted from 0."""
        return replace(self, offset=number * self.limit)


@dataclass(frozen=True)
class FailurePage:
    """A page of what a filter leaves.

    rows: one item (or query) a row, with run_id, benchmark (hash), item_no, item_id, subset, protocol, texts,
    image_keys, image_uris, concepts, perturbations, metric, query, correct, margin, ties, labels, other_correct,
    other_margin. total: how many the filter leaves. n_items: how many have a verdict under this run and setting.
    facets: facet -> value -> how many the filter would leave with only this value of the facet chosen; concepts and
    perturbations count broader terms (`attribute/*`), too, where several narrower ones are there.
    """

    rows: pd.DataFrame
    total: int
    n_items: int
    facets: dict[str, dict[str, int]]


def failures(store: Store, wanted: FailureFilter) -> FailurePage:
    """One page of what a filter leaves."""
    with _candidates(store, wanted) as cursor:
        total = _count(cursor, _HITS)
        rows = cursor.execute(
            f"""WITH page AS (
                SELECT *, row_number() OVER () AS place FROM (
                    SELECT * EXCLUDE ({_FLAGS}) FROM candidates WHERE {_HITS}
                    ORDER BY {_ORDER[wanted.sort]}, benchmark, item_no, metric, query LIMIT $limit OFFSET $offset))
            SELECT p.item_no, i.item_id, i.subset, i.protocol, i.texts, i.image_keys, i.image_uris,
                p.* EXCLUDE (item_no, subset, place)
            FROM page p JOIN items i ON i.item_no = p.item_no AND i.benchmark = p.benchmark ORDER BY place""",
            {"limit": wanted.limit, "offset": wanted.offset},
        ).df()
        facets = {name: _facet(cursor, name) for name in FACETS}
        return FailurePage(rows, total, _count(cursor, "correct IS NOT NULL AND ok_metric"), facets)


def failure_ids(store: Store, wanted: FailureFilter) -> list[str]:
    """The item ids of everything that a filter leaves, in its order: for previous, next and export."""
    with _candidates(store, wanted) as cursor:
        rows = cursor.execute(
            f"""SELECT i.item_id FROM (SELECT *, row_number() OVER (
                    ORDER BY {_ORDER[wanted.sort]}, benchmark, item_no, metric, query) AS place
                FROM candidates WHERE {_HITS}) c
            JOIN items i ON i.item_no = c.item_no AND i.benchmark = c.benchmark ORDER BY place"""
        ).fetchall()
        return list(dict.fromkeys(name for (name,) in rows))


def _count(cursor: duckdb.DuckDBPyConnection, condition: str, members: list[str] | None = None) -> int:
    binds = {} if members is None else {"members": members}
    row = cursor.execute(f"SELECT count(*) FROM candidates WHERE {condition}", binds).fetchone()
    return int(row[0]) if row else 0


def _facet(cursor: duckdb.DuckDBPyConnection, name: str) -> dict[str, int]:
    value = {
        "concept": "unnest(concepts)",
        "perturbation": "unnest(perturbations)",
        "diagnosis": "unnest(labels)",
        "correct": "CASE WHEN correct THEN 'right' WHEN NOT correct THEN 'wrong' ELSE 'undefined' END",
    }.get(name, name)
    others = " AND ".join(f"ok_{other}" for other in (*FACETS, "rest") if other != name)
    rows = cursor.execute(
        f"SELECT {value} AS v, count(*) FROM candidates WHERE {others} GROUP BY v ORDER BY count(*) DESC, v"
    ).fetchall()
    counts = {str(found): int(count) for found, count in rows}
    if name in ("concept", "perturbation"):
        for family in dict.fromkeys(map(taxonomy.family, counts)):
            members = taxonomy.within(family, counts)
            if len(members) > 1:
                counts[family + NARROWER] = _count(cursor, f"{others} AND list_has_any({name}s, $members)", members)
    return counts


@contextmanager
def _candidates(store: Store, wanted: FailureFilter) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor with the temporary table `candidates`: every verdict of the run, and which conditions it meets."""
    cursor = store.cursor()
    try:
        _source(store, cursor, "theirs", wanted.other_run, wanted.other_setting or wanted.setting)
        binds = _binds(wanted)
        # Captions are the widest column by far, so they are read only where they are searched.
        if wanted.only is not None:
            cursor.register("picked_ids", pd.DataFrame({"item_id": pd.Series(wanted.only, dtype="str")}))
            cursor.execute("CREATE TEMP TABLE picked AS SELECT DISTINCT item_id::VARCHAR AS item_id FROM picked_ids")
            cursor.unregister("picked_ids")
        inside = "true" if wanted.only is None else "i.item_id IN (SELECT item_id FROM picked)"
        search = "contains(lower(array_to_string(i.texts, chr(10))), lower($text))" if binds["text"] else "$text = ''"
        for number, run_id in enumerate((wanted.run_id, *wanted.also)):
            _source(store, cursor, "mine", run_id, wanted.setting)
            into = "INSERT INTO candidates" if number else "CREATE TEMP TABLE candidates AS"
            cursor.execute(into + _CANDIDATES.format(text=search, picked=inside), binds | {"run": run_id})
        yield cursor
    finally:
        cursor.close()


def _source(store: Store, cursor: duckdb.DuckDBPyConnection, name: str, run_id: str | None, setting: Setting) -> None:
    """A temporary view of a run's verdicts: the stored ones at a default setting, else computed ones."""
    columns = "item_no, query, metric, correct, margin, ties"
    if run_id is None:
        cursor.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {columns} FROM outcomes LIMIT 0")
    elif setting.is_default:
        cursor.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {columns} FROM outcomes WHERE run_id = ? AND kind = ?",
            [run_id, setting.kind],
        )
    else:
        frame = outcomes.compute(store, run_id, setting)[columns.split(", ")]
        cursor.register("computed", frame)
        cursor.execute(
            f"""CREATE OR REPLACE TEMP TABLE {name} AS SELECT item_no::INTEGER AS item_no, query::SMALLINT AS query,
                metric::VARCHAR AS metric, correct::BOOLEAN AS correct,
                nullif(margin::DOUBLE, 'nan'::DOUBLE) AS margin, ties::BOOLEAN AS ties FROM computed"""
        )
        cursor.unregister("computed")


_CANDIDATES = """
WITH labelled AS (
    SELECT item_no, list(DISTINCT label ORDER BY label) AS labels FROM diagnoses
    WHERE benchmark = (SELECT benchmark FROM runs WHERE run_id = $run) AND run_id IN ($run, '') AND kind IN ($kind, '')
    GROUP BY item_no
)
SELECT $run AS run_id, i.benchmark, i.item_no, i.subset, i.concepts, i.perturbations, m.metric, m.query,
    m.correct, m.margin, m.ties, coalesce(l.labels, []) AS labels,
    t.correct AS other_correct, t.margin AS other_margin,
    len($benchmarks) = 0 OR list_contains($benchmarks, i.benchmark) AS ok_benchmark,
    len($subsets) = 0 OR list_contains($subsets, i.subset) AS ok_subset,
    len($concepts) = 0 OR list_has_any($concepts, i.concepts) AS ok_concept,
    len($perturbations) = 0 OR list_has_any($perturbations, i.perturbations) AS ok_perturbation,
    len($diagnoses) = 0 OR list_has_any($diagnoses, coalesce(l.labels, [])) AS ok_diagnosis,
    list_contains($metrics, m.metric) AS ok_metric,
    $correct IS NULL OR coalesce(m.correct = $correct, false) AS ok_correct,
    ($low IS NULL OR coalesce(m.margin BETWEEN $low AND $high, false))
        AND ({text}) AND ({picked})
        AND ($other_correct IS NULL OR coalesce(t.correct = $other_correct, false)) AS ok_rest
FROM mine m
JOIN items i ON i.item_no = m.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
LEFT JOIN labelled l ON l.item_no = m.item_no
LEFT JOIN theirs t ON t.item_no = m.item_no AND t.metric = m.metric AND t.query = m.query
"""


def _meant(chosen: Iterable[str], terms: Iterable[str]) -> list[str]:
    """The terms that a choice stands for."""
    known = list(terms)
    each = [
        taxonomy.within(name.removesuffix(NARROWER), known) if name.endswith(NARROWER) else [name] for name in chosen
    ]
    return [name for names in each for name in names]


def _binds(wanted: FailureFilter) -> dict[str, Any]:
    low, high = wanted.margin or (None, None)
    return {
        "benchmarks": list(wanted.benchmarks),
        "kind": wanted.setting.kind,
        "subsets": list(wanted.subsets),
        "concepts": _meant(wanted.concepts, taxonomy.CONCEPTS),
        "perturbations": _meant(wanted.perturbations, taxonomy.PERTURBATIONS),
        "diagnoses": list(wanted.diagnoses),
        "metrics": list(wanted.metrics or headlines(wanted.setting.kind)),
        "correct": wanted.correct,
        "low": low,
        "high": high,
        "text": wanted.text.strip(),
        "other_correct": wanted.other_correct,
    }
