"""What Overview of a published site draws, the dashboard's own specs, and the rates that Python made for Failures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from backend.store.build.store import Store
from backend.store.catalog import public
from backend.store.catalog.public import Apart
from backend.store.rates import asking_orders
from backend.store.rates.rates import heatmap as heat_rates
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting
from backend.taxonomy import title
from pages.overview.notice import notice
from pages.overview.view import Grid, grid
from pages.shared.data import asked_orders, best, cell_bars, findings, gaps
from pages.shared.data.frames import lines_of
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing import cells, heatmap
from pages.static_site.selection import Edition
from pages.static_site.tables import Side


def stored(edition: Edition) -> StoredBenchmark:
    """The edition as pages know benchmarks."""
    runs = edition.runs.set_index("model")
    kinds = {str(model): list(row) for model, row in runs["kinds"].items()}
    return StoredBenchmark(
        edition.name, edition.hash, edition.subsets, edition.protocols,
        {str(model): str(run) for model, run in runs["run_id"].items()}, kinds,
        {str(model): list(row) for model, row in runs["priors"].items()},
    )  # fmt: skip


def rates(store: Store, edition: Edition) -> Grid:
    """The heat map's rows, columns and cells."""
    frame = heat_rates(store, edition.hash, known=edition.runs[["model", "run_id", "kinds"]])
    frame = frame.rename(columns={"lo": "low", "hi": "high"})
    return grid(frame.astype(dict.fromkeys(("value", "low", "high", "chance"), float)), list(edition.subsets))


def overview(store: Store, edition: Edition, shown: Grid) -> dict[str, Any]:
    """The specs of both pictures, with captions, findings and what to notice. The hero's part ids and the heat map's
    cell ids name model, kind, subset; heatKinds: cell id -> the kind behind it."""
    rows = tuple((row.key.partition("\t")[0], row.key.partition("\t")[2]) for row in shown.rows)
    bars, missing = cell_bars.of_benchmark(stored(edition), rows)
    runs = {str(row["model"]): str(row["run_id"]) for row in edition.runs.to_dict("records")}
    apart, own = best.apart(store, runs), _apart(store, edition)
    whole = heat_rates(store, edition.hash, "all", known=edition.runs[["model", "run_id", "kinds"]])
    kinds = {row.key.partition("\t")[0]: row.key.partition("\t")[2] for row in shown.rows}
    first = best.leading(store, edition.name, runs, whole, apart, kinds=kinds)
    hero = cells.view(bars, missing)
    for part in hero["parts"]:
        for each in part["missing"]:
            each["commands"] = []  # nobody who reads this could type it, and it may name a folder
    return {
        "hero": hero,
        "heroTitle": cells.TITLE,
        "heroCaption": cells.caption(len(bars)),
        "heroFinding": findings.hero(bars, edition.name, own.people | own.repeats, len(edition.subsets) == 1),
        "heat": heatmap.view(shown.rows, shown.columns, shown.cells),
        "heatKinds": {f"{row}\n{column}": kind for (row, column), kind in shown.kinds.items()},
        "heatCaption": "Per cent of items right, in brackets the ends of the 95 % interval, items that share "
        f"an image taken together. {heatmap.LEGEND}. Ties count as failures.",
        "heatFinding": first.said if first else _heat_finding(store, edition, shown),
        "notice": [[fact, _in_site(said)] for fact, said in notice(shown, own, first.fact if first else None)],
    }


def _in_site(said: str) -> str:
    """What Overview says, where it sends readers to a page that a site has not.

    >>> _in_site("The rate does not say why: open the cell, or Equivariance.")
    'The rate does not say why: click the cell for its failures, and see Reasons.'
    """
    return said.replace("open the cell, or Equivariance.", "click the cell for its failures, and see Reasons.")


def _apart(store: Store, edition: Edition) -> Apart:
    """Who of those that are published is no model of its own."""
    runs = edition.runs.to_dict("records")
    return public.apart({str(row["model"]): store.run(str(row["run_id"])).record for row in runs})


def _heat_finding(store: Store, edition: Edition, shown: Grid) -> str:
    found = findings.widest(shown, _apart(store, edition).people)
    runs = {str(row["model"]): str(row["run_id"]) for row in edition.runs.to_dict("records")}
    return findings.heat(found, edition.name, gaps.paired(store, runs, found, "subset"))


def clustered(store: Store, sides: Sequence[Side], metrics: Mapping[str, str]) -> dict[str, Any]:
    """Side key -> metric -> subset -> [value, low, high, n, why]: the clustered intervals that stand beside what the
    page counts itself; why: that the value is a lower bound, "" where it is none. metrics: name -> protocol; "" as
    subset: all of them together."""
    from backend.store.queries import rates as of_run
    from backend.store.rates.both_paraphrases import WHY

    found: dict[str, Any] = {}
    for side in sides:
        own: dict[str, Any] = {}
        for by in (None, "subset"):
            frame: pd.DataFrame = of_run(store, side.run_id, Setting(side.kind), by)
            for line in lines_of(frame[frame["metric"].isin(list(metrics))]):
                if line.n and line.value == line.value:
                    own.setdefault(str(line.metric), {})[str(line.group)] = [
                        line.value, line.lo, line.hi, int(line.n), WHY if line.lower_bound else "",
                    ]  # fmt: skip
        found[side.key] = own
    return found


def means(store: Store, sides: Sequence[Side], subsets: Sequence[str]) -> dict[str, Any]:
    """Side key -> subset -> [value, low, high, n, said] of the mean of the orders of asking, of sides whose choices
    were asked in several; "" as subset: all of them. said: what else the orders tell, in words."""
    found: dict[str, Any] = {}
    for side in sides:
        if not asking_orders.in_several(store, side.run_id, side.kind):
            continue
        frame = outcomes.compute(store, side.run_id, Setting(side.kind))
        for subset in ("", *subsets):
            own = frame[frame["subset"] == subset] if subset else frame
            told = asking_orders.told(store, side.run_id, side.kind, own["item_no"].to_numpy(dtype=np.intp))
            if told is not None and told.rate.value is not None:
                ends = told.rate.ci95 or (None, None)
                said = asked_orders.said(told)
                found.setdefault(side.key, {})[subset] = [told.rate.value, *ends, told.rate.n, said]
    return found


def titles(edition: Edition) -> dict[str, str]:
    """Subset -> what it is called."""
    return {name: title(name) for name in edition.subsets}
