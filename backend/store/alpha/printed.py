"""Points that papers print on an α-curve: VisualGPTScore's values at α = 0, at α = 1 and at an α that is printed."""

from dataclasses import dataclass

from backend import published
from backend.published.printed import Printed
from backend.store.build.store import Store
from backend.store.catalog.default_run import ChosenRun
from backend.store.official import printed_keys
from backend.store.scores.setting import Norm, Setting


@dataclass(frozen=True)
class PrintedPoint:
    """A printed value (a fraction) at an α. mine: whether model, items and setting are this run's own, so that it may
    be compared; else it is another model's on the same items, for orientation. tuned: α is a mean over tunings."""

    alpha: float
    value: float
    paper: str
    table: str
    model: str
    note: str
    mine: bool
    tuned: bool


def printed_points(
    store: Store, chosen: ChosenRun, prior: str, norm: Norm, subset: str, whole: bool, metric: str
) -> list[PrintedPoint]:
    """All of them for a metric on a subset (whole: it is all of the benchmark), α ascending; mostly none.

    A row whose α was tuned stands at the α that the same table prints for it, and is left out where it prints none.
    """
    tuned = _tuned_alphas()
    found = []
    for number in published.everything():
        column, with_ = published.column_of(number), published.measured(number)
        if (column.benchmark, column.metric, column.how) != (chosen.benchmark, metric, "same") or with_.kind != "gen":
            continue
        if column.subsets != (subset,) and not (whole and column.subsets == ("*",)):
            continue
        at = tuned.get(_row(number)) if with_.alpha == "tuned" else float(with_.alpha) if with_.alpha else None
        if at is None:
            continue
        ours = printed_keys.of_run(store, chosen, Setting("gen", at, prior, norm), {subset})
        mine = any(match.printed == number for match in published.matches(ours, metric))
        found.append(
            PrintedPoint(
                at, number.value, number.paper, number.table, number.model, number.note, mine, with_.alpha == "tuned"
            )
        )
    return sorted(found, key=lambda point: (point.alpha, point.table, point.model))


def _row(number: Printed) -> tuple[str, str, str, str, str]:
    return number.paper, number.table, number.model, number.benchmark, number.subset


def _tuned_alphas() -> dict[tuple[str, str, str, str, str], float]:
    return {_row(number): number.value for number in published.everything() if number.metric == "alpha"}
