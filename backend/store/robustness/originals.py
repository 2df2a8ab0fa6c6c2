"""The rates that edits are measured against: each model on the original captions of the items that were edited."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from backend.items import Kind
from backend.metrics import statistics
from backend.metrics.core.registry import known as declared
from backend.metrics.paired.resampling import where_shared
from backend.store.build.store import Store
from backend.store.rates import asking_orders
from backend.store.robustness import editions, pools
from backend.store.robustness.pools import RECALLS
from backend.store.robustness.robustness import HEADLINE, RSUM, verdicts
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting

#: Columns of `originals`, a row a model and kind. value, low, high (95 %), chance: fractions, NaN where undefined;
#: ties: of the n questions so many fail by an exact tie alone.
COLUMNS = ("model", "kind", "value", "n", "low", "high", "chance", "ties")
_KEYS = ["item_id", "metric", "query"]


def originals(store: Store, parent: str, metric: str = HEADLINE, subset: str | None = None) -> pd.DataFrame:
    """COLUMNS, of every model and kind that was run on an edition of a benchmark (hash), over the questions that any of
    them asks again, each once. Recalls are those in the pool of the first edition, as before that edit. Empty for rsum,
    which is no share, and where captions stand against their own edits alone."""

    def make() -> pd.DataFrame:
        frame = verdicts(store, parent, metric, subset)
        frame = frame[frame["was"].notna()].drop_duplicates(["model", "kind", *_KEYS])
        pairs = editions.pairs(store, parent)
        run = dict(zip(zip(pairs["model"], pairs["kind"], strict=True), pairs["run"], strict=True))
        rows = [
            (model, kind, *_of(store, part, str(run[model, kind]), str(kind), parent))
            for (model, kind), part in frame.groupby(["model", "kind"], sort=False)
        ]
        found = pd.DataFrame(rows if metric != RSUM else [], columns=list(COLUMNS))
        return found.astype(dict.fromkeys(("value", "low", "high", "chance"), float))

    return store.cached(("robustness originals", parent, metric, subset), make)


def _of(store: Store, part: pd.DataFrame, run: str, kind: str, parent: str) -> tuple[object, ...]:
    """(value, n, low, high, chance, ties) of one model's questions."""
    rows = _counted(store, part, run, kind, parent)
    if rows["metric"].isin(RECALLS).any():
        rows = _pooled(rows, pools.judged(store, parent))
    ties = (rows["was"] == 0) & (rows["was_margin"] == 0)
    rate = statistics.rate(
        rows["was"].to_numpy() == 1, ties=ties.to_numpy(), clusters=where_shared(rows["cluster"].to_numpy())
    )
    return (rate.value, rate.n, *(rate.ci95 or (None, None)), _level(store, rows, run, kind, parent), rate.ties)


def _level(store: Store, rows: pd.DataFrame, run: str, kind: str, parent: str) -> float | None:
    """The chance level of one model's questions: of choices in several orders what coins would come to in all."""
    if kind != Kind.VERDICT:
        return chance(rows)
    items = store.cursor().execute("SELECT item_id, item_no FROM items WHERE benchmark = ?", [parent]).df()
    rows = rows.merge(items, on="item_id", how="left")
    total = 0.0
    for name, part in rows.groupby("metric"):
        coins = asking_orders.coin(store, run, part, str(name))
        level = chance(part) if coins is None else float(coins.mean())
        if level is None or np.isnan(level):
            return None
        total += level * len(part)
    return total / len(rows) if len(rows) else None


def _counted(store: Store, part: pd.DataFrame, run: str, kind: str, parent: str) -> pd.DataFrame:
    """The questions with how many candidates each has, and how many of them are right: the item's own captions, unless
    its metric counts them itself."""
    if any(metric.candidates for name in part["metric"].unique() if (metric := declared(str(name)))):
        own = outcomes.compute(store, run, Setting(kind))[[*_KEYS, "candidates", "relevant"]]
        return part.merge(own.drop_duplicates(_KEYS), on=_KEYS, how="left")
    rows = store.cursor().execute("SELECT item_id, len(texts) AS candidates FROM items WHERE benchmark = ?", [parent])
    return part.merge(rows.df(), on="item_id", how="left").assign(relevant=1)


def _pooled(rows: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The candidates of recalls are those of the pool that both runs have scored, not of the original's whole pool."""
    rows = rows.copy()
    sizes: Mapping[object, pd.DataFrame] = dict(list(judged.groupby(["model", "kind", "hash", "subset"])))
    for key, at in rows[rows["metric"].isin(RECALLS)].groupby(["model", "kind", "hash", "subset"]).indices.items():
        place = rows.index[rows["metric"].isin(RECALLS)][at]
        pool = sizes[key]
        texts = pool[pool["metric"] == "t2i_recall_at_1"].groupby("item_id").size()
        to_text = rows.loc[place, "metric"].str.startswith("i2t").to_numpy()
        rows.loc[place, "candidates"] = np.where(to_text, texts.sum(), len(texts))
        rows.loc[place, "relevant"] = np.where(to_text, rows.loc[place, "item_id"].map(texts), 1)
    return rows


def chance(rows: pd.DataFrame) -> float | None:
    """The mean chance level of questions of several metrics, None where one has none. rows: metric, candidates,
    relevant."""
    total = 0.0
    for name, part in rows.groupby("metric"):
        metric = declared(str(name))
        level = metric.level(part["candidates"].to_numpy(), part["relevant"].to_numpy()) if metric else None
        if level is None or np.isnan(level):
            return None
        total += level * len(part)
    return total / len(rows) if len(rows) else None
