"""A run's numbers as its benchmark's own evaluator or its papers form them: macro averages, means of families.

Each is derived from the run's verdicts under a setting by the benchmark's own rule (`Declaration.official`), said with
what it leaves out, and set beside print where a paper prints exactly that. Page-ready: one plain row a score.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from backend import benchmarks, published
from backend.benchmarks.base import Judged, Official
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.thresholds import DEFAULT
from backend.published import Ours
from backend.store.build.records import is_whole
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.catalog.default_run import ChosenRun
from backend.store.official import printed_keys
from backend.store.official.inputs import judged
from backend.store.rates import asking_orders
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting

#: Selections of a run that leave items out, so that its numbers are of a part.
PARTIAL = ("subset", "limit", "sample")


def official(
    store: Store,
    chosen: ChosenRun,
    setting: Setting,
    subset: str | None = None,
    published_as: str | None = None,
    threshold: float = DEFAULT,
) -> list[dict[str, Any]]:
    """One row a score: metric (whose verdicts it is made of), name, value (a fraction, None where undefined), n, how,
    published and published_all (as in `report`). Empty where the benchmark has no scores of its own.

    subset: as in `report`; a score that needs the rest of the benchmark is then undefined and says so.
    """

    def make() -> list[dict[str, Any]]:
        declared = benchmarks.known(chosen.benchmark)
        form = declared.official if declared else None
        if form is None:
            return []
        frame = outcomes.compute(store, chosen.run_id, setting, subset)
        ours = printed_keys.of_run(store, chosen, setting, list(frame["subset"].unique()), published_as)
        compared = threshold == DEFAULT  # papers print .5 only
        rows = []
        several = asking_orders.in_several(store, chosen.run_id, setting.kind)
        for verdicts, part in judged(store, chosen.run_id, setting, subset, threshold, frame):
            each, metric = "", verdicts.metric
            if several and metric == "accuracy":  # as its authors count: each order by itself, then their mean
                verdicts, metric = _mean_of_orders(store, chosen, verdicts, part), MEAN_OF_ORDERS
                each = " Each is the mean over the orders of asking."
            for score in form(verdicts):
                remark = f"{each}{_remark(store, chosen, part, score.of)}"
                rows.append(_row(metric, score, remark, ours if compared else None))
        return rows

    return store.cached(("official", chosen.run_id, chosen.model, setting, subset, published_as, threshold), make)


def _mean_of_orders(store: Store, chosen: ChosenRun, verdicts: Judged, part: pd.DataFrame) -> Judged:
    """The verdicts with, for each item, the share of the orders in which it was right."""
    told = asking_orders.asked(store, chosen.run_id, part["item_no"].to_numpy(dtype=np.intp))
    there = ~np.isnan(told.right)
    counts = there.sum(axis=1)
    shares = np.where(there, told.right, 0.0).sum(axis=1) / np.maximum(counts, 1)
    return replace(verdicts, correct=np.where(counts > 0, shares, np.nan))


def column(row: Mapping[str, Any]) -> str:
    """What an official score is called in `published/benchmarks.csv`.

    >>> column({"metric": "accuracy", "name": "Object"})
    'accuracy/Object'
    """
    return f"{row['metric']}/{row['name']}"


def _row(metric: str, score: Official, remark: str, ours: Ours | None) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": metric, "name": score.name, "value": score.value, "n": score.n}
    matches = published.matches(ours, column(row)) if ours and score.value is not None else []
    printed = [match.beside(score.value) for match in matches]
    how = score.how if score.how.endswith(".") else f"{score.how}."
    return row | {"how": f"{how}{remark}", "published": printed[0] if printed else None, "published_all": printed}


def _remark(store: Store, chosen: ChosenRun, part: pd.DataFrame, of: Collection[str] = ()) -> str:
    """What the run leaves out of the subsets that a score is formed from, as a sentence to be added; "" where it is
    nothing. of: these subsets, none named: all that the run covers. How many items the score is of is its `n`."""
    record = store.run(chosen.run_id).record
    selection = {} if is_whole(record) else record.get("selection") or {}
    said = [f"--{name} {selection[name]}" for name in PARTIAL if selection.get(name) is not None]
    table = catalog.benchmarks(store).set_index("hash")
    counts = dict(table["subsets"][chosen.benchmark_hash]) if chosen.benchmark_hash in table.index else {}
    part = part[part["subset"].isin(of)] if of else part
    named = [str(name) for name in part["subset"].unique()]
    whole = sum(int(counts.get(name, 0)) for name in named)
    done = int(part.loc[part["correct"].notna(), "item_no"].nunique())
    lacking = f" The run has judged {done:,} of the {whole:,} items of {', '.join(named)}." if done < whole else ""
    return (f" The run covers a part only ({', '.join(said)})." if said else "") + lacking
