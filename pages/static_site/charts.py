"""What Overview and Compare of a published site draw: the dashboard's own specs, and paired tests."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from backend import written
from backend.kinds import IMAGE_KINDS
from backend.store.build.store import Store
from backend.store.catalog import public
from backend.store.catalog.public import Apart
from backend.store.compare import compare
from backend.store.queries import Side as Judge
from backend.store.rates import asking_orders
from backend.store.rates.rates import heatmap as heat_rates
from backend.store.scores.setting import Setting
from backend.taxonomy import title
from pages.overview.notice import notice
from pages.overview.view import Grid, grid
from pages.shared.data import asked_orders, best, cell_bars, findings, gaps
from pages.shared.data.frames import lines_of
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing import cells, heatmap
from pages.shared.frame.tips import kind_name
from pages.static_site.selection import Edition
from pages.static_site.tables import Side

#: The level of Compare's claims.
LEVEL = 0.05


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


def compared(store: Store, sides: Sequence[Side], name: str) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Every pair of sides that see images, each model's first kind alone: rates, gain with its clustered interval, p,
    Holm's p over all pairs, what it leaves out (leftOut), and a finding; gains are b − a. And the pairs of which all
    that both judged is left out: a, b, why."""
    first = list({side.model: side for side in reversed(sides) if side.kind in IMAGE_KINDS}.values())[::-1]
    found, apart = [], []
    for at, a in enumerate(first):
        for b in first[at + 1 :]:
            pair = compare.shared(store, (_judge(a), _judge(b)))
            if len(pair):
                found.append((a, b, pair.unlike, lines_of(compare.matrix(pair))[0]))
            elif pair.unlike:
                apart.append({"a": a.key, "b": b.key, "why": asking_orders.not_compared(pair.unlike)})
    holm = _holm([float(line.p) for *_, line in found])
    rows = []
    for (a, b, unlike, alone), adjusted in zip(found, holm, strict=True):
        line = alone._replace(holm=adjusted)  # over all pairs of the site, not of the two alone
        setting = (
            findings.kinds(kind_name(b.kind), kind_name(a.kind)),
            asked_orders.rule_of([(side.name, side.rule) for side in (a, b)]),
            asked_orders.compared(unlike),
            "deciding metrics",
            name,
        )
        rows.append({
            "a": a.key, "b": b.key, "n": int(line.n), "clusters": int(line.clusters), "rateA": line.rate_a,
            "rateB": line.rate_b, "gain": line.gain, "low": line.low, "high": line.high, "p": line.p, "holm": adjusted,
            "pSaid": written.p_value(float(line.p)), "holmSaid": written.p_value(adjusted, "Holm's p"),
            "leftOut": asking_orders.not_compared(unlike),
            "finding": findings.difference(a.name, b.name, line, setting, len(found)),
        })  # fmt: skip
    return rows, apart


def _judge(side: Side) -> Judge:
    return Judge(side.run_id, Setting(side.kind))


def _holm(p: Sequence[float]) -> list[float]:
    from backend.metrics.paired.multiplicity import holm

    return [float(value) for value in holm(np.asarray(p, dtype=float))] if p else []


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


def titles(edition: Edition) -> dict[str, str]:
    """Subset -> what it is called."""
    return {name: title(name) for name in edition.subsets}
