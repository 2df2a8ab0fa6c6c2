"""The glossary in a real Chromium: opened from the sidebar and by a word's address, filtered as one types, followed."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stored import settled

pytestmark = pytest.mark.browser
SLOW = 60_000


@pytest.fixture(scope="module")
def dashboard(shipped: Any) -> Any:
    return shipped


def drawer(page: Page) -> Locator:
    return page.get_by_role("dialog")


@pytest.mark.journey
def test_a_word_is_found_as_one_types_and_followed_to_where_it_is_seen(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/equivariance")
    page.get_by_role("button", name="Glossary").click(timeout=SLOW)
    quad = drawer(page).locator("#glossary-quad")
    expect(quad.locator(".gl-quad td b")).to_have_count(4, timeout=SLOW)
    expect(quad.locator("img").first).to_be_visible()
    field = drawer(page).get_by_label("Search the glossary")
    expect(field).to_be_focused()
    page.keyboard.type("group score")
    expect(drawer(page).locator("#glossary-group-score")).to_be_visible()
    expect(drawer(page).locator("#glossary-near-miss")).to_be_hidden()
    expect(drawer(page).locator("dt", has_text="Group score")).to_be_visible()  # its formula, unfolded
    expect(drawer(page).locator("dt", has_text="Median rank").first).to_be_hidden()
    expect(drawer(page).get_by_role("status")).to_contain_text(re.compile(r"^\d+ of \d+ words"))
    field.fill("nothing is called so")
    expect(drawer(page).get_by_role("status")).to_contain_text("Nothing is called that here")
    field.fill("luck")
    drawer(page).locator("#glossary-luck").get_by_role("link", name=re.compile("Bars with luck")).click()
    expect(drawer(page)).to_have_count(0, timeout=SLOW)
    expect(page).not_to_have_url(re.compile("equivariance|glossary="))


def test_a_words_own_address_opens_it_and_closing_it_leaves_the_page(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/equivariance?glossary=near-miss")
    expect(drawer(page).locator("#glossary-near-miss h3")).to_be_in_viewport(timeout=SLOW)
    link = drawer(page).locator("#glossary-margin h3 a")
    expect(link).to_have_attribute("href", re.compile(r"/equivariance\?.*glossary=margin"))
    page.keyboard.press("Escape")
    expect(drawer(page)).to_have_count(0)
    settled(page)
    expect(page).not_to_have_url(re.compile("glossary="))
    page.reload()
    expect(page.locator(".fs-header h1")).to_be_visible(timeout=SLOW)
    expect(drawer(page)).to_have_count(0)


def test_an_address_of_no_word_opens_the_glossary_at_its_beginning(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/equivariance?glossary=%3Cscript%3E")
    expect(drawer(page).locator("#glossary-quad")).to_be_in_viewport(timeout=SLOW)


@pytest.mark.parametrize("name", ["try-it", "overview"])
def test_in_dark_the_drawer_is_dark_on_every_page(visitor: Any, dashboard: Any, name: str) -> None:
    """Failed before on Try it: only pages on stored results told the drawer which colour scheme is in use."""
    page = visitor(scheme="dark")
    page.goto(f"{dashboard.address}/{name}?glossary=quad")
    field = drawer(page).get_by_label("Search the glossary")
    expect(field).to_have_css("background-color", "rgb(25, 30, 35)", timeout=90_000)
    expect(drawer(page).locator(".gl-picture").first).to_have_css("background-color", "rgb(25, 30, 35)")
