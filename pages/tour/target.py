"""Where the guided first visit leads unless the visitor chooses: a cell and a failure, found in the results."""

from dataclasses import dataclass, replace

import pandas as pd

from backend.benchmarks.items_folder.kept import EDITED
from backend.items import Protocol
from backend.metrics.core.registry import by_name
from backend.store.queries import FailureFilter, Setting
from pages.failures import data
from pages.overview.view import EVERY, QUAD_SCORES
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import source

#: Rates of fewer items say little to a newcomer; so many of the lowest cells are looked through.
ENOUGH, MANY = 20, 12
WORLD = "world"
#: Reasons that say nothing: not measured, and not certified.
UNSAID = ("", "uncertain")


@dataclass(frozen=True)
class Target:
    """One journey.

    group: the column of the heat map, a subset. only: whether the model has no other kind. rate, chance, n: of the
    cell, chance NaN where it has no level; failures: how many; item: the first of them whose reason is certified, else
    the first; reason: why it fails, a word of docs/reasons.md, "" where that is not measured.
    """

    benchmark: str
    model: str
    name: str
    kind: str
    only: bool
    metric: str
    group: str
    rate: float
    chance: float
    n: int
    failures: int
    item: str
    reason: str = ""

    @property
    def certified(self) -> bool:
        """Whether the evidence certifies why the item fails: a finding that ends in "uncertain" teaches nobody."""
        return self.reason not in UNSAID

    @property
    def cell(self) -> tuple[str, str]:
        """Its place in the heat map."""
        return f"{self.model}\t{self.kind}", f"{self.group}\t{self.metric}"


@stored.kept("Looking for a telling failure …")
def find() -> Target | None:
    """The journey of this generation of the data; None where no model has a failure.

    People's benchmarks come before the drawn world where their pictures are here, for a failure has to be seen.
    """
    known = stored.chosen()
    names = sorted((name for name in known if EDITED not in name), key=lambda name: name == WORLD)
    found = [target for name in names if (target := _lowest(known[name]))]
    seen = [target for target in found if _is_seen(known[target.benchmark], target.item)]
    return next(iter(seen or found), None)


def _is_seen(benchmark: stored.StoredBenchmark, item: str) -> bool:
    """Whether an item's pictures can be shown."""
    images = stored.item(benchmark.hash, item).image_uris
    return bool(images) and all(source(uri) for uri in images)


def _lowest(benchmark: stored.StoredBenchmark) -> Target | None:
    """The cell of the heat map that lies furthest below chance, if possible one whose failures have reasons."""
    frame = stored.headlines(benchmark, "subset")
    frame = frame[[by_name(str(name)).judge is not None for name in frame["metric"]]]
    frame = frame[(frame["n"] >= ENOUGH) & (frame["value"] < 1) & frame["group"].isin(list(benchmark.subsets))]
    over = frame["value"] - pd.to_numeric(frame["chance"]).fillna(0.0)
    lines = frame.assign(over=over).sort_values("over", kind="stable").head(MANY).to_dict("records")
    found = [target for line in lines if (target := _target(benchmark, {str(k): v for k, v in line.items()}))]
    return max(found, key=lambda target: (target.certified, bool(target.reason)), default=None)


def _target(benchmark: stored.StoredBenchmark, line: dict[str, object]) -> Target | None:
    """The journey to a line of `stored.headlines`; None where nothing fails there."""
    model, kind, metric, group = (str(line[key]) for key in ("model", "kind", "metric", "group"))
    wanted = FailureFilter(
        benchmark.runs[model], Setting(kind), correct=False, metrics=(metric,), subsets=(group,), limit=1
    )
    page = data.failures(wanted)
    if not page.total:
        return None
    first = page.rows.iloc[0]
    certified = tuple(word for word, n in page.facets["reason"].items() if n and word not in UNSAID)
    if certified and str(first["reason"]) in UNSAID:
        first = data.failures(replace(wanted, reasons=certified)).rows.iloc[0]
    rate, chance = (float(str(line[key])) for key in ("value", "chance"))
    return Target(
        benchmark.name, model, colours.labels(benchmark.models)[model], kind, len(benchmark.kinds[model]) == 1, metric,
        group, rate, chance, int(str(line["n"])), page.total, str(first["item_id"]), str(first["reason"]),
    )  # fmt: skip


def overview(target: Target) -> dict[str, str]:
    """What Overview's address says so that the cell is there."""
    found = {"benchmark": target.benchmark, "by": "subset"}
    is_quad = by_name(target.metric).protocol == Protocol.QUAD and target.metric in QUAD_SCORES[1:]
    return found | ({"quads": target.metric} if is_quad else {}) | ({} if target.only else {"score": EVERY})
