"""Where the guided first visit leads: a cell, a failure and an α, all found in the results that are there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from backend.items import Protocol
from backend.metrics.core.registry import by_name, headlines
from backend.store.queries import AlphaCurve, FailureFilter, Setting
from pages.failures import data
from pages.overview.view import EVERY, QUAD_SCORES
from pages.shared.data import stored
from pages.shared.drawing import colours

#: Rates of fewer items say little to a newcomer; nor does a gain by α below this.
ENOUGH, GAIN = 20, 0.02
#: So many outvoted items are looked through for one that α mends.
MANY = 500


@dataclass(frozen=True)
class Target:
    """One journey.

    by, group: the column of the heat map, a subset or a change; subset: the items on Debias. only: whether the model
    has no other kind. rate, n: of the cell; failures: how many; item: one of them, under α one that is mended; reason:
    why it fails, a word of docs/reasons.md, "" where that is not measured. alpha, before, after: the best α and the
    rates at 0 and there; None where there is no prior.
    """

    benchmark: str
    model: str
    name: str
    kind: str
    only: bool
    metric: str
    by: str
    group: str
    subset: str
    rate: float
    n: int
    failures: int
    item: str
    reason: str = ""
    alpha: float | None = None
    before: float = 0.0
    after: float = 0.0

    @property
    def cell(self) -> tuple[str, str]:
        """Its place in the heat map."""
        return f"{self.model}\t{self.kind}", f"{self.group}\t{self.metric}"


@stored.kept("Looking for a telling failure …")
def find() -> Target | None:
    """The journey of this generation of the data; None where no model has a failure."""
    known = stored.chosen()
    for name in sorted(known, key=lambda name: name != "world"):
        if found := _with_prior(known[name]) or _lowest(known[name]):
            return found
    return None


def _with_prior(benchmark: stored.StoredBenchmark) -> Target | None:
    """The cell whose failures α mends most: where the language prior, not the picture, decides."""
    best: tuple[float, Target] | None = None
    for model in benchmark.models:
        if "gen" not in benchmark.kinds[model] or not benchmark.priors[model]:
            continue
        for subset, protocol in benchmark.protocols.items():
            if protocol not in (Protocol.CHOICE, Protocol.TRIPLET):
                continue
            for stratum, curve in _curves(benchmark, model, subset):
                if curve.metric not in headlines(Protocol(protocol)) or curve.best is None or curve.curve.n < ENOUGH:
                    continue
                before, after = float(curve.curve.at(0.0)), float(curve.best.value)
                if after - before <= (best[0] if best else GAIN):
                    continue
                by, group = ("perturbation", stratum) if stratum else ("subset", subset)
                cell = (by, group, subset, curve.metric)
                found = _target(benchmark, model, "gen", cell, before, int(curve.curve.n), float(curve.best.alpha))
                if found:
                    best = (after - before, replace(found, before=before, after=after))
    return best[1] if best else None


def _curves(benchmark: stored.StoredBenchmark, model: str, subset: str) -> Iterator[tuple[str, AlphaCurve]]:
    """(change or "", curve) of a subset, and of each part of it whose captions were changed in one way."""
    run, prior = benchmark.runs[model], benchmark.priors[model][0]
    whole = stored.alpha_curves(run, prior, "token", subset, None)
    yield from (("", curve) for curve in whole)
    strata = {tag for c in whole if c.metric == "accuracy" for tag in c.items["perturbation"].unique()}
    for stratum in sorted(strata) if 2 <= len(strata) <= 4 else ():  # those that Debias offers
        yield from ((stratum, curve) for curve in stored.alpha_curves(run, prior, "token", subset, stratum))


def _lowest(benchmark: stored.StoredBenchmark) -> Target | None:
    """The lowest cell of the heat map."""
    frame = stored.headlines(benchmark, "subset")
    frame = frame[[by_name(str(name)).judge is not None for name in frame["metric"]]]
    frame = frame[(frame["n"] >= ENOUGH) & (frame["value"] < 1) & frame["group"].isin(list(benchmark.subsets))]
    for line in frame.sort_values("value", kind="stable").head(20).to_dict("records"):
        cell = ("subset", str(line["group"]), str(line["group"]), str(line["metric"]))
        found = _target(benchmark, str(line["model"]), str(line["kind"]), cell, float(line["value"]), int(line["n"]))
        if found:
            return found
    return None


def _target(
    benchmark: stored.StoredBenchmark, model: str, kind: str, cell: tuple[str, str, str, str], rate: float, n: int,
    alpha: float | None = None,
) -> Target | None:  # fmt: skip
    """The journey to a cell (by, group, subset, metric); None where nothing fails there, or α mends nothing of it."""
    by, group, subset, metric = cell
    wanted = FailureFilter(benchmark.runs[model], Setting(kind), correct=False, metrics=(metric,), limit=1)
    wanted = replace(wanted, subsets=(group,)) if by == "subset" else replace(wanted, perturbations=(group,))
    page = data.failures(wanted)
    shown = page
    if alpha is not None:  # the clearest of those that are right there
        # First those whose image speaks for the truth and is outvoted: it is the prior that has to go, not the image.
        outvoted = data.failures(replace(wanted, reasons=("outvoted",), limit=MANY)).rows["item_id"]
        under = replace(
            wanted, setting=Setting(kind, alpha, benchmark.priors[model][0]), correct=True, sort="-margin",
            other_run=benchmark.runs[model], other_setting=Setting(kind), other_correct=False,
        )  # fmt: skip
        mended = data.failures(replace(under, only=tuple(outvoted)))
        mended = mended if mended.total else data.failures(under)
        shown = data.failures(replace(wanted, only=tuple(mended.rows["item_id"]))) if mended.total else mended
    if not shown.total:
        return None
    return Target(
        benchmark.name, model, colours.labels(benchmark.models)[model], kind, len(benchmark.kinds[model]) == 1, metric,
        by, group, subset, rate, n, page.total, str(shown.rows["item_id"].iloc[0]),
        str(shown.rows["reason"].iloc[0]), alpha,
    )  # fmt: skip


def overview(target: Target) -> dict[str, str]:
    """What Overview's address says so that the cell is there."""
    found = {"benchmark": target.benchmark, "by": target.by}
    is_quad = by_name(target.metric).protocol == Protocol.QUAD and target.metric in QUAD_SCORES[1:]
    return found | ({"quads": target.metric} if is_quad else {}) | ({} if target.only else {"score": EVERY})
