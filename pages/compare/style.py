"""The stylesheet of Compare and Teach."""

from pathlib import Path

from pages.shared.drawing import explore
from pages.shared.frame.style import sheet

CSS = Path(__file__).with_name("style.css")


def apply() -> None:
    """Load it, with the one that the pages on stored results share."""
    explore.apply()
    sheet(CSS)
