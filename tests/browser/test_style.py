"""The page's own styling outlives whatever is done on it, in a real Chromium."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(small: Any) -> Any:
    return small


#: Whether the house's stylesheet, and that of the pages on stored results, are in force.
STYLED = """() => getComputedStyle(document.querySelector('.fs-ticks')).display.endsWith('flex')
    && getComputedStyle(document.querySelector('.fs-texts')).listStyleType === 'none'
    && ['.fs-card', '.fs-notice'].every((name) => [...document.styleSheets].some(
        (sheet) => [...sheet.cssRules].some((rule) => (rule.selectorText ?? '').startsWith(name))))"""


def expect_styled(page: Page) -> None:
    settled(page)
    assert page.evaluate(STYLED)


def test_a_note_in_the_dialog_leaves_the_styling(page: Page, dashboard: Any) -> None:
    before = len(dashboard.log.read_text(encoding="utf-8"))
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation")
    expect(page.locator(".fs-open").first).to_be_visible(timeout=90_000)
    expect_styled(page)
    page.locator(".fs-open").first.click()
    dialog = page.get_by_role("dialog")
    for words in ("one", "two", ""):
        note = dialog.get_by_label("Note")
        expect(note).to_be_visible(timeout=60_000)
        settled(page)
        note.fill(words)
        note.blur()
        said = "Note kept" if words else re.compile("The note on .* was deleted")
        expect(page.get_by_text(said).first).to_be_visible()
        expect_styled(page)
    dialog.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Brought back")).to_be_visible()
    expect(dialog.get_by_label("Note")).to_have_value("two")
    expect_styled(page)
    dialog.get_by_label("Tags").fill("seen")
    page.keyboard.press("Enter")
    expect(dialog.get_by_test_id("stMultiSelect")).to_contain_text("seen")
    expect_styled(page)
    assert "A fragment rerun was triggered with a callback" not in dashboard.log.read_text(encoding="utf-8")[before:]
