"""A choice between captions that was asked for in several orders: each order's own rate, and their mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backend.items import Kind
from backend.kinds import MEAN_ORDER, ORDER
from backend.metrics.contests import mean_of_orders
from backend.metrics.paired.resampling import where_shared
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting

#: The rule by which an item that was asked for in several orders has one verdict, in words.
STRICT = "right only in every order of asking"
#: What choices are that compare in nothing, and why.
DIFFERENTLY = "asked in different numbers of orders of the captions"
UNLIKE = f"{DIFFERENTLY}: who must be right in more of them is right less often by chance alone"
#: Metrics that are right where every contest of an item was won in every order -> contests of an item in one order.
CONTESTS = {"i2t_accuracy": 2, "i2t_p1_n_accuracy": 1, "i2t_p2_n_accuracy": 1, "text_score": 2}

#: An item is right where the true text won every contest of this order: of a quad's second image that is text 1. Its
#: answer is what won each contest: 1, 0 or -, which is neither.
_RIGHT = """
SELECT s.part[length($prefix) + 1:] AS name, i.subset, i.item_no,
    bool_and(CASE WHEN i.protocol = 'quad' AND s.image_index = 1 THEN s.value < 0.5 ELSE s.value > 0.5 END) AS correct,
    -- Of several foils one may have been chosen, which decides nothing between the truth and the others: that is an
    -- answer. Where no foil won, and some contest has no winner, no caption was chosen.
    bool_or(s.value = 0.5) AND NOT (i.protocol = 'choice' AND bool_or(s.value < 0.5)) AS undecided,
    string_agg(CASE WHEN s.value > 0.5 THEN '1' WHEN s.value < 0.5 THEN '0' ELSE '-' END, ''
        ORDER BY s.image_index, s.text_index) AS answer
FROM scores s JOIN items i ON i.item_no = s.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
WHERE s.run_id = $run AND starts_with(s.part, $prefix) AND s.part <> $prefix -- which is of answers without an order
    AND ($subset::VARCHAR IS NULL OR list_contains(string_split($subset, ','), i.subset))
GROUP BY s.part, i.subset, i.item_no, i.protocol
"""
#: Items that were answered without an order, where others have one: they have a verdict, and are of no order.
_WITHOUT = """
SELECT i.subset, count(DISTINCT i.item_no) AS n
FROM scores s JOIN items i ON i.item_no = s.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
WHERE s.run_id = $run AND s.part = $verdict AND s.item_no NOT IN (
    SELECT item_no FROM scores WHERE run_id = $run AND starts_with(part, $prefix) AND part <> $prefix)
    AND ($subset::VARCHAR IS NULL OR list_contains(string_split($subset, ','), i.subset))
GROUP BY i.subset
"""


def not_compared(n: int) -> str:
    """How many verdicts a comparison leaves out, and why; "" where none.

    >>> not_compared(1).partition(" of the")[0], not_compared(0)
    ('Not compared: 1 verdict, asked in different numbers of orders', '')
    """
    return f"Not compared: {n:,} verdict{'' if n == 1 else 's'}, {UNLIKE}." if n else ""


@dataclass(frozen=True)
class Asked:
    """Items in k orders of asking. right: (n, k), 1, 0, or NaN where not asked in that order. neither: (n,) in how many
    orders no caption won. disagree: (n,) whether two orders gave different answers, of which "neither" is one: two that
    are both wrong may differ. All line up with the item numbers that were asked for."""

    names: tuple[str, ...]
    right: NDArray[np.float64]
    neither: NDArray[np.intp]
    disagree: NDArray[np.bool_]

    def rate(
        self, rows: NDArray[np.intp], clusters: NDArray[np.intp] | None, subsets: ArrayLike | None = None
    ) -> Rate:  # fmt: skip
        """`accuracy_mean_of_orders` of some items. subsets: of each, where every subset weighs the same."""
        return mean_of_orders(self.right[rows], clusters, subsets)


def coin(store: Store, run_id: str, verdicts: pd.DataFrame, metric: str) -> NDArray[np.float64] | None:
    """The probability (n,) that answers drawn at random make each verdict right: 1/4 of a choice between two captions
    in two orders. NaN where it depends on how many captions were asked about at a time; None for a run that was not
    asked in several orders, or a metric that is no matter of contests.

    verdicts: rows of `outcomes.compute` of this metric under the kind verdict.
    """
    if metric != "accuracy" and metric not in CONTESTS:
        return None
    captions = verdicts["candidates"].to_numpy(dtype=float)
    told = asked(store, run_id, verdicts["item_no"].to_numpy(dtype=np.intp))
    if len(told.names) > 1:
        times = np.maximum((~np.isnan(told.right)).sum(axis=1), 1)  # without an order: once
        pairs = np.where(captions == 2, 1.0, np.nan) if metric == "accuracy" else float(CONTESTS[metric])
    elif told.names or not _asked_here(store, run_id):
        return None
    else:
        times = np.full(len(verdicts), 2)
        pairs = captions - 1 if metric == "accuracy" else float(CONTESTS[metric])
    return np.asarray(0.5 ** (pairs * times))


def _asked_here(store: Store, run_id: str) -> bool:
    """Whether the verdicts are a server's answers to `flipside run`, which puts every question in both orders."""
    model = store.run(run_id).record.get("model")
    return isinstance(model, dict) and model.get("family") == "endpoint"


