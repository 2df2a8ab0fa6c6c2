"""Stylesheets reach the page whole: what sanitises them drops a sheet that seems to hold a tag."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[4] / "pages"


@pytest.mark.parametrize("path", sorted(PAGES.rglob("*.css")), ids=lambda path: str(path.relative_to(PAGES)))
def test_no_stylesheet_seems_to_hold_a_tag(path: Path) -> None:
    """`@property { syntax: "<length>" }` took the styling of every page away."""
    assert re.search(r"<[\w/!?]", path.read_text(encoding="utf-8")) is None
