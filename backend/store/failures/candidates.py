"""The table `candidates`: every verdict of the runs that are listed, and which of a filter's conditions it meets."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pandas as pd

from backend import taxonomy
from backend.benchmarks.winoground_stub import GATED
from backend.errors import FlipsideError
from backend.store.build.store import Store
from backend.store.failures import models_right, notes, own_verdicts
from backend.store.failures.filter import NARROWER, FailureFilter
from backend.store.rates.rates import headlines
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting


@contextmanager
def candidates(store: Store, wanted: FailureFilter) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor with the temporary table `candidates`: every verdict of the run, and which conditions it meets; and with
    the table `models_right`: how many models are right on each."""
    cursor = store.cursor()
    try:
        _source(store, cursor, "theirs", wanted.other_run, wanted.other_setting or wanted.setting)
        binds = _binds(wanted)
        # Captions are the widest column by far, so they are read only where they are searched.
        if wanted.only is not None:
            cursor.register("picked_ids", pd.DataFrame({"item_id": pd.Series(wanted.only, dtype="str")}))
            cursor.execute("CREATE TEMP TABLE picked AS SELECT DISTINCT item_id::VARCHAR AS item_id FROM picked_ids")
            cursor.unregister("picked_ids")
        _marks(cursor, wanted)
        inside = "true" if wanted.only is None else "i.item_id IN (SELECT item_id FROM picked)"
        search = _SEARCH if binds["text"] else "$text = ''"
        for number, run_id in enumerate((wanted.run_id, *wanted.also)):
            _source(store, cursor, "mine", run_id, wanted.setting)
            into = "INSERT INTO candidates" if number else "CREATE TEMP TABLE candidates AS"
            cursor.execute(into + _CANDIDATES.format(text=search, picked=inside), binds | {"run": run_id})
        cursor.register("models_right", models_right.of_filter(store, wanted))
        yield cursor
    finally:
        cursor.close()


def _marks(cursor: duckdb.DuckDBPyConnection, wanted: FailureFilter) -> None:
    """Temporary table `marks`: what people wrote about the items of the benchmarks that are listed."""
    runs = [wanted.run_id, *wanted.also]
    listed = cursor.execute(
        "SELECT DISTINCT benchmark FROM runs WHERE run_id IN (SELECT unnest(?::VARCHAR[]))", [runs]
    ).fetchall()
    try:
        benchmarks = [str(benchmark) for (benchmark,) in listed]
        words = {(b, item): (tags, noted) for b, item, tags, noted in notes.marks(benchmarks)}
        judged = own_verdicts.of(benchmarks)
    except FlipsideError:
        if wanted.tags or wanted.noted is not None or wanted.human:
            raise
        words, judged = {}, {}  # a damaged notes file hides no failures
    cursor.execute(
        "CREATE TEMP TABLE marks (marked_benchmark VARCHAR, marked_id VARCHAR, own_tags VARCHAR[], noted BOOLEAN, "
        "own_verdict VARCHAR, own_date VARCHAR)"
    )
    marks = [
        (*key, *words.get(key, ([], False)), *((own.verdict, own.made) if (own := judged.get(key)) else ("", "")))
        for key in dict.fromkeys((*words, *judged))
    ]
    if marks:
        cursor.execute(
            """INSERT INTO marks SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[][]),
            unnest(?::BOOLEAN[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])""",
            [list(column) for column in zip(*marks, strict=True)],
        )


def _source(store: Store, cursor: duckdb.DuckDBPyConnection, name: str, run_id: str | None, setting: Setting) -> None:
    """A temporary view of a run's verdicts: the stored ones at a default setting, else computed ones."""
    columns = "item_no, query, metric, correct, margin, ties, cell, reason"
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
                nullif(margin::DOUBLE, 'nan'::DOUBLE) AS margin, ties::BOOLEAN AS ties, cell::VARCHAR AS cell,
                reason::VARCHAR AS reason FROM computed"""
        )
        cursor.unregister("computed")


#: Words in a caption; or an item by its id, or by what stands behind the id's last slash, its number as a rule. What
#: stands for a caption that is not here is none.
_SEARCH = f"""(
        NOT ends_with(i.texts[1], '{GATED}') AND contains(lower(array_to_string(i.texts, chr(10))), lower($text))
    )
    OR lower(i.item_id) = lower($text)
    OR lower(split_part(i.item_id, '/', -1)) = lower($text)"""

_CANDIDATES = """
SELECT $run AS run_id, i.benchmark, i.item_no, i.subset, i.concepts, i.perturbations, m.metric, m.query,
    m.correct, m.margin, m.ties, coalesce(m.cell, '') AS cell, coalesce(m.reason, '') AS reason,
    coalesce(k.own_tags, []) AS own_tags, coalesce(k.noted, false) AS noted,
    coalesce(k.own_verdict, '') AS own_verdict, coalesce(k.own_date, '') AS own_date,
    t.correct AS other_correct, t.margin AS other_margin,
    len($benchmarks) = 0 OR list_contains($benchmarks, i.benchmark) AS ok_benchmark,
    len($subsets) = 0 OR list_contains($subsets, i.subset) AS ok_subset,
    len($concepts) = 0 OR list_has_any($concepts, i.concepts) AS ok_concept,
    len($perturbations) = 0 OR list_has_any($perturbations, i.perturbations) AS ok_perturbation,
    len($cells) = 0 OR coalesce(list_contains($cells, m.cell), false) AS ok_cell,
    len($reasons) = 0 OR coalesce(list_contains($reasons, m.reason), false) AS ok_reason,
    list_contains($metrics, m.metric) AS ok_metric,
    len($tags) = 0 OR list_has_any($tags, coalesce(k.own_tags, [])) AS ok_tag,
    $noted IS NULL OR coalesce(k.noted, false) = $noted AS ok_note,
    len($human) = 0 OR list_contains($human, coalesce(nullif(k.own_verdict, ''), 'none')) AS ok_human,
    $correct IS NULL OR coalesce(m.correct = $correct, false) AS ok_correct,
    $low IS NULL OR coalesce(m.margin BETWEEN $low AND $high, false) AS ok_margin,
    ({text}) AND ({picked})
        AND ($other_correct IS NULL OR coalesce(t.correct = $other_correct, false)) AS ok_rest
FROM mine m
JOIN items i ON i.item_no = m.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
LEFT JOIN marks k ON k.marked_benchmark = i.benchmark AND k.marked_id = i.item_id
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
        "subsets": list(wanted.subsets),
        "concepts": _meant(wanted.concepts, taxonomy.CONCEPTS),
        "perturbations": _meant(wanted.perturbations, taxonomy.PERTURBATIONS),
        "cells": list(wanted.cells),
        "reasons": list(wanted.reasons),
        "metrics": list(wanted.metrics or headlines(wanted.setting.kind)),
        "correct": wanted.correct,
        "tags": list(wanted.tags),
        "noted": wanted.noted,
        "human": list(wanted.human),
        "low": low,
        "high": high,
        "text": wanted.text.strip(),
        "other_correct": wanted.other_correct,
    }