def in_several(store: Store, run_id: str, kind: str) -> bool:
    """Whether some of a run's items were asked for in two orders or more that are kept apart. Where each was asked
    once, now in this order, now in that, a mean of the orders would be no other number than the verdicts' own."""
    return kind == Kind.VERDICT and bool((_times(store, run_id) > 1).any())


def has_margins(store: Store, run_id: str, kind: str) -> bool:
    """Whether a run's margins under a kind say more than its verdicts. Verdicts of one order of asking stand as ±1 in
    the store; of several, they are the share of the orders that a text won, less the others'."""
    return kind != Kind.VERDICT or in_every_order(store, run_id, kind)


def in_every_order(store: Store, run_id: str, kind: str) -> bool:
    """Whether verdicts of a run are made of the answers to several orders of asking, kept apart or not."""
    if kind != Kind.VERDICT:
        return False
    return _asked_here(store, run_id) or bool((_times(store, run_id) > 1).any())


def _times(store: Store, run_id: str) -> "pd.Series[int]":
    """In how many orders each item was asked, of those that are kept apart; by item number."""
    return store.cached(
        ("times asked", run_id), lambda: _frame(store, run_id).groupby("item_no")["name"].nunique().astype(int)
    )


def times(store: Store, run_id: str, item_no: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of how many answers the verdicts on these items are made: 2 of a server's, which `flipside run` asks in both
    orders; else as many as there are orders, and 1 where none is named."""
    if _asked_here(store, run_id):
        return np.full(len(item_no), 2)
    known = _times(store, run_id).reindex(item_no, fill_value=1)
    return np.asarray(known, dtype=np.intp)


def strict(store: Store, run_id: str, kind: str) -> str:
    """The rule that stands behind each single verdict of a run under a kind, in words; "" where a verdict is what was
    scored, or answered, once."""
    return STRICT if in_every_order(store, run_id, kind) else ""


def alike(store: Store, sides: Sequence[tuple[str, str]], item_no: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which items (n,) were asked in as many orders on each of some sides, (run id, kind), that were asked to choose:
    the verdicts of others follow different rules, being right in one order or in each of two, of which chance alone
    passes one more often, so they compare in nothing. Scores do not depend on an order: these compare with all."""
    counts = [times(store, run_id, item_no) for run_id, kind in sides if kind == Kind.VERDICT]
    return np.logical_and.reduce([each == counts[0] for each in counts]) if counts else np.ones(len(item_no), bool)


def with_margins(store: Store, outcomes_: pd.DataFrame) -> pd.DataFrame:
    """Rows with run_id, kind and margin, the margin NaN where a run has none under a kind (see `has_margins`)."""
    chosen = outcomes_["kind"] == Kind.VERDICT
    if not chosen.any():
        return outcomes_
    runs = outcomes_.loc[chosen, "run_id"].unique()
    bare = [run for run in runs if not has_margins(store, str(run), Kind.VERDICT)]
    return outcomes_.assign(margin=outcomes_["margin"].mask(chosen & outcomes_["run_id"].isin(bare)))


def asked(store: Store, run_id: str, item_no: NDArray[np.intp]) -> Asked:
    """What was chosen in each order for these items."""
    frame = _frame(store, run_id)
    names = tuple(sorted(frame["name"].unique()))
    right, neither = np.full((len(item_no), len(names)), np.nan), np.zeros(len(item_no), np.intp)
    differ = frame.groupby("item_no")["answer"].nunique() > 1
    for column, name in enumerate(names):
        part = frame[frame["name"] == name].set_index("item_no")
        known = part.reindex(item_no)
        right[:, column] = known["correct"].astype("Float64").to_numpy(dtype=float, na_value=np.nan)
        neither += known["undecided"].fillna(False).to_numpy(dtype=bool)
    return Asked(names, right, neither, differ.reindex(item_no, fill_value=False).to_numpy(dtype=bool))


@dataclass(frozen=True)
class Told:
    """What choices that were asked in several orders come to: the mean over the orders, of how many items two orders
    gave different answers, how many answers named no caption, how many items were asked in fewer orders than others,
    which are judged by the orders in which they were, and how many in two or more, which alone can differ. And how many
    were answered without an order: these are in no mean over orders."""

    rate: Rate
    disagreements: int
    neither: int
    in_fewer: int = 0
    in_several: int = 0
    without_order: int = 0


def told(
    store: Store, run_id: str, kind: str, items: NDArray[np.intp] | None = None, *, equal: bool = False
) -> Told | None:  # fmt: skip
    """Of a run's choices, or of these items of it; None where they were not asked in several orders. equal: every
    subset weighs the same in the rate."""
    if not in_several(store, run_id, kind):
        return None
    frame = outcomes.compute(store, run_id, Setting(kind))
    frame = frame[frame["metric"] == "accuracy"]
    frame = frame if items is None else frame[frame["item_no"].isin(items)]
    if frame.empty:
        return None
    found = asked(store, run_id, frame["item_no"].to_numpy(dtype=np.intp))
    clusters = pd.factorize(frame["cluster"], sort=True)[0]
    missing = np.isnan(found.right)
    without = missing.all(axis=1)
    rate = found.rate(np.arange(len(frame)), where_shared(clusters), frame["subset"] if equal else None)
    return Told(
        rate, int(found.disagree.sum()), int(found.neither.sum()), int((missing.any(axis=1) & ~without).sum()),
        int(((~missing).sum(axis=1) > 1).sum()), int(without.sum()),
    )  # fmt: skip


def _frame(store: Store, run_id: str, subset: str | None = None) -> pd.DataFrame:
    binds = {"run": run_id, "prefix": ORDER, "subset": subset}
    return store.cached(("orders", run_id, subset), lambda: store.cursor().execute(_RIGHT, binds).df())


def orders(store: Store, run_id: str, subset: str | None = None) -> dict[str, Any] | None:
    """{"all": {order: {"value", "n", "neither"}, "mean": {"value", "n", "in_fewer", "disagreements", "neither",
    "without_order"}}, "by_subset": {subset: the same}}.

    None for a run that was not asked in several orders. value: the share of items whose true text was chosen; neither:
    items in which one contest had no winner. mean: as `mean_of_orders` has it; disagreements: items of which two orders
    gave different answers; neither: answers that chose no caption; without_order: items beside these n that have an
    answer which names no order.
    """
    if not in_several(store, run_id, Kind.VERDICT) or (frame := _frame(store, run_id, subset)).empty:
        return None
    without = _without_order(store, run_id, subset)
    parts = {str(name): part for name, part in frame.groupby("subset", sort=True)}
    every = {name: _rates(part, without.get(name, 0)) for name, part in parts.items()}
    return {"all": _rates(frame, sum(without.values())), "by_subset": every}


def _without_order(store: Store, run_id: str, subset: str | None) -> dict[str, int]:
    """Subset -> items that were answered without an order."""
    binds = {"run": run_id, "prefix": ORDER, "verdict": str(Kind.VERDICT), "subset": subset}
    return dict(store.cursor().execute(_WITHOUT, binds).fetchall())


def _rates(frame: pd.DataFrame, without: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, part in frame.groupby("name", sort=True):
        value = float(part["correct"].mean())
        found[str(name)] = {"value": value, "n": len(part), "neither": int(part["undecided"].sum())}
    times = frame.groupby("item_no")["name"].nunique()
    fewer = int((times < len(found)).sum())
    mean = float(frame.groupby("item_no")["correct"].mean().mean())
    neither = int(frame["undecided"].sum())
    apart = int((frame.groupby("item_no")["answer"].nunique() > 1).sum())
    more = {"in_fewer": fewer, "disagreements": apart, "neither": neither, "without_order": without}
    return {**found, MEAN_ORDER: {"value": mean, "n": len(times), **more}}
