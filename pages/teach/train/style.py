"""The stylesheet of the view that trains."""

from pathlib import Path

from pages.shared.frame.style import sheet

CSS = Path(__file__).with_name("style.css")


def apply() -> None:
    """Load it; called once by the view."""
    sheet(CSS)
