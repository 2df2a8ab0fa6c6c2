"""The planes of Equivariance as checked Plotly figures, cached for one generation of the data.

Plotly looks at every entry of a figure that comes as a plain dict, ten times as long as a checked one takes to send.
"""

from collections.abc import Sequence
from typing import Any

from pages.equivariance import parts
from pages.equivariance.view import scatter
from pages.shared.data import stored


def figure(
    benchmark: stored.StoredBenchmark,
    plane: tuple[str, str],
    scale: str,
    category: str,
    unit: str,
    dark: bool,
    ringed: Sequence[str],
) -> Any:
    """A `plotly.graph_objects.Figure` of one model and kind, not to be changed. ringed: as in `scatter`."""
    run = benchmark.runs[plane[0]]
    return _figure(run, plane[1], scale, category, unit, dark, tuple(ringed))


@stored.kept()
def _figure(run: str, kind: str, scale: str, category: str, unit: str, dark: bool, ringed: tuple[str, ...]) -> Any:
    from plotly.graph_objects import Figure

    whole = None if category == "all" else parts.of_run(run, kind, scale, "all")
    return Figure(scatter(parts.of_run(run, kind, scale, category), unit, dark, ringed, whole))
