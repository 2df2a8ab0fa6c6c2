"""Equivariance in a real Chromium: the table, the violins, a box around some quads, the worst ones."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(small: Any) -> Any:
    return small


@pytest.mark.journey
def test_a_lasso_lists_its_quads(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "equivariance?benchmark=small&model=fake:strong")
    plane = page.locator(".js-plotly-plot .nsewdrag").first
    expect(plane).to_be_visible(timeout=90_000)
    expect(page.locator(".fs-compact .fs-open").first).to_be_visible(timeout=60_000)
    settled(page)
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    assert box
    corners = [(0.5, 0.03), (0.97, 0.03), (0.97, 0.5), (0.5, 0.5), (0.5, 0.03)]
    for k, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=8)
        if k == 0:
            page.mouse.down()
    page.mouse.up()
    expect(page.locator(".fs-count", has_text="selected")).to_be_visible(timeout=60_000)
    settled(page)
    picked = page.locator(".fs-count b").inner_text()
    cards = page.locator(".fs-compact .fs-open .fs-chip")
    expect(cards.first).to_be_visible()
    page.locator(".fs-compact .fs-open").first.click()
    expect(page.get_by_role("dialog").locator(".fs-matrix").first).to_be_visible(timeout=60_000)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("picked="))
    page.reload()  # the address alone brings the same quads back, and they go on to Failures
    expect(page.locator(".fs-count b")).to_have_text(picked, timeout=60_000)
    settled(page)
    page.get_by_role("button", name=re.compile("Open th.* in Failures")).first.click()
    expect(page.locator(".fs-set")).to_contain_text(f"Only {picked} items", timeout=60_000)


def test_planes_of_all_kinds_and_parts_without_a_mouse(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "equivariance?benchmark=small&model=fake:weak&worst=swapped")
    expect(page.locator(".js-plotly-plot .nsewdrag")).to_have_count(3, timeout=90_000)
    for kind in ("(itc)", "(itm)", "(gen)"):
        expect(page.locator(".fs-model", has_text=kind)).to_be_visible()
    expect(page.get_by_text("both swapped").first).to_be_visible()
    first = page.locator(".fs-compact .fs-open").first
    expect(first).to_contain_text("✗", timeout=60_000)


def test_category_and_normalisation_change_the_numbers(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "equivariance?benchmark=small")
    numbers = page.locator(".fs-table tbody").first
    expect(numbers).to_contain_text("strong", timeout=90_000)
    expect(page.locator(".fs-v")).to_have_count(9, timeout=60_000)
    settled(page)
    before = str(numbers.text_content())
    page.goto(f"{dashboard.address}/equivariance?benchmark=small&category=count&scale=softmax-cells")
    expect(page.locator(".fs-section .fs-remark").first).to_contain_text("count", timeout=60_000)
    expect(numbers).not_to_have_text(before)
    expect(page.locator(".fs-caption").first).to_contain_text("share")


def test_close_pairs_are_mined_and_open(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "equivariance?benchmark=small&model=fake:strong&k=3")
    table = page.locator(".fs-pairs tbody")
    expect(table).to_contain_text("strong", timeout=90_000)
    expect(page.locator(".fs-section", has_text="Close pairs").locator(".fs-remark")).to_contain_text("cosine")
    card = page.locator(".fs-compact .fs-open", has_text="↔").first
    expect(card).to_contain_text(re.compile(r"rank \d+ · v1"), timeout=60_000)
    card.click()
    expect(page.get_by_role("dialog")).to_contain_text("retrieval/", timeout=60_000)
