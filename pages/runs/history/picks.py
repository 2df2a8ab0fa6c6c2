"""HTML of runs in which each can be picked, by mouse and by keyboard."""

from pathlib import Path
from typing import Any

from markupsafe import Markup

from pages.shared.drawing import component
from pages.shared.frame.style import checked

#: In the page's own document, so that its stylesheet holds.
_component = component.load(
    "flipside_runs_picks", Path(__file__).with_suffix(".js"), html="<div data-picks></div>", isolate_styles=False
)


def draw(html: Markup, key: str, picked: str) -> str:
    """Draw it; the id of the run that was just picked, "" for none. picked: the run that is marked in it."""
    result: Any = _component(
        data={"html": checked(html), "picked": picked}, key=key, on_run_change=lambda: None
    )  # fmt: skip
    return str((result.run if result is not None else None) or "")
