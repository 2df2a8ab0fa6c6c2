"""docs/reasons.md's table of Winoground is what its command writes today."""

import pytest

from scripts.planted_reasons import PAGE
from scripts.winoground_reasons import read, table


@pytest.mark.slow
def test_the_page_has_todays_table(shared_data):
    """A rule of the reasons that changes changes the page: its counts stood for five days under an older rule."""
    folder = shared_data / "winoground_scores"
    files = [read(path) for path in sorted(folder.glob("*.jsonl"))]
    if not files:
        pytest.skip(f"{folder} holds no score files")
    written = (
        PAGE.read_text(encoding="utf-8").partition("<!-- winoground -->\n")[2].partition("\n<!-- /winoground -->")[0]
    )
    assert written.splitlines() == table(files).splitlines(), (
        f"docs/reasons.md is stale: python -m scripts.winoground_reasons {folder}"
    )
