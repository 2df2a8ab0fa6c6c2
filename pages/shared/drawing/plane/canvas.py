"""A plane as a component (plane.js): hovering, panning and the lasso's own look without asking the server."""

from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from pages.shared.drawing import component

HERE = Path(__file__).parent
#: Areas of a selection, and corners of one, that are read from a browser.
MOST_AREAS, MOST_CORNERS = 20, 400

_component = component.load("flipside_plane", HERE / "plane.js", html='<div id="plane"></div>')


def draw(
    data: Mapping[str, Any], key: str, alt: str, picked: Callable[[], None] | None = None, *, held: bool = True
) -> str | None:
    """The plane (see `spec.data`); the id of the point that was just clicked. alt: it in words; picked: called before
    the next run when a lasso or a box was drawn or taken away; held: whether the page still goes by what was drawn
    last: a lasso that has been let go, or left by Back, is taken away."""
    gone = None if held else _number_of(key)
    result: Any = _component(
        data={**data, "alt": alt, "gone": gone}, key=key, on_picked_change=picked or _nothing,
        on_opened_change=_nothing,
    )  # fmt: skip
    opened = result.opened if result is not None else None
    return str(opened) if opened else None


def selection(key: str) -> dict[str, list[dict[str, list[float]]]]:
    """The lassos and boxes that are drawn in a plane: `lasso` and `box`, each a list of areas with their corners as
    lists `x` and `y` in the plane's own numbers; {} without any, or where what a browser sent has another form."""
    state = component.state(key)
    said = getattr(state, "picked", None) if state is not None else None
    return areas_of(said)


def _number_of(key: str) -> int | None:
    """Which of its selections a browser told last, as it numbers them: a later one may be on its way."""
    said = getattr(component.state(key), "picked", None)
    number = said.get("number") if isinstance(said, Mapping) else None
    return int(number) if isinstance(number, int | float) and 0 < number < 2**53 else None


def areas_of(said: Any) -> dict[str, list[dict[str, list[float]]]]:
    """What a browser sent, as far as it has the form.

    >>> areas_of({"areas": [{"kind": "box", "x": [0, 1], "y": [0, 2]}, {"kind": "star"}]})
    {'box': [{'x': [0.0, 1.0], 'y': [0.0, 2.0]}]}
    >>> areas_of({"areas": []}), areas_of("all")
    ({}, {})
    """
    listed = said.get("areas") if isinstance(said, Mapping) else None
    found: dict[str, list[dict[str, list[float]]]] = {}
    for area in listed[:MOST_AREAS] if isinstance(listed, list) else ():
        kind = area.get("kind") if isinstance(area, Mapping) else None
        if kind not in ("lasso", "box"):
            continue
        ends = {name: _numbers(area.get(name)) for name in ("x", "y")}
        if len(ends["x"]) == len(ends["y"]) >= (3 if kind == "lasso" else 2):
            found.setdefault(kind, []).append(ends)
    return found


def _numbers(said: Any) -> list[float]:
    """Finite numbers of a list; [] for anything else."""
    if not isinstance(said, list) or len(said) > MOST_CORNERS:
        return []
    found = [float(each) for each in said if isinstance(each, int | float) and not isinstance(each, bool)]
    return found if len(found) == len(said) and all(map(isfinite, found)) else []


def _nothing() -> None:
    """A component says only what somebody waits for."""
