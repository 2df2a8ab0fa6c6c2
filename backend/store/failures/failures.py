"""Failures: the items that a filter leaves, a page of them, and counts for every facet."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np
import pandas as pd

from backend import taxonomy
from backend.store.build.store import Store
from backend.store.failures import notes
from backend.store.failures.candidates import candidates
from backend.store.failures.filter import FACETS, NARROWER, FailureFilter, Sort
from backend.store.failures.margins import Histogram, histogram
from backend.store.labels import sensitive

__all__ = ["FACETS", "NARROWER", "FailureFilter", "FailurePage", "Sort", "failure_ids", "failures"]

#: What a row has to meet: a condition for each facet, one for its margin, and the rest.
_CONDITIONS = (*FACETS, "margin", "rest")
_FLAGS = ", ".join(f"ok_{name}" for name in _CONDITIONS)
_HITS = " AND ".join(f"ok_{name}" for name in _CONDITIONS)

_WITH_MODELS = "candidates LEFT JOIN models_right USING (benchmark, item_no, metric, query)"

_ORDER: dict[str, str] = {
    "margin": "margin ASC NULLS LAST",
    "-margin": "margin DESC NULLS LAST",
    "near": "abs(margin) ASC NULLS LAST",
    "fewest": "models_right ASC NULLS LAST, models_judging DESC, margin ASC NULLS LAST",
    "most": "models_right DESC NULLS LAST, models_judging ASC, margin DESC NULLS LAST",
    "item": "item_no ASC",
    "gap": "margin - other_margin ASC NULLS LAST",
}


@dataclass(frozen=True)
class FailurePage:
    """A page of what a filter leaves.

    rows: one item (or query) a row, with run_id, benchmark (hash), item_no, item_id, subset, protocol, texts,
    image_keys, image_uris, cluster (what items share), concepts, perturbations, metric, query, correct, margin, ties,
    cell, reason ("" where not measured), own_tags, noted, own_verdict and own_date (a person's, "" without one),
    other_correct, other_margin, and of all models of the benchmark models_right, models_judging and people_right (see
    `models_right.ModelsRight`). total: how many the filter leaves. n_items: how many have a verdict under this run and
    setting. facets: facet -> value -> how many the filter would leave with only this value of the facet chosen;
    concepts and perturbations count broader terms (`attribute/*`), too, where several narrower ones are there. margins:
    the smallest and the largest of what the filter leaves; None without any. spread: the histogram of the margins;
    None without any. human: word of a person's verdict ("" for none) -> of all that has a verdict under this run and
    setting, under any filter: how many items (0 for those without one), their verdicts, how many of these are right.
    """

    rows: pd.DataFrame
    total: int
    n_items: int
    facets: dict[str, dict[str, int]]
    margins: tuple[float, float] | None = None
    spread: Histogram | None = None
    human: dict[str, tuple[int, int, int]] = field(default_factory=dict)


def failures(store: Store, wanted: FailureFilter) -> FailurePage:
    """One page of what a filter leaves. Its counts are kept: another page, order or view asks for rows only."""
    counted = ("failure counts", notes.version(), replace(wanted, sort="item", limit=1, offset=0))
    with candidates(store, wanted) as cursor:
        rows = cursor.execute(
            f"""WITH page AS (
                SELECT *, row_number() OVER () AS place FROM (
                    SELECT * EXCLUDE ({_FLAGS}) FROM {_WITH_MODELS} WHERE {_HITS}
                    ORDER BY {_ORDER[wanted.sort]}, benchmark, item_no, metric, query LIMIT $limit OFFSET $offset))
            SELECT p.item_no, i.item_id, i.subset, i.protocol, i.texts, i.image_keys, i.image_uris, i.cluster,
                p.* EXCLUDE (item_no, subset, place)
            FROM page p JOIN items i ON i.item_no = p.item_no AND i.benchmark = p.benchmark ORDER BY place""",
            {"limit": wanted.limit, "offset": wanted.offset},
        ).df()
        return FailurePage(rows, *store.cached(counted, lambda: _counts(cursor, _near(store, wanted))))


def _near(store: Store, wanted: FailureFilter) -> pd.DataFrame | None:
    """Which verdicts of the listed runs are near misses (`sensitive.near_of_run`); None where that is known of none.
    Edits are scored as they come: under another setting than the kind's own nothing is said."""
    if not wanted.setting.is_default:
        return None
    of = [sensitive.near_of_run(store, run, wanted.setting.kind) for run in (wanted.run_id, *wanted.also)]
    known = [frame for frame in of if len(frame)]
    return pd.concat(known, ignore_index=True) if known else None


def _counts(
    cursor: duckdb.DuckDBPyConnection, near: pd.DataFrame | None
) -> tuple[
    int, int, dict[str, dict[str, int]], tuple[float, float] | None, Histogram | None, dict[str, tuple[int, int, int]]
]:
    """What a page says of all that a filter leaves: total, n_items, facets, margins, spread, human."""
    rows = cursor.execute(
        f"""SELECT own_verdict, count(*) FILTER ({_HITS}) AS hits, min(margin) FILTER ({_HITS}) AS low,
            max(margin) FILTER ({_HITS}) AS high,
            count(DISTINCT (benchmark, item_no)) FILTER (own_verdict <> '' AND ok_metric AND correct IS NOT NULL),
            count(*) FILTER (ok_metric AND correct IS NOT NULL), count(*) FILTER (ok_metric AND correct)
        FROM candidates GROUP BY own_verdict"""
    ).fetchall()
    total = sum(row[1] for row in rows)
    low = min((row[2] for row in rows if row[2] is not None), default=None)
    high = max((row[3] for row in rows if row[3] is not None), default=None)
    human = {str(word): (int(items), int(n), int(right)) for word, _, _, _, items, n, right in rows if n}
    judged = sum(verdicts for _, verdicts, _ in human.values())
    margins = None if low is None or high is None else (float(low), float(high))
    return int(total), judged, _facets(cursor), margins, _spread(cursor, near), human


def failure_ids(store: Store, wanted: FailureFilter) -> list[str]:
    """The item ids of everything that a filter leaves, in its order: for previous, next and export."""
    with candidates(store, wanted) as cursor:
        rows = cursor.execute(
            f"""SELECT i.item_id FROM (SELECT *, row_number() OVER (
                    ORDER BY {_ORDER[wanted.sort]}, benchmark, item_no, metric, query) AS place
                FROM {_WITH_MODELS} WHERE {_HITS}) c
            JOIN items i ON i.item_no = c.item_no AND i.benchmark = c.benchmark ORDER BY place"""
        ).fetchall()
        return list(dict.fromkeys(name for (name,) in rows))


#: Facet -> the column that it counts, a list's members each; of the others the column has the facet's name.
_COLUMNS = {
    "concept": "concepts",
    "perturbation": "perturbations",
    "tag": "own_tags",
    "note": "CASE WHEN noted THEN 'with' ELSE 'without' END AS note",
    "human": "coalesce(nullif(own_verdict, ''), 'none') AS human",
    "correct": "CASE WHEN correct THEN 'right' WHEN NOT correct THEN 'wrong' ELSE 'undefined' END AS verdict",
}
#: Facets whose terms have broader ones above them.
_BROAD = ("concept", "perturbation")


def _facets(cursor: duckdb.DuckDBPyConnection) -> dict[str, dict[str, int]]:
    """Every count from one query. A row counts for a facet where it meets every other condition: one that misses none
    counts for all, one that misses one for that facet alone, one that misses two nowhere."""
    missed = " + ".join(f"(NOT ok_{name})::TINYINT" for name in _CONDITIONS)
    which = " ".join(f"WHEN NOT ok_{name} THEN '{name}'" for name in _CONDITIONS)
    columns = ", ".join(_COLUMNS.get(name, name) for name in FACETS)
    # Rows that are alike in all of this, of which there are few, are one row with their number.
    rows = cursor.execute(
        f"""SELECT CASE {which} END AS missed, count(*) AS n, {columns} FROM candidates WHERE {missed} < 2
        GROUP BY ALL"""
    ).fetchall()
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    broad: dict[str, Counter[str]] = {name: Counter() for name in _BROAD}
    for missed_one, n, *values in rows:
        for name, value in zip(FACETS, values, strict=True):
            if missed_one is not None and missed_one != name:
                continue
            words = [str(each) for each in value] if isinstance(value, list) else [str(value)] if value else []
            for word in words:
                counts[name][word] += n
            if name in broad:
                for family in set(map(taxonomy.family, words)):
                    broad[name][family] += n
    found = {name: _ranked(counted) for name, counted in counts.items()}
    for name in _BROAD:
        for family in dict.fromkeys(map(taxonomy.family, list(found[name]))):
            if len(taxonomy.within(family, found[name])) > 1:
                found[name][family + NARROWER] = broad[name][family]
    return found


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent first, equally frequent ones by name.

    >>> _ranked({"b": 1, "a": 1, "c": 2})
    {'c': 2, 'a': 1, 'b': 1}
    """
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _spread(cursor: duckdb.DuckDBPyConnection, near: pd.DataFrame | None) -> Histogram | None:
    """The margins of every verdict by the metric, and of those that the other filters leave how many are right, and how
    many near misses. near: of `_near`."""
    others = " AND ".join(f"ok_{name}" for name in _CONDITIONS if name not in ("margin", "correct"))
    joined, said = "candidates", "-1"
    if near is not None:
        cursor.register("near_misses", near)
        joined = "candidates LEFT JOIN near_misses USING (run_id, item_no, metric)"
        said = "coalesce(CASE WHEN query = -1 THEN near::TINYINT END, -1)"
    of = cursor.execute(
        f"""SELECT margin, correct, {others} AS here, {said} AS near FROM {joined}
        WHERE ok_metric AND correct IS NOT NULL AND isfinite(margin)"""
    ).fetchnumpy()
    if near is not None:
        cursor.unregister("near_misses")
    margins, correct, here, told = (np.asarray(of[name]) for name in ("margin", "correct", "here", "near"))
    known = told == 1 if (told >= 0).any() else None
    return histogram(margins.astype(float), correct.astype(bool), here.astype(bool), known)
