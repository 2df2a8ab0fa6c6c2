"""Failures: the items that a filter leaves, a page of them, and counts for every facet."""

from dataclasses import dataclass, replace

import duckdb
import pandas as pd

from backend import taxonomy
from backend.store.build.store import Store
from backend.store.failures import notes
from backend.store.failures.candidates import candidates
from backend.store.failures.filter import FACETS, NARROWER, FailureFilter, Sort

__all__ = ["FACETS", "NARROWER", "FailureFilter", "FailurePage", "Sort", "failure_ids", "failures"]

_FLAGS = ", ".join(f"ok_{name}" for name in (*FACETS, "rest"))
_HITS = " AND ".join(f"ok_{name}" for name in (*FACETS, "rest"))

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
    cell, reason ("" where not measured), own_tags, noted, other_correct, other_margin, and of all models of the
    benchmark models_right, models_judging and people_right (see `models_right.ModelsRight`). total: how many the filter
    leaves. n_items: how many have a verdict under this run and setting. facets: facet -> value -> how many the filter
    would leave with only this value of the facet chosen; concepts and perturbations count broader terms
    (`attribute/*`), too, where several narrower ones are there. margins: the smallest and the largest of what the
    filter leaves; None without any.
    """

    rows: pd.DataFrame
    total: int
    n_items: int
    facets: dict[str, dict[str, int]]
    margins: tuple[float, float] | None = None


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
        return FailurePage(rows, *store.cached(counted, lambda: _counts(cursor)))


def _counts(
    cursor: duckdb.DuckDBPyConnection,
) -> tuple[int, int, dict[str, dict[str, int]], tuple[float, float] | None]:
    """What a page says of all that a filter leaves: total, n_items, facets, margins."""
    total, low, high = cursor.execute(
        f"SELECT count(*), min(margin), max(margin) FROM candidates WHERE {_HITS}"
    ).fetchall()[0]
    judged = _count(cursor, "correct IS NOT NULL AND ok_metric")
    facets = {name: _facet(cursor, name) for name in FACETS}
    return int(total), judged, facets, None if low is None else (float(low), float(high))


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


def _count(cursor: duckdb.DuckDBPyConnection, condition: str, members: list[str] | None = None) -> int:
    binds = {} if members is None else {"members": members}
    row = cursor.execute(f"SELECT count(*) FROM candidates WHERE {condition}", binds).fetchone()
    return int(row[0]) if row else 0


def _facet(cursor: duckdb.DuckDBPyConnection, name: str) -> dict[str, int]:
    value = {
        "concept": "unnest(concepts)",
        "perturbation": "unnest(perturbations)",
        "cell": "nullif(cell, '')",
        "reason": "nullif(reason, '')",
        "tag": "unnest(own_tags)",
        "note": "CASE WHEN noted THEN 'with' ELSE 'without' END",
        "correct": "CASE WHEN correct THEN 'right' WHEN NOT correct THEN 'wrong' ELSE 'undefined' END",
    }.get(name, name)
    others = " AND ".join(f"ok_{other}" for other in (*FACETS, "rest") if other != name)
    rows = cursor.execute(
        f"SELECT {value} AS v, count(*) FROM candidates WHERE {others} GROUP BY v ORDER BY count(*) DESC, v"
    ).fetchall()
    counts = {str(found): int(count) for found, count in rows if found is not None}
    if name in ("concept", "perturbation"):
        for family in dict.fromkeys(map(taxonomy.family, counts)):
            members = taxonomy.within(family, counts)
            if len(members) > 1:
                counts[family + NARROWER] = _count(cursor, f"{others} AND list_has_any({name}s, $members)", members)
    return counts
