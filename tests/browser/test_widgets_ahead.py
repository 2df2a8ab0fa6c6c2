"""Widgets are brought to the browser behind the first page: once, out of sight, and no page waits for their scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled, steady

pytestmark = pytest.mark.browser

BROUGHT = ("stTextInput", "stTextArea", "stMultiSelect", "stCheckbox", "stFileUploader", "stDownloadButton")
PLACE = ".st-key-fs-widgets-ahead"


def test_they_come_once_out_of_sight_and_pages_load_no_script_for_them(page: Page, small: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url.rsplit("/", 1)[-1]) if sent.url.endswith(".js") else None)
    open_page(page, small, "")
    for widget in (*BROUGHT, "stPagination"):
        expect(page.locator(f"{PLACE} [data-testid={widget}]")).to_have_count(1)
        expect(page.locator(f"{PLACE} [data-testid={widget}]")).to_be_hidden()
    settled(page)
    assert page.evaluate(f"getComputedStyle(document.querySelector('{PLACE}').parentElement).display") == "none"
    assert any(name.startswith("Multiselect.") for name in asked)
    asked.clear()
    page.get_by_role("link", name="Failures", exact=True).click()
    expect(page.locator(".fs-open").first).to_be_visible()
    settled(page)
    assert asked == []
    expect(page.locator(f"{PLACE} [data-testid]").locator("visible=true")).to_have_count(0)
    expect(page.locator(f"{PLACE} [data-testid=stMultiSelect]")).to_have_count(0)  # gone with the first page
    page.get_by_role("link", name="Overview", exact=True).click()
    settled(page)
    many = page.locator(f"{PLACE} [data-testid=stMultiSelect]")
    assert steady(page, lambda: str(many.count()), quiet=2500) == "0"  # longer than the first page waited
