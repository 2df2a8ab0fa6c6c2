"""Browser tests wait for what they read: none sleeps a fixed time, none asserts on a page that may not be drawn yet."""

import re
from pathlib import Path

BROWSER = Path(__file__).resolve().parents[1] / "browser"
#: Where waiting itself is written.
WAITING = {"conftest.py", "stored.py"}
SLEEPS = re.compile(r"wait_for_timeout\(|time\.sleep\(")
#: A read in an assertion, unless its line says that the page is still.
EARLY = re.compile(
    r"assert [^#]*\.(count|inner_text|all_inner_texts|input_value|text_content|is_visible|get_attribute)\([^#]*$"
)


def lines(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(BROWSER)}:{number}: {line.strip()}"
        for path in sorted(BROWSER.rglob("*.py"))
        if str(path.relative_to(BROWSER)) not in WAITING
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_browser_test_sleeps() -> None:
    assert not lines(SLEEPS), "wait for a condition: expect(…), or reads, settled, still of tests/browser/stored.py"


def test_no_browser_test_asserts_what_it_has_not_waited_for() -> None:
    assert EARLY.search("    assert page.locator('b').count() == 3")
    assert not lines(EARLY), "use expect(…).to_have_count, to_have_text, … or reads(page, …)"
