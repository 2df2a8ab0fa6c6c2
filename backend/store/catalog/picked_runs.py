"""Runs that scored nothing but a picked set of items: shown with that set, and never among complete runs."""

from collections.abc import Iterable, Mapping

import pandas as pd

from backend.items import set_digest
from backend.metrics import statistics
from backend.metrics.paired.resampling import where_shared
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.rates.rates import headlines


def picked_runs(store: Store, benchmark: str, item_ids: Iterable[str]) -> pd.DataFrame:
    """Runs of exactly these items of a benchmark (hash), the latest of each model: run_id, model, kinds, complete."""
    frame = catalog.runs(store, benchmark)
    own = frame[(frame["picked"] == set_digest(item_ids)) & (frame["kinds"].map(len) > 0)]
    return own.drop_duplicates("model", keep="last")[["run_id", "model", "kinds", "complete"]].reset_index(drop=True)


def picked_verdicts(store: Store, run_id: str) -> pd.DataFrame:
    """Headline verdicts of such a run, each kind at its default setting: item_id, kind, metric, query, correct, margin,
    ties."""
    frame = (
        store.cursor()
        .execute(
            """SELECT i.item_id, o.kind, o.metric, o.query, o.correct, o.margin, o.ties FROM outcomes o
            JOIN items i ON i.item_no = o.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
            WHERE o.run_id = $run ORDER BY i.item_no, o.kind, o.metric, o.query""",
            {"run": run_id},
        )
        .df()
    )
    shown = [metric in headlines(kind) for metric, kind in zip(frame["metric"], frame["kind"], strict=True)]
    return frame[shown].reset_index(drop=True)


def picked_rates(verdicts: pd.DataFrame, clusters: Mapping[str, str]) -> pd.DataFrame:
    """kind, metric, value, n, ties, low, high of `picked_verdicts` or live ones; the interval is Wilson's, or over
    clusters where items share one. clusters: item id -> what it shares, of the benchmark (`catalog.clusters`)."""
    rows = []
    for (kind, metric), part in verdicts.groupby(["kind", "metric"], sort=False):
        defined = part["correct"].notna()
        of = [clusters.get(item, item) for item in part["item_id"]]
        right, ties = (part[name].fillna(False).astype(bool) for name in ("correct", "ties"))
        found = statistics.rate(right, defined, ties, where_shared(of))
        low, high = found.ci95 or (None, None)
        rows.append((str(kind), str(metric), found.value, found.n, found.ties, low, high))
    return pd.DataFrame(rows, columns=["kind", "metric", "value", "n", "ties", "low", "high"])
