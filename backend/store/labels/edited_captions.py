"""Scores of meaning-preserving edits: what a model says of an item when its captions are edited (brittle, near miss).

A perturbed edition names its parent in its record (`about.parent.hash`), its items name theirs (tag `origin`). The same
model's verdicts on both, each kind at its default setting, are the evidence; limited runs count for what they hold.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Protocol
from backend.metrics.core.registry import by_name, deciding, headlines
from backend.store.build.stored_run import StoredRun

#: The metric that judges an item where one number has to do: one of these for each protocol and kind.
METRICS = tuple(name for name in headlines(judged=True) if by_name(name).protocol != Protocol.GROUNDING)
ENOUGH = 8

#: Runs with what decides their scores; a model without weights is known by its spec. Imported runs are no evidence on
#: those that were computed here.
RUNS = """SELECT run_id, benchmark, coalesce(updated, '') AS updated, concat_ws(' ',
        coalesce(json_extract_string(record, '$.model.weights_sha256'), model),
        json_extract_string(record, '$.model.preprocessing'), json_extract_string(record, '$.model.dtype'),
        CASE WHEN origin = 'imported' THEN origin END) AS identity
    FROM runs"""

#: Benchmarks whose captions say what their parent's say, in other words, letters or order.
_EDITIONS = """SELECT hash, name, left(json_extract_string(record, '$.about.parent.hash'), 16) AS parent
    FROM benchmarks WHERE json_extract_string(record, '$.about.perturbation.effect') = 'meaning-preserving'
        AND json_extract_string(record, '$.about.perturbation.as') = 'replace'"""


@dataclass(frozen=True)
class Edited:
    """Verdicts of one run and kind beside those of its edits. items: item_no, margin, metric. margins: (n, e), of the
    e editions that were scored, NaN where an edition holds no such item, or the same captions as an earlier one."""

    items: pd.DataFrame
    margins: NDArray[np.float64]
    editions: list[str]


def parents(cursor: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Edition -> the benchmark that it was made from, by hash."""
    return {child: parent for child, _, parent in cursor.execute(_EDITIONS).fetchall()}


def editions_of(run: StoredRun) -> list[tuple[str, str, str]]:
    """(kind, the same model's run on an edition, the edition's name) for all editions of the run's benchmark: of each
    edition the latest run that has verdicts of the kind."""
    return run.cursor.execute(
        f"""WITH editions AS ({_EDITIONS}), known AS ({RUNS}),
        scored AS (
            SELECT DISTINCT o.kind, b.run_id, e.name, e.hash, b.updated
            FROM known a JOIN editions e ON e.parent = a.benchmark
            JOIN known b ON b.benchmark = e.hash AND b.identity = a.identity
            JOIN outcomes o ON o.run_id = b.run_id WHERE a.run_id = ?)
        SELECT kind, arg_max(run_id, (updated, run_id)), name FROM scored
        GROUP BY kind, hash, name ORDER BY kind, name, hash""",
        [run.run_id],
    ).fetchall()


def verdicts(run: StoredRun, kind: str) -> Edited | None:
    """A run's verdicts of a kind and those of its edits; None where no edition was scored."""
    runs = [(other, name) for of, other, name in editions_of(run) if of == kind]
    if not runs:
        return None
    metrics = list(dict.fromkeys([*METRICS, *filter(None, [deciding(Protocol.QUAD, kind)])]))
    items = run.cursor.execute(
        """SELECT item_no, metric, margin FROM outcomes
        WHERE run_id = ? AND kind = ? AND query = -1 AND metric IN (SELECT unnest(?)) ORDER BY item_no""",
        [run.run_id, kind, metrics],
    ).df()
    margins = np.full((len(items), len(runs)), np.nan)
    places = pd.MultiIndex.from_frame(items[["item_no", "metric"]])
    edits = pd.concat(
        [_edits(run, other, kind, metrics).assign(column=column) for column, (other, _) in enumerate(runs)]
    )
    edits["place"] = places.get_indexer(pd.MultiIndex.from_frame(edits[["item_no", "metric"]]))
    # Two seeds may find the same edit: it is one edit, and counts once.
    edits = edits[(edits["place"] >= 0) & edits["margin"].notna()].drop_duplicates(["place", "texts"])
    margins[edits["place"], edits["column"]] = edits["margin"]
    return Edited(items, margins, [name for _, name in runs])


def _edits(run: StoredRun, other: str, kind: str, metrics: list[str]) -> pd.DataFrame:
    """item_no (of the run's own benchmark), metric, margin and a hash of the captions, for every edited item that the
    run on the edition has judged."""
    return run.cursor.execute(
        """SELECT p.item_no, o.metric, o.margin, hash(i.texts) AS texts FROM outcomes o
        JOIN runs r ON r.run_id = o.run_id JOIN items i ON i.benchmark = r.benchmark AND i.item_no = o.item_no
        JOIN runs mine ON mine.run_id = ?
        JOIN items p ON p.benchmark = mine.benchmark AND p.item_id = json_extract_string(i.tags, '$.origin[0]')
        WHERE o.run_id = ? AND o.kind = ? AND o.query = -1 AND o.metric IN (SELECT unnest(?))
            AND json_extract_string(i.tags, '$.edit[0]') IS NOT NULL ORDER BY p.item_no""",
        [run.run_id, other, kind, metrics],
    ).df()
