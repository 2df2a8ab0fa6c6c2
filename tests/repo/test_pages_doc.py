"""docs/pages.md names every page with its picture and a browser test that is there."""

import re
from pathlib import Path

import pytest

from scripts.screenshots import pages

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| [")]


@pytest.mark.parametrize("name", [name for name, _ in pages()])
def test_a_page_has_its_row_its_picture_and_its_own_text(name):
    slug = name.replace("_", "-")
    rows = [line for line in ROWS if f"screenshots/{slug}-light.webp" in line]
    assert len(rows) == 1, f"docs/pages.md needs one row with screenshots/{slug}-light.webp"
    assert f"pages/{slug}.md" in rows[0], f"its row in docs/pages.md links to pages/{slug}.md"
    there = (ROOT / "docs" / "screenshots" / f"{slug}-light.webp").is_file()
    assert there, f"run `.venv/bin/python -m scripts.screenshots {name}` (`make screenshots` takes all)"


def test_the_tests_that_are_named_are_there():
    named = set(re.findall(r"`(?:tests/(?:browser|pages)/(?:\w+/)?)?(test_\w+\.py)`", TEXT))
    there = {path.name for folder in ("browser", "pages") for path in (ROOT / "tests" / folder).rglob("test_*.py")}
    assert len(named) > 10
    assert named <= there, f"docs/pages.md names tests that are not there: {', '.join(sorted(named - there))}"


def test_pictures_take_no_more_room_than_promised():
    assert sum(path.stat().st_size for path in (ROOT / "docs" / "screenshots").iterdir()) <= 4_000_000
