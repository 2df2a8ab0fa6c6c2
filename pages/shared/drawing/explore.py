"""The stylesheet that the pages on stored results share."""

from pathlib import Path

from pages.shared.frame.style import sheet

CSS = Path(__file__).with_name("explore.css")


def apply() -> None:
    """Load it; called once by each of these pages."""
    sheet(CSS)
