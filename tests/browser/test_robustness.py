"""Robustness in a real Chromium: the shipped example, a cell, its flipped items side by side, and the address."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.stored import open_page, settled
from tests.pages import results
from tests.pages.robustness.test_robustness import KINDS, RUNS
from tests.store import edited_runs, writer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("robustness")
    items = results.world(60)
    writer.write_run(folder, items, "1" * 16, ["itc", "t2t"], model=results.STRONG, skill=2.5, name="small")
    writer.write_run(folder, items, "2" * 16, ["itc"], model=results.WEAK, skill=0.0, seed=2, name="small")
    edited_runs.write(folder, items, KINDS, RUNS)
    return serve(FLIPSIDE_CACHE=str(folder))


def test_a_cell_lists_its_flips_and_opens_them_side_by_side(page: Page, dashboard: Any, browser: Browser) -> None:
    open_page(page, dashboard, "robustness?benchmark=small")
    cells = page.locator("td button[data-cell]")
    expect(cells.first).to_be_visible(timeout=90_000)
    page.locator("td button[aria-label*='fake:weak'][aria-label*='Shuffle all words']").click()
    heading = page.get_by_role("heading", name=re.compile("Shuffle all words: what happened"))
    expect(heading).to_be_visible(timeout=60_000)
    settled(page)
    expect(page).to_have_url(re.compile("cell=fake%3Aweak%7Citc%7Cshuffle_all_words"))
    card = page.locator(".fs-open").first
    expect(card.locator(".fs-diff").first).to_be_visible()
    expect(card.locator(".fs-turn .fs-chip")).to_have_count(2)
    card.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Before: page of its own")).to_be_visible(timeout=60_000)
    expect(dialog.get_by_text("After: page of its own")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    settled(page)
    address, said = page.url, page.locator(".fs-caption", has_text="right → wrong").first.inner_text()
    other = browser.new_context(viewport={"width": 900, "height": 900}).new_page()
    other.goto(address)
    expect(other.get_by_role("heading", name=re.compile("Shuffle all words: what happened"))).to_be_visible(
        timeout=60_000
    )
    expect(other.locator(".fs-caption", has_text="right → wrong").first).to_have_text(said)
    other.context.close()


def test_a_rate_on_the_originals_opens_its_failures(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "robustness?benchmark=small")
    base = page.locator("td a[data-cell^='fake:weak'][data-cell$=originals]").first
    expect(base).to_be_visible(timeout=90_000)
    settled(page)
    base.click()
    expect(page).to_have_url(re.compile("failures.*model=fake"), timeout=60_000)


def test_flipped_items_open_in_failures(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "robustness?benchmark=small&measure=flipped&cell=fake:weak|itc|character_swap")
    button = page.get_by_role("button", name=re.compile("Open these .* items in Failures"))
    expect(button).to_be_visible(timeout=90_000)
    settled(page)
    n = re.search(r"these ([\d,]+) items", button.inner_text())
    assert n
    button.click()
    expect(page).to_have_url(re.compile("failures.*set="), timeout=60_000)
    expect(page.locator(".fs-set")).to_contain_text("Character swap", timeout=60_000)


def test_the_page_opens_on_the_results_that_ship(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "robustness?benchmark=world")
    expect(page.locator(".groups th", has_text="keeps the meaning")).to_be_visible(timeout=120_000)
    expect(page.locator(".fs-seen")).to_contain_text("which keeps the meaning")
    expect(page.locator("td a[data-cell$=originals]").first).to_contain_text("chance")
    expect(page.locator("th .name", has_text="clip-relational").first).to_be_visible()
    expect(page.locator("th .name", has_text="Character swap").first).to_be_visible()
    page.get_by_role("tab", name="Sensitive and near misses").click()
    expect(page.locator(".fs-table tbody th", has_text="clip-relational")).to_be_visible(timeout=60_000)
    page.get_by_role("tab", name="What the edits do").click()
    expect(page.locator(".fs-panel").first).to_contain_text("before", timeout=60_000)
