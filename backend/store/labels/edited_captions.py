"""Scores of edits: what a model says of an item when its captions are edited (sensitive, near miss).

A perturbed edition names its parent in its record (`about.parent.hash`), its items name theirs (tag `origin`). The same
model's verdicts on both, each kind at its default setting, are the evidence; limited runs count for what they hold.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Kind, Protocol
from backend.kinds import PREDICTIONS
from backend.metrics.core.registry import by_name, deciding, headlines
from backend.perturb.base import Effect
from backend.store.build.stored_run import StoredRun
from backend.store.labels.asked_again import asked_again, comparable
from backend.store.scores.matrices import FloatArray

#: The metric that judges an item where one number has to do: one of these for each protocol and kind.
METRICS = tuple(name for name in headlines(judged=True) if by_name(name).protocol != Protocol.GROUNDING)
ENOUGH = 8

#: Runs with what decides their scores; a model without weights is known by its spec, and so is a system of others, of
#: whose predictions the digest is that of one run's answers alone. Imported runs are no evidence on those that were
#: computed here.
RUNS = f"""SELECT run_id, benchmark, coalesce(updated, '') AS updated, concat_ws(' ',
        CASE WHEN starts_with(model, '{PREDICTIONS}') THEN model
            ELSE coalesce(json_extract_string(record, '$.model.weights_sha256'), model) END,
        json_extract_string(record, '$.model.preprocessing'), json_extract_string(record, '$.model.dtype'),
        CASE WHEN origin = 'imported' THEN origin END) AS identity
    FROM runs"""

#: Benchmarks whose captions were edited to one effect, put in the place of their parent's.
_EDITIONS = """SELECT hash, name, left(json_extract_string(record, '$.about.parent.hash'), 16) AS parent,
        coalesce(json_extract_string(record, '$.about.perturbation.texts'), 'all') AS of_texts
    FROM benchmarks WHERE json_extract_string(record, '$.about.perturbation.effect') = ?
        AND json_extract_string(record, '$.about.perturbation.as') = 'replace'"""


@dataclass(frozen=True)
class Edited:
    """Verdicts of one run and kind beside those of its edits. items: item_no, item_id, cluster (the first image),
    margin, metric. margins: (n, e), of the e editions that were scored, NaN where an edition holds no such item, or the
    same captions as an earlier one. texts: which captions each edition edits, "all", "truth" or "foils"."""

    items: pd.DataFrame
    margins: FloatArray
    editions: list[str]
    texts: list[str]

    @property
    def scored(self) -> int:
        """How many edits have a verdict."""
        return int((~np.isnan(self.margins)).sum())

    def only(self, texts: str) -> "Edited":
        """The same with the editions that edit these captions alone."""
        kept = [at for at, name in enumerate(self.texts) if name == texts]
        return Edited(self.items, self.margins[:, kept], [self.editions[at] for at in kept], [texts] * len(kept))


@dataclass(frozen=True)
class Edition:
    """An edition and the same model's run on it. kind: one of its score kinds; texts: which captions it edits."""

    kind: str
    run_id: str
    name: str
    texts: str


