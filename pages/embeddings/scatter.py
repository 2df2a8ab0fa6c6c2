"""The maps as a component of our own (scatter.js): hover, pin, lasso and labels without asking the server first."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages.shared.drawing import component

HERE = Path(__file__).parent

_component = component.load("flipside_embedding_map", HERE / "scatter.js", html='<div id="embedding-map"></div>')


@dataclass(frozen=True)
class Picked:
    """contents: inside a lasso or a clump, none where it was let go; lasso: its name for the address (see lasso.py)."""

    contents: list[int]
    lasso: str


@dataclass(frozen=True)
class Touched:
    """What was just done to the maps. picked: None where nothing was; pinned: the content that was clicked."""

    picked: Picked | None
    pinned: int | None


def draw(data: dict[str, Any], key: str) -> Touched:
    """The maps (see `view.shared`)."""
    result: Any = _component(data=data, key=key, on_picked_change=lambda: None, on_pinned_change=lambda: None)
    picked = result.picked if result is not None else None
    pinned = result.pinned if result is not None else None
    return Touched(_picked(picked), int(pinned) if isinstance(pinned, int | float) else None)


def _picked(said: Any) -> Picked | None:
    """What a browser sent, as far as it has the form."""
    contents = said.get("contents") if isinstance(said, dict) else None
    if not isinstance(contents, list):
        return None
    return Picked([int(k) for k in contents if isinstance(k, int | float)], str(said.get("lasso") or "")[:200])
