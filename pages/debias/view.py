"""From sets of α to what the α-curve draws: exact intervals, α*, printed points, and the plane behind them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from backend.metrics.alpha import Intervals, Unions, curve
from backend.metrics.alpha.bootstrap import Spread
from pages.shared.drawing import component

HERE = Path(__file__).parent
#: Points of the plane that are drawn; more would hide each other.
DRAWN = 1500
_AT = "_debias_at"

_component = component.load("flipside_alpha_curve", HERE / "curve.js", html='<div id="debias"></div>')


@dataclass(frozen=True)
class Line:
    """One curve: a model under one prior source and one normalisation."""

    key: str
    label: str
    colour: str
    sets: Intervals | Unions
    dash: str = ""


@dataclass(frozen=True)
class SliderState:
    """What the reader did: α, the α₁ from which flips are counted, and the item (a position) that was just clicked.
    serial: see `starting`."""

    alpha: float
    since: float
    picked: int | None = None
    serial: int = 0


def starting(alpha: float, since: float) -> SliderState:
    """Where the slider stands as the page is run. Its serial is a new one where something else than the slider has
    moved it since it was let go, a link or the α that was taken along: the browser follows that, else it knows better.
    """
    before: SliderState = st.session_state.get(_AT, SliderState(alpha, since))
    moved = (before.alpha, before.since) != (alpha, since)
    found = SliderState(alpha, since, serial=before.serial + moved)
    st.session_state[_AT] = found
    return found


def one_curve(line: Line, domain: tuple[float, float]) -> dict[str, Any]:
    """A curve over a closed domain, as the intervals of its items: from these the browser works out the value at any α,
    its break-points and the flips between any two, exactly. Nothing is sampled.

    >>> shown = one_curve(Line("a", "a", "#000000", Intervals(np.array([-np.inf, -9]), np.array([0.5, 9]))), (0.0, 1.0))
    >>> from base64 import b64decode
    >>> shown["n"], shown["constant"], shown["best"]["alpha"], np.frombuffer(b64decode(shown["hi"])).tolist()
    (2, 1, 0.25, [0.5])
    """
    found = curve(line.sets, domain=domain)
    best = found.best()
    constant, owner, lo, hi = changing(line.sets, domain)
    return {
        "key": line.key,
        "label": line.label,
        "colour": line.colour,
        "dash": line.dash,
        "n": found.n,
        "constant": constant,
        "owner": encoded(owner, "<i4"),
        "lo": encoded(lo, "<f8"),
        "hi": encoded(hi, "<f8"),
        "best": best
        and {
            "alpha": best.alpha,
            "value": best.value,
            "lo": best.lo,
            "hi": best.hi,
            "text": best.text(),
            "number": best.number(),
        },
    }


def changing(
    sets: Intervals | Unions, domain: tuple[float, float]
) -> tuple[int, NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """(how many items are right all over the closed domain, and the pieces of those that are so only in part of it:
    their items' positions in ascending order, lo, hi). The others are right nowhere in it.

    >>> three = Intervals(np.array([-np.inf, 0.2, np.nan]), np.array([np.inf, 3.0, np.nan]))
    >>> [part if isinstance(part, int) else part.tolist() for part in changing(three, (0.0, 1.0))]
    [1, [1], [0.2], [3.0]]
    """
    low, high = domain
    owner, lo, hi = sets.pieces()
    whole = (lo < low) & (hi > high)
    part = ~whole & (hi > low) & (lo < high)
    order = np.lexsort((lo[part], owner[part]))
    return int(whole.sum()), owner[part][order], lo[part][order], hi[part][order]


def encoded(values: NDArray[Any], form: str) -> str:
    """Numbers as base64 of their bytes: exact, infinities included, and a fifth of their size as JSON."""
    return b64encode(np.ascontiguousarray(values, dtype=form).tobytes()).decode()


def plane_of(points: NDArray[np.float64], unit: str, seed: int = 0) -> dict[str, Any] | None:
    """Every comparison of a true caption with a foil as a point: (prior difference, difference with image), (m, 2).

    Both axes reach as far as the 97th percentile of the farther one; points beyond stand on the border.
    """
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
    domain: tuple[float, float],
    chance: float | None,
    points: dict[str, Any] | None = None,
    title: str = "",
    published: Sequence[Mapping[str, Any]] = (),
    spread: Spread | None = None,
    items: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """What the component draws, whatever α is. title: what α is applied to, with normalisation and prior source.
    published: {alpha, value, label} of printed points. spread: of the curve in focus, drawn as a band, and the interval
    of α*. items: what cards hold, see `barcode.items`."""
    curves = [one_curve(line, domain) for line in lines]
    best = next((c["best"] for c in curves if c["key"] == focus), None)
    says = f"; {focus} is best at α* = {best['text']}" if best else ""
    inside = [dict(point) for point in published if domain[0] <= point["alpha"] <= domain[1]]
    told = repr(
        [[c["key"], c["n"], c["lo"], c["hi"], c["best"]] for c in curves]
        + [domain, focus, title, inside, spread and spread.star]
    )
    return {
        "signature": sha256(told.encode()).hexdigest()[:12],
        "curves": curves,
        "focus": focus,
        "domain": list(domain),
        "chance": chance,
        "plane": points,
        "title": title,
        "band": spread and band(spread),
        "published": inside,
        "items": dict(items or {}),
        "alt": f"Share of right items against α in {title or 'the score'} for {len(curves)} curves{says}",
    }


def band(spread: Spread) -> dict[str, Any]:
    """The 95 % band of a curve and the interval of α*, as the component draws them."""
    ends = {name: encoded(getattr(spread, name), "<f8") for name in ("alphas", "low", "high")}
    return {**ends, "star": list(spread.star)}


def draw(spec: dict[str, Any], start: SliderState, key: str) -> SliderState:
    """The curve with its slider; returns where it was last let go (start, before anybody has touched it)."""
    at = [start.alpha, start.since, start.serial]
    result: Any = _component(
        data={**spec, "alpha": at[0], "since": at[1], "serial": start.serial}, key=key, default={"at": at},
        on_at_change=lambda: None, on_picked_change=lambda: None,
    )  # fmt: skip
    told = result.at or at
    alpha, since, _ = told if told[2] == start.serial else at  # what was let go before it was moved from elsewhere
    found = SliderState(float(alpha), float(since), None if result.picked is None else int(result.picked), start.serial)
    st.session_state[_AT] = replace(found, picked=None)
    return found
