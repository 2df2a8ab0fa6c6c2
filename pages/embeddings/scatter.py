"""The maps as a component of our own (scatter.js): hover, pin and lasso without asking the server first."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages.shared.drawing import component

HERE = Path(__file__).parent

_component = component.load("flipside_embedding_map", HERE / "scatter.js", html='<div id="embedding-map"></div>')


@dataclass(frozen=True)
class Touched:
    """What was just done to the maps. picked: contents inside a lasso, empty where it was let go, None where there was
    none; pinned: the content that was clicked."""

    picked: list[int] | None
    pinned: int | None


def draw(data: dict[str, Any], key: str) -> Touched:
    """The maps (see `view.shared`)."""
    result: Any = _component(data=data, key=key, on_picked_change=lambda: None, on_pinned_change=lambda: None)
    picked = result.picked if result is not None else None
    pinned = result.pinned if result is not None else None
    numbers = [int(k) for k in picked] if isinstance(picked, list) else None
    return Touched(numbers, int(pinned) if isinstance(pinned, int | float) else None)
