"""Overview in a real Chromium: read the heat map, regroup it, open what is behind a cell."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(small: Any) -> Any:
    return small


def fold(page: Page, label: str) -> Locator:
    """What opens a fold."""
    return page.get_by_test_id("stExpander").filter(has_text=label).locator("summary")


@pytest.mark.journey
def test_a_cell_opens_the_failures_behind_it(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    cell = page.locator("a[data-cell^='fake:weak'][data-cell*='relation']")
    expect(cell).to_have_attribute("aria-label", re.compile(r"weak · .* % \[.*\] \(n = \d+\)"), timeout=90_000)
    cell.click()
    expect(page.locator(".fs-header h1")).to_have_text("Which items does the model get wrong?")
    expect(page.locator(".fs-count")).to_contain_text("weak", timeout=60_000)
    expect(page).to_have_url(re.compile(r"subset=relation"))
    heads = page.locator(".fs-open .fs-card-head")
    expect(heads.first).to_contain_text("relation/", timeout=60_000)
    expect(heads.filter(has_not_text="relation/")).to_have_count(0)


def test_a_cell_opened_in_a_tab_of_its_own_shows_what_a_click_shows(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small&by=concept&broad=True")
    cell = page.locator("a[data-cell^='fake:weak']").first
    expect(cell).to_be_visible(timeout=90_000)
    settled(page)
    expect(page).to_have_title("Overview · Flipside")
    here = page.url
    with page.context.expect_page() as opened:
        cell.click(modifiers=["ControlOrMeta"])
    other = opened.value
    expect(other.locator(".fs-count")).to_contain_text("weak", timeout=60_000)
    settled(other)
    assert page.url == here
    expect(other).to_have_title("Failures · Flipside")
    cell.click()
    expect(page.locator(".fs-count")).to_have_text(str(other.locator(".fs-count").text_content()), timeout=60_000)
    settled(page)
    assert page.url == other.url
    page.go_back()
    expect(cell).to_be_visible(timeout=60_000)
    expect(page).to_have_title("Overview · Flipside")


def test_columns_and_quad_scores_can_be_changed(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    heads = page.locator("#heat thead").last  # the table of before stays until the new one is there
    expect(heads).to_contain_text("group score", timeout=90_000)
    fold(page, "More").click()
    page.get_by_role("radio", name="text", exact=True).click()
    expect(heads).to_contain_text("text score")
    page.get_by_role("radio", name="Concept").click()
    expect(page).to_have_url(re.compile("by=concept.*quads=text_score|quads=text_score.*by=concept"))
    page.reload()
    expect(page.locator("tbody th[scope=row]", has_text="text score").first).to_be_visible(timeout=60_000)
    assert "_" not in " ".join(page.locator("#heat th").all_inner_texts())  # plain words, no keys


def test_the_first_page_is_there_within_five_seconds(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/?benchmark=small")
    expect(page.locator(".fs-header h1")).to_be_visible()
    expect(page.get_by_test_id("stSidebar").get_by_text("Benchmark", exact=True)).to_be_visible(timeout=5_000)


def test_the_threshold_moves_its_numbers_and_the_address(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    numbers = page.locator(".fs-thresholds")
    fold(page, "Where to draw the line").click(timeout=90_000)
    expect(numbers).to_contain_text("At 0.50", timeout=90_000)
    before = str(numbers.text_content())
    slider = page.get_by_role("slider").first
    slider.focus()
    for step in range(1, 21):  # one at a time: on a busy machine an answer may overtake the next press
        page.keyboard.press("ArrowRight")
        expect(numbers).to_contain_text(f"At {0.5 + step / 100:.2f}", timeout=60_000)
    expect(numbers).to_contain_text("At 0.70")
    expect(numbers).not_to_have_text(before)
    expect(page).to_have_url(re.compile(r"threshold=0\.7"))
    expect(page.get_by_test_id("stVegaLiteChart")).to_be_visible()


def test_columns_are_sorted_and_cells_walked_by_keys(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    head = page.locator("thead .sorter", has_text="relation").first
    expect(head).to_be_visible(timeout=90_000)

    def rates() -> list[float]:
        cells = page.locator("tbody a[data-cell*='relation\\tgroup_score'] b").all_inner_texts()
        return [float(re.sub(r"[^0-9.]", "", text)) for text in cells]

    settled(page)
    before = rates()
    head.click()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("relation")
    reads(page, rates, sorted(before, reverse=True))
    expect(page).to_have_url(re.compile("order=-relation"), timeout=60_000)
    page.reload()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("relation", timeout=90_000)
    reads(page, rates, sorted(before, reverse=True))
    expect(page.locator("tbody a[data-cell][tabindex='0']")).to_have_count(1)
    settled(page)
    first = page.locator("tbody a[data-cell][tabindex='0']")
    first.focus()
    begun = str(first.get_attribute("data-cell"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("a[data-cell]:focus")).to_have_attribute("data-cell", begun)
    page.keyboard.press("Enter")
    expect(page.locator(".fs-header h1")).to_have_text("Which items does the model get wrong?", timeout=60_000)


def test_the_facts_of_a_number_show_where_it_is_pointed_at_or_has_the_focus(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    cell = page.locator("a[data-cell^='fake:weak'][data-cell*='relation']")
    expect(cell).to_be_visible(timeout=90_000)
    settled(page)
    tip = page.locator("#heat .facts")
    expect(tip).to_be_hidden()
    cell.hover()
    expect(tip).to_be_visible()
    expect(tip).to_contain_text("(n = ")
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()
    page.locator("thead .sorter").last.focus()
    page.keyboard.press("Tab")
    expect(page.locator("#heat tbody th a:focus")).to_have_count(1)  # the first model's name
    page.keyboard.press("Tab")
    expect(page.locator("a[data-cell]:focus")).to_have_count(1)
    expect(tip).to_be_visible()


def test_a_real_failure_opens_and_another_takes_its_place(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    card = page.locator(".fs-open:has(.ov-failure)")
    expect(card).to_contain_text("Which caption belongs to which picture?", timeout=90_000)
    expect(card.locator("img")).to_have_count(2)
    settled(page)
    first = str(card.get_attribute("data-item"))
    page.get_by_role("button", name="Another").click()
    expect(card).not_to_have_attribute("data-item", first)
    second = str(card.get_attribute("data-item"))
    expect(page).to_have_url(re.compile(f"example={second.replace('/', '%2F')}"))
    settled(page)
    card.click()
    expect(page).to_have_url(re.compile(rf"/item\?.*item={second.replace('/', '%2F')}"))
    expect(page.locator(".fs-why-lead")).to_be_visible(timeout=60_000)
