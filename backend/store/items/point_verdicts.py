"""What runs make of the items that points belong to: by what they can be judged, and right or wrong.

At a kind's default setting the stored outcomes are read, of the wanted metrics and items alone; under any other setting
all are judged anew, once (`outcomes.compute`).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from backend.items import Kind
from backend.metrics.core import registry
from backend.store.build.store import Store
from backend.store.items.embeddings import TEXT, Points
from backend.store.scores.setting import Setting


def verdicts(store: Store, run_id: str, setting: Setting, metric: str, of: Points) -> pd.DataFrame:
    """What a run makes of each point's item by a metric, in the order of `of.frame`: correct (missing where it has no
    verdict), margin, reason (its word, docs/reasons.md; "" where it is not measured).

    recall_at_k: an image by i2t_recall_at_k, a text by its own t2i_recall_at_k; headline: each protocol's own.
    """
    frame = of.frame[["item_no", "modality", "query"]]
    wanted = _said(store, run_id, setting, _names(setting, metric), frame["item_no"].unique())
    by_item = wanted[wanted["query"] < 0].drop_duplicates("item_no").set_index("item_no")
    by_text = wanted[wanted["query"] >= 0].drop_duplicates(["item_no", "query"]).set_index(["item_no", "query"])
    found = by_item.reindex(frame["item_no"])[["correct", "margin", "reason"]].reset_index(drop=True)
    found["correct"], found["reason"] = found["correct"].astype("boolean"), found["reason"].fillna("")
    if len(by_text):
        own = by_text.reindex(pd.MultiIndex.from_frame(frame[["item_no", "query"]]))[["correct", "margin"]]
        is_query = ((frame["modality"] == TEXT) & (frame["query"] >= 0)).to_numpy()
        for name in ("correct", "margin"):
            found[name] = found[name].mask(is_query, own[name].reset_index(drop=True))
    return found


def judges(store: Store, benchmark: str, part: str) -> dict[str, list[str]]:
    """Run -> the kinds under which it has verdicts on a part of a benchmark (hash)."""

    def ask() -> dict[str, list[str]]:
        rows = store.cursor().execute(
            """SELECT DISTINCT o.run_id, o.kind FROM outcomes o
            JOIN runs r ON r.run_id = o.run_id AND r.benchmark = $1
            JOIN items i ON i.benchmark = $1 AND i.item_no = o.item_no
            WHERE ($2 = 'all' OR i.subset = $2) AND o.kind <> 'prior' ORDER BY ALL""",
            [benchmark, part],
        ).fetchall()  # fmt: skip
        return {run: [kind for other, kind in rows if other == run] for run, _ in rows}

    return store.cached(("judges", benchmark, part), ask)


def metrics(store: Store, run_id: str, setting: Setting, subsets: list[str]) -> list[str]:
    """What points of these subsets can be judged by: `headline` where there are several protocols, else the metrics."""
    key = ("metrics of points", run_id, setting, tuple(subsets))
    names = store.cached(key, lambda: _of_subsets(store, run_id, setting, subsets))
    merged = [name.removeprefix("i2t_").removeprefix("t2i_") if "_recall_at_" in name else name for name in names]
    order = list(dict.fromkeys(merged))
    ranked = [name.removeprefix("i2t_") if "_recall_at_" in name else name for name in registry.headlines(judged=True)]
    first = [name for name in ranked if name in order]
    return ["headline"] * (len(first) > 1) + first + [name for name in order if name not in first]


def _of_subsets(store: Store, run_id: str, setting: Setting, subsets: list[str]) -> list[str]:
    """The metrics that a run has outcomes of in some subsets, in the order in which items and queries come to them."""
    from backend.store.scores import outcomes

    rows = _stored(store, run_id, setting, ["item_no", "query", "metric"])
    if rows is None:
        frame = outcomes.compute(store, run_id, setting)
        return [str(name) for name in frame.loc[frame["subset"].isin(subsets), "metric"].unique()]
    asked = "SELECT item_no FROM items WHERE benchmark = ? AND list_contains(?::VARCHAR[], subset)"
    here = store.cursor().execute(asked, [store.run(run_id).benchmark, subsets]).fetchnumpy()["item_no"]
    rows = rows.filter(pa.array(np.isin(rows["item_no"].to_numpy(), here, kind="table")))
    coded = rows["metric"].combine_chunks()
    which, item_no, query = coded.indices.to_numpy(), rows["item_no"].to_numpy(), rows["query"].to_numpy()
    found = []
    for code, name in enumerate(coded.dictionary.to_pylist()):
        if len(own := np.flatnonzero(which == code)):
            first = own[item_no[own] == item_no[own].min()]
            found.append((int(item_no[first[0]]), int(query[first].min()), int(own[0]), str(name)))
    return [name for *_, name in sorted(found)]


def both_ways(metrics: Sequence[str]) -> list[str]:
    """Metrics with those of the other direction behind them: a caption of a pool is judged by its own query.

    >>> both_ways(["accuracy", "i2t_recall_at_1"])
    ['accuracy', 'i2t_recall_at_1', 't2i_recall_at_1']
    """
    return [*metrics, *(other for other in map(registry.other_way, metrics) if other)]


def _names(setting: Setting, metric: str) -> list[str]:
    """The metrics that stand for one of `metrics`."""
    from backend.store.rates.rates import headlines

    if metric == "headline":
        return both_ways(headlines(setting.kind))
    return [f"i2t_{metric}", f"t2i_{metric}"] if metric.startswith("recall_at_") else [metric]


def _said(store: Store, run_id: str, setting: Setting, names: Sequence[str], items: ArrayLike) -> pd.DataFrame:
    """item_no, query, correct, margin and reason of some items by some metrics, in the order of items and queries."""
    from backend.store.scores import outcomes

    columns = ["item_no", "query", "correct", "margin", "reason"]
    rows = _stored(store, run_id, setting, [*columns, "metric"])
    if rows is None:
        frame = outcomes.compute(store, run_id, setting)
        return frame.loc[frame["metric"].isin(names), columns]
    coded = rows["metric"].combine_chunks()
    wanted = pc.is_in(coded.dictionary, pa.array(names, pa.string())).to_numpy(zero_copy_only=False)
    keep = wanted[coded.indices.to_numpy()] & np.isin(rows["item_no"].to_numpy(), items, kind="table")
    rows = rows.filter(pa.array(keep)).select(columns)
    found: pd.DataFrame = rows.set_column(4, "reason", rows["reason"].cast(pa.string())).to_pandas()
    found["correct"] = found["correct"].astype("boolean")
    return found.sort_values(["item_no", "query"], kind="stable", ignore_index=True)


def _stored(store: Store, run_id: str, setting: Setting, columns: Sequence[str]) -> pa.Table | None:
    """Some columns of all stored outcomes of a default setting, metric by metric, each in item order; None where none
    are stored."""
    if not setting.is_default or setting.kind == Kind.PRIOR:
        return None
    rows = store.rows("outcomes", run_id, setting.kind, columns)
    return rows if len(rows) else None
