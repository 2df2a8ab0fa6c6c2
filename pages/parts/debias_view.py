"""From sets of α to what the α-curve draws: exact steps, break-points, α*, and the plane behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from streamlit.components import v2

from backend.metrics.alpha import Intervals, curve

HERE = Path(__file__).parent
#: Points of the plane that are drawn; more would hide each other.
DRAWN = 1500

_component = v2.component(
    "flipside_alpha_curve",
    html='<div id="debias"></div>',
    css=(HERE / "debias_curve.css").read_text(encoding="utf-8"),
    js=(HERE / "debias_curve.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Line:
    """One curve: a model under one prior source and one normalisation."""

    key: str
    label: str
    colour: str
    sets: Intervals
    dash: str = ""


def one_curve(line: Line, domain: tuple[float, float]) -> dict[str, Any]:
    """A curve over a closed domain. The numbers are the exact ones; nothing is sampled.

    >>> shown = one_curve(Line("a", "a", "#000000", Intervals(np.array([-np.inf]), np.array([0.5]))), (0.0, 1.0))
    >>> shown["x"], shown["between"], shown["at"], shown["best"]["alpha"], shown["changing"]
    ([0.5], [1.0, 0.0], [0.0], 0.25, [[-1.0, 0.5]])
    """
    found = curve(line.sets, domain=domain)
    first = int(np.searchsorted(found.breakpoints, domain[0], "left"))
    last = int(np.searchsorted(found.breakpoints, domain[1], "right"))
    best = found.best()
    return {
        "key": line.key,
        "label": line.label,
        "colour": line.colour,
        "dash": line.dash,
        "n": found.n,
        "note": found.note,
        "x": found.breakpoints[first:last].tolist(),
        "between": _plain(found.value_between[first : last + 1]),
        "at": _plain(found.value_at[first:last]),
        "best": best and {"alpha": best.alpha, "value": best.value, "lo": best.lo, "hi": best.hi, "text": best.text()},
        "changing": changing(line.sets, domain),
    }


def changing(sets: Intervals, domain: tuple[float, float]) -> list[list[float]]:
    """The open intervals of the items whose verdict is not the same all over the domain; infinite ends are pulled in
    to just outside it, because JSON has no infinity.

    >>> changing(Intervals(np.array([-np.inf, 0.2, np.nan]), np.array([np.inf, 3.0, np.nan])), (0.0, 1.0))
    [[0.2, 2.0]]
    """
    low, high = domain
    inside = (sets.lo < sets.hi) & (sets.hi > low) & (sets.lo < high) & ((sets.lo >= low) | (sets.hi <= high))
    ends = np.stack([np.maximum(sets.lo[inside], low - 1.0), np.minimum(sets.hi[inside], high + 1.0)], axis=1)
    result: list[list[float]] = ends.tolist()
    return result


def plane(gen: ArrayLike, prior: ArrayLike, unit: str, seed: int = 0) -> dict[str, Any] | None:
    """Every comparison of a true caption (column 0) with a foil as a point: (prior difference, difference with image).

    Both axes reach as far as the 97th percentile of the farther one; points beyond stand on the border.
    """
    g, p = np.asarray(gen, dtype=np.float64), np.asarray(prior, dtype=np.float64)
    points = np.stack([(p[:, :1] - p[:, 1:]).ravel(), (g[:, :1] - g[:, 1:]).ravel()], axis=1)
    return plane_of(points, unit, seed)


def plane_of(points: NDArray[np.float64], unit: str, seed: int = 0) -> dict[str, Any] | None:
    """The same from the points themselves, (m, 2)."""
    known = points[np.isfinite(points).all(axis=1)]
    if not len(known):
        return None
    reach = float(np.quantile(np.abs(known), 0.97, axis=0).max()) or 1.0
    drawn = known if len(known) <= DRAWN else np.random.default_rng(seed).choice(known, DRAWN, replace=False)
    return {
        "points": np.round(drawn, 5).tolist(),
        "reach": reach,
        "title": f"Each point sets a true caption against a foil (log P, {unit}; axes ± {reach:.2g}). Above the line "
        "of slope α the truth wins; at α = 1 the line is the diagonal, PMI.",
        "alt": f"{len(drawn)} comparisons: what the prior says across, what the model says with the image upwards",
    }


def view(
    lines: Sequence[Line],
    focus: str,
    alpha: float,
    domain: tuple[float, float],
    chance: float | None,
    points: dict[str, Any] | None = None,
    title: str = "",
) -> dict[str, Any]:
    """What the component draws. title: what α is applied to, with normalisation and prior source."""
    curves = [one_curve(line, domain) for line in lines]
    best = next((c["best"] for c in curves if c["key"] == focus), None)
    says = f"; {focus} is best at α* = {best['text']}" if best else ""
    return {
        "signature": sha256(repr([[c["key"], c["n"], c["best"]] for c in curves] + [domain]).encode()).hexdigest()[:12],
        "curves": curves,
        "focus": focus,
        "alpha": min(max(alpha, domain[0]), domain[1]),
        "domain": list(domain),
        "chance": chance,
        "plane": points,
        "title": title,
        "alt": f"Share of right items against α in {title or 'the score'} for {len(curves)} curves{says}",
    }


def draw(spec: dict[str, Any], key: str) -> float:
    """The curve with its slider; returns the α at which the slider was last let go."""
    result = _component(data=spec, key=key, default={"alpha": spec["alpha"]}, on_alpha_change=lambda: None)
    return float(result.alpha)


def _plain(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(v) else float(v) for v in values]