def parents(cursor: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Meaning-preserving edition -> the benchmark that it was made from, by hash."""
    found = cursor.execute(_EDITIONS, [str(Effect.PRESERVING)]).fetchall()
    return {child: parent for child, _, parent, _ in found}


def scored_editions(run: StoredRun, effect: Effect) -> list[Edition]:
    """All editions of an effect of the run's benchmark that the same model has verdicts on, one row a kind: of each
    edition the latest run that has verdicts of the kind which compare with the run's own (`asked_again`)."""
    rows = run.cursor.execute(
        f"""WITH editions AS ({_EDITIONS}), known AS ({RUNS}),
        scored AS (
            SELECT DISTINCT o.kind, b.run_id, e.name, e.of_texts, e.hash, b.updated
            FROM known a JOIN editions e ON e.parent = a.benchmark
            JOIN known b ON b.benchmark = e.hash AND b.identity = a.identity
            JOIN outcomes o ON o.run_id = b.run_id WHERE a.run_id = ?)
        SELECT kind, run_id, name, of_texts, hash FROM scored ORDER BY kind, name, hash, updated, run_id""",
        [str(effect), run.run_id],
    ).fetchall()
    latest = {(kind, hash_): Edition(kind, *of) for kind, *of, hash_ in rows if comparable(run, kind, of[0])}
    return list(latest.values())


def verdicts(run: StoredRun, kind: str, effect: Effect = Effect.PRESERVING) -> Edited | None:
    """A run's verdicts of a kind and those of its edits of an effect; None where no such edition was scored."""
    known = [each for each in scored_editions(run, effect) if each.kind == kind]
    if not known:
        return None
    metrics = list(dict.fromkeys([*METRICS, *filter(None, [deciding(Protocol.QUAD, kind)])]))
    items = run.cursor.execute(
        """SELECT o.item_no, i.item_id, i.cluster, o.metric, o.margin
        FROM outcomes o JOIN items i ON i.benchmark = ? AND i.item_no = o.item_no
        WHERE o.run_id = ? AND o.kind = ? AND o.query = -1 AND o.metric IN (SELECT unnest(?)) ORDER BY o.item_no""",
        [run.benchmark, run.run_id, kind, metrics],
    ).df()
    margins = np.full((len(items), len(known)), np.nan)
    places = pd.MultiIndex.from_frame(items[["item_no", "metric"]])
    # Choices that were asked for in other orders than on the original compare with nothing, and are as if not scored.
    edits = pd.concat(
        [_edits(run, each.run_id, kind, metrics).assign(column=column) for column, each in enumerate(known)]
    )
    edits["place"] = places.get_indexer(pd.MultiIndex.from_frame(edits[["item_no", "metric"]]))
    # Two seeds may find the same edit: it is one edit, and counts once.
    edits = edits[(edits["place"] >= 0) & edits["margin"].notna()].drop_duplicates(["place", "texts"])
    margins[edits["place"], edits["column"]] = edits["margin"]
    return Edited(items, margins, [each.name for each in known], [each.texts for each in known])


def read_alike(margins: FloatArray, noise: float) -> NDArray[np.intp]:
    """Which edits of an item a model reads alike, (n, e): equal numbers. margins: (n, e), NaN where not scored.

    What two captions are to a model is not stored for all kinds, their scores are: captions of the same tokens have the
    same scores, up to what batching changes. noise: how far one margin may move by that, so two may lie twice as far
    apart; 0 takes equal ones alone.

    >>> read_alike(np.array([[0.5, 0.1, 0.500001, 0.3]]), 1e-6).tolist()
    [[2, 0, 2, 1]]
    """
    order = np.argsort(margins, axis=1, kind="stable")
    ranked = np.take_along_axis(margins, order, 1)
    with np.errstate(invalid="ignore"):
        new = np.diff(ranked, axis=1, prepend=-np.inf) > 2 * noise
    found = np.empty(margins.shape, dtype=np.intp)
    np.put_along_axis(found, order, np.cumsum(new, axis=1) - 1, 1)
    return found


def _edits(run: StoredRun, other: str, kind: str, metrics: list[str]) -> pd.DataFrame:
    """item_no (of the run's own benchmark), edited_no, metric, margin and a hash of the captions, for every edited item
    that the run on the edition has judged as its original was."""
    found = run.cursor.execute(
        """SELECT p.item_no, i.item_no AS edited_no, o.metric, o.margin, hash(i.texts) AS texts FROM outcomes o
        JOIN runs r ON r.run_id = o.run_id JOIN items i ON i.benchmark = r.benchmark AND i.item_no = o.item_no
        JOIN runs mine ON mine.run_id = ?
        JOIN items p ON p.benchmark = mine.benchmark AND p.item_id = json_extract_string(i.tags, '$.origin[0]')
        WHERE o.run_id = ? AND o.kind = ? AND o.query = -1 AND o.metric IN (SELECT unnest(?))
            AND json_extract_string(i.tags, '$.edit[0]') IS NOT NULL ORDER BY p.item_no""",
        [run.run_id, other, kind, metrics],
    ).df()
    if kind != Kind.VERDICT:
        return found
    known = asked_again(run, other)
    return found[found["edited_no"].isin(known.loc[known["same"], "edited_no"])].reset_index(drop=True)
