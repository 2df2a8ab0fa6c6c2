"""What papers print on the α-curve of Debias: ◇ on the chart, and a line below it that says which is what."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from backend import written
from backend.store.alpha import printed
from backend.store.alpha.printed import PrintedPoint
from backend.store.catalog import default_run
from pages.debias.options import Options
from pages.shared.data import stored
from pages.shared.frame.style import show


def points(benchmark: stored.StoredBenchmark, options: Options) -> list[PrintedPoint]:
    """The printed points for a setting of Debias; mostly none."""
    if options.stratum is not None:
        return []
    whole = len(benchmark.subsets) == 1
    wanted = (benchmark.name, benchmark.hash, options.model, options.run)
    return _points(wanted, options.prior, options.norm, options.subset, whole, options.metric)


@stored.kept()
def _points(
    wanted: tuple[str, str, str, str], prior: str, norm: str, subset: str, whole: bool, metric: str
) -> list[PrintedPoint]:
    name, digest, model, run = wanted
    chosen = default_run.ChosenRun(run, model, name.partition("@")[0], digest, [], [])
    return printed.printed_points(stored.store(), chosen, prior, norm, subset, whole, metric)  # type: ignore[arg-type]


def marks(found: Sequence[PrintedPoint]) -> list[dict[str, Any]]:
    """What the component draws: {alpha, value, label}."""
    return [{"alpha": p.alpha, "value": p.value, "label": label(p)} for p in found]


def label(point: PrintedPoint) -> str:
    """A printed point in words.

    >>> label(PrintedPoint(0.0, 0.275, "visualgptscore", "Table 4", "VisualGPTScore (alpha=0)", "", False, False))
    '27.5 % at α = 0: visualgptscore, Table 4, VisualGPTScore (alpha=0); another model than this one'
    """
    whose = "this model, these items and this setting" if point.mine else "another model than this one"
    tuned = " (tuned, as printed)" if point.tuned else ""
    at = f"{written.percent(point.value)} at α = {point.alpha:g}{tuned}"
    return f"{at}: {point.paper}, {point.table}, {point.model}; {whose}"


def draw(found: Sequence[PrintedPoint]) -> None:
    """The line below the chart; nothing without a point."""
    if found:
        said = Markup("; ").join(Markup("◇ {}").format(label(point)) for point in found)
        show(Markup('<p class="fs-caption fs-printed"><b>Printed on these items:</b> {}.</p>').format(said))
