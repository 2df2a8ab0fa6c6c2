"""What edits of the captions do to verdicts: every question before and after its edit.

Verdicts are those of each kind at its default setting. A pool is judged again, before and after, on the images and
captions that both runs have scored, because recall in another pool would be another question.
"""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from backend.items import Kind, Protocol
from backend.metrics.core.registry import BY_ITEM, deciding, headlines, judging
from backend.store.build.store import Store
from backend.store.labels.edited_captions import METRICS
from backend.store.robustness import editions, pools
from backend.store.robustness.pools import RECALLS

#: Each item by the one metric that judges it; the sum of all recalls.
HEADLINE: Final = "headline"
RSUM: Final = "rsum"
#: What judges a quad where a model was asked to choose between captions.
CHOSEN: Final = deciding(Protocol.QUAD, Kind.VERDICT) or ""
#: What items by themselves can be judged by: every score of a quad, and the headlines of the others.
ITEM_METRICS: Final = tuple(
    dict.fromkeys(
        (*judging(Protocol.QUAD), *(name for protocol in BY_ITEM for name in headlines(protocol, judged=True)))
    )
)
COLUMNS: Final = (
    "model", "kind", "hash", "edition", "column", "seed", "metric", "item_id", "edited_id", "query", "subset",
    "cluster", "was", "now", "was_margin", "now_margin",
)  # fmt: skip


def column_of(line: Any) -> str:
    """The matrix's column that an edition (a row of `editions.editions`) belongs to: all its seeds share it."""
    more = "" if line.texts == "all" else f"+{line.texts}_only"
    return f"{line.perturbation}{more}" + ("+as_foils" if line.way == "foils" else "")


def metrics(store: Store, parent: str) -> list[str]:
    """What the editions of a benchmark can be judged by, HEADLINE first."""

    def make() -> list[str]:
        known = editions.pairs(store, parent)
        rows = store.cursor().execute(
            "SELECT DISTINCT metric FROM outcomes WHERE run_id IN (SELECT unnest(?::VARCHAR[]))",
            [known["edited_run"].tolist()],
        )
        there = {name for (name,) in rows.fetchall()}
        recalls = [*RECALLS, RSUM] if there & set(RECALLS) else []
        return [HEADLINE, *(name for name in ITEM_METRICS if name in there), *recalls]

    return store.cached(("robustness metrics", parent), make)


def verdicts(store: Store, parent: str, metric: str = HEADLINE, subset: str | None = None) -> pd.DataFrame:
    """Every question before and after its edit, for all models, kinds and editions of a benchmark (hash).

    Columns COLUMNS. was, now: 1 right, 0 wrong, NaN undefined; where the edit is set against its caption (`foils`) it
    is a new question: was is NaN and now says whether the caption won. query: which text of its item a text-to-image
    query is, else -1. cluster: what items share (an image, a video). metric: one name, HEADLINE or RSUM.
    """

    def make() -> pd.DataFrame:
        known = editions.pairs(store, parent)
        wanted = list(RECALLS) if metric == RSUM else list(METRICS) if metric == HEADLINE else [metric]
        parts = [_of_items(store, known, [*wanted, CHOSEN] if metric == HEADLINE else wanted)]
        if any(name in RECALLS for name in wanted):
            pooled = pools.judged(store, parent)
            parts.append(pooled[pooled["metric"].isin(wanted)] if len(pooled) else pooled)
        found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
        about = known.assign(column=[column_of(line) for line in known.itertuples()])
        about = about.rename(columns={"name": "edition"})[["model", "kind", "hash", "edition", "column", "seed"]]
        return found.merge(about, on=["model", "kind", "hash"])[list(COLUMNS)]

    frame = store.cached(("robustness verdicts", parent, metric), make)
    return frame if subset is None else frame[frame["subset"] == subset]


def _of_items(store: Store, known: pd.DataFrame, wanted: Sequence[str]) -> pd.DataFrame:
    """Items that are judged by themselves, from the stored outcomes, without those that do not compare
    (`editions.unlike`). A quad under kind verdict is judged by its text score, all others by the metrics asked for."""
    found = (
        store.cursor()
        .execute(
            """WITH pairs AS (
                SELECT unnest($model) AS model, unnest($kind) AS kind, unnest($hash) AS hash, unnest($run) AS run,
                    unnest($edited_run) AS edited_run, unnest($way) AS way)
            SELECT p.model, p.kind, p.hash, n.metric, o.item_id, i.item_id AS edited_id, -1 AS query, o.subset,
                o.cluster AS cluster, w.correct::DOUBLE AS was, n.correct::DOUBLE AS now,
                w.margin AS was_margin, n.margin AS now_margin
            FROM pairs p JOIN outcomes n ON n.run_id = p.edited_run AND n.kind = p.kind AND n.query = -1
            JOIN items i ON i.benchmark = p.hash AND i.item_no = n.item_no
            JOIN runs r ON r.run_id = p.run
            JOIN items o ON o.benchmark = r.benchmark AND o.item_id = json_extract_string(i.tags, '$.origin[0]')
            LEFT JOIN outcomes w ON w.run_id = p.run AND w.kind = p.kind AND w.item_no = o.item_no AND w.query = -1
                AND w.metric = n.metric AND p.way = 'replace'
            WHERE i.protocol <> 'retrieval' AND list_contains($wanted, n.metric)
                AND (n.metric <> $chosen OR p.kind = $verdict OR len($wanted) = 1)
                AND (p.way = 'foils' OR w.run_id IS NOT NULL)
            ORDER BY p.model, p.kind, p.hash, o.item_no, i.item_no""",
            {name: known[name].tolist() for name in ("model", "kind", "hash", "run", "edited_run", "way")}
            | {"wanted": list(wanted), "verdict": str(Kind.VERDICT), "chosen": CHOSEN},
        )
        .df()
    )
    for pair in known[known["kind"] == Kind.VERDICT].itertuples():
        if unlike := editions.unlike(store, pair):
            of = (found["model"] == pair.model) & (found["kind"] == pair.kind) & (found["hash"] == pair.hash)
            found = found[~(of & found["edited_id"].isin(unlike))]
    return found
