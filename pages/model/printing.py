"""The page on paper: a button that opens the browser's own dialog, and a stylesheet without sidebar and buttons."""

from pathlib import Path

from pages.shared.drawing import component

HERE = Path(__file__).parent
_component = component.load(
    "flipside_model_print", HERE / "print.js", html='<div class="md-print"></div>', isolate_styles=False
)


def draw() -> None:
    """The button."""
    _component(data={"label": "Print"}, key="model-print")
