"""α* by the VisualGPTScore paper's own protocol for the benchmark, beside α* on all items."""

from typing import Any

from markupsafe import Markup

from backend import written
from backend.metrics.alpha import star_number
from pages.shared.data import stored
from pages.shared.drawing.numbers import DASH
from pages.shared.frame.style import show


def draw(
    benchmark: stored.StoredBenchmark, model: str, prior: str, norm: str, subset: str, metric: str, setting: str
) -> None:
    """One line: what the protocol gives for this metric, or why there is none. setting: norm and prior in words."""
    found = stored.alpha_stars(benchmark, model, prior, norm, subset).get(metric)
    if found is not None:
        show(html(found, setting))


def html(found: dict[str, Any], setting: str) -> Markup:
    """The line as HTML, from an entry of `alpha_stars`.

    >>> print(html({"protocol": None, "reason": "not in it"}, "per token"))
    <p class="fs-caption fs-protocol"><b>By the paper’s protocol:</b> none here: not in it. (per token)</p>
    """
    protocol = found["protocol"]
    says = f"none here: {found['reason']}." if protocol is None else f"{_numbers(protocol)} {protocol['source']}. "
    note = "" if protocol is None else str(protocol["note"])
    return (
        Markup('<p class="fs-caption fs-protocol"><b>By the paper’s protocol:</b> {}{} ({})</p>').format(
            says, note, setting
        )
    ).replace("  ", " ")


def _numbers(protocol: dict[str, Any]) -> str:
    if "grid" in protocol:
        grid, exact = protocol["grid"], protocol["exact"]
        return (
            f"{protocol['name']}, α* {_mean(grid, 'alpha', 1, 3)} and {_mean(grid, 'value', 100, 1)} % on the other "
            f"half (grid of {grid['step']:g}); without a grid {_mean(exact, 'alpha', 1, 3)} and "
            f"{_mean(exact, 'value', 100, 1)} %."
        )
    value = protocol.get("value", protocol.get("test_value"))
    alpha = DASH if protocol["alpha"] is None else star_number(protocol["alpha"], protocol.get("interval"))
    return f"{protocol['name']}, α* {alpha} gives {DASH if value is None else written.percent(value)}."


def _mean(line: dict[str, Any], name: str, scale: float, digits: int) -> str:
    mean, std = line[f"{name}_mean"], line[f"{name}_std"]
    return DASH if mean is None else f"{scale * mean:.{digits}f} ± {scale * (std or 0):.{digits}f}"
