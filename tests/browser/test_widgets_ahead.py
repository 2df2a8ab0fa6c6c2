"""Widgets that Overview has none of come behind it: once, out of sight, and no page waits for their scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser

BROUGHT = ("stTextInput", "stTextArea", "stMultiSelect", "stCheckbox", "stSlider", "stPagination", "stPageLink")
PLACE = ".st-key-fs-widgets-ahead"


def test_they_come_once_out_of_sight_and_pages_load_no_script_for_them(page: Page, small: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url.rsplit("/", 1)[-1]) if sent.url.endswith(".js") else None)
    open_page(page, small, "")
    for widget in BROUGHT:
        expect(page.locator(f"{PLACE} [data-testid={widget}]").first).to_be_attached()
        expect(page.locator(f"{PLACE} [data-testid={widget}]").first).to_be_hidden()
    settled(page)
    assert page.evaluate(f"getComputedStyle(document.querySelector('{PLACE}').parentElement).display") == "none"
    assert any(name.startswith("Multiselect.") for name in asked)
    asked.clear()
    page.get_by_role("link", name="Failures", exact=True).click()
    expect(page.locator(".fs-open").first).to_be_visible()
    settled(page)
    assert asked == []
    expect(page.locator(PLACE)).to_have_count(0)  # gone with the first page
    page.get_by_role("link", name="Overview", exact=True).click()
    expect(page.locator(".fs-eyebrow", has_text="Overview").first).to_be_visible()
    settled(page)
    expect(page.locator(PLACE)).to_have_count(0)


def test_the_keyboard_does_not_meet_them(page: Page, small: Any) -> None:
    """What is not displayed takes no focus, and no search of a screen reader finds it."""
    open_page(page, small, "")
    expect(page.locator(f"{PLACE} [data-testid=stTextInput]")).to_be_attached()
    settled(page)
    expect(page.get_by_label("ahead").locator("visible=true")).to_have_count(0)
    expect(page.get_by_role("textbox", name="ahead")).to_have_count(0)
