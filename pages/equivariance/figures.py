"""The planes of Equivariance as what the browser draws, kept for one generation of the data: packing tens of thousands
of points takes longer than sending them."""

from collections.abc import Sequence
from typing import Any

from pages.equivariance import parts, reasons_view
from pages.equivariance.options import ALL
from pages.equivariance.view import scatter
from pages.shared.data import stored
from pages.shared.drawing.plane import spec

#: How high a plane is drawn, pixels: EqSim's side by side, and that of reasons.
SMALL, LARGE = 300, 430


def figure(
    benchmark: stored.StoredBenchmark,
    plane: tuple[str, str],
    scale: str,
    category: str,
    unit: str,
    dark: bool,
    ringed: Sequence[str],
) -> dict[str, Any]:
    """One of EqSim's planes, of one model and kind, as `spec.data` makes it; not to be changed. ringed: as in
    `scatter`."""
    run = benchmark.runs[plane[0]]
    return _figure(run, plane[1], scale, category, unit, dark, tuple(ringed))


@stored.kept()
def _figure(
    run: str, kind: str, scale: str, category: str, unit: str, dark: bool, ringed: tuple[str, ...]
) -> dict[str, Any]:
    whole = None if category == ALL else parts.of_run(run, kind, scale, ALL)
    drawn = scatter(parts.of_run(run, kind, scale, category), unit, dark, ringed, whole)
    return spec.data(drawn, dark, SMALL)


def of_reasons(
    benchmark: stored.StoredBenchmark, model: str, kind: str, category: str, dark: bool, ringed: Sequence[str]
) -> dict[str, Any]:
    """The same of the plane of reasons, where the model has quads in the category."""
    return _of_reasons(benchmark.runs[model], kind, category, dark, tuple(ringed))


@stored.kept()
def _of_reasons(run: str, kind: str, category: str, dark: bool, ringed: tuple[str, ...]) -> dict[str, Any]:
    whole = parts.reasons_of(run, kind, ALL)
    own = whole if category == ALL else parts.reasons_of(run, kind, category)
    drawn = reasons_view.figure(own, whole, dark, ringed)
    return spec.data(drawn, dark, LARGE)
