"""Debias in a real Chromium: the slider moves without the server, the counts follow, the flipped items appear."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled, start

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return start(serve, tmp_path_factory.mktemp("debias"))


def test_the_marker_moves_without_a_round_trip(page: Page, dashboard: Any) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
    open_page(page, dashboard, "debias?benchmark=small")
    value = page.locator("tr.focus .value")
    expect(value).to_have_text(re.compile(r"\d+\.\d %"), timeout=90_000)
    settled(page)
    page.wait_for_timeout(1500)
    before, marker = len(sent), page.locator(".chart .marker")
    place = marker.get_attribute("x1")
    slider = page.get_by_label(re.compile("^α, the share"))
    slider.evaluate("node => { node.value = '0.8'; node.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert page.locator(".slider output").inner_text() == "0.800"
    assert marker.get_attribute("x1") != place
    page.wait_for_timeout(400)
    assert len(sent) == before, "moving the slider asked the server"
    won = page.locator("tr.focus .won").inner_text()
    lost = page.locator("tr.focus .lost").inner_text()
    slider.dispatch_event("change")
    expect(page.locator(".fs-flips").first).to_contain_text("at α = 0.800", timeout=60_000)
    expect(page.locator(".fs-flips").nth(0).locator("b")).to_have_text(won.removeprefix("▲ "))
    expect(page.locator(".fs-flips").nth(1).locator("b")).to_have_text(lost.removeprefix("▼ "))
    expect(page).to_have_url(re.compile(r"alpha=0\.8"))


def test_the_value_under_the_marker_is_the_table_s(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small")
    value = page.locator("tr.focus .value")
    expect(value).to_have_text(re.compile(r"\d+\.\d %"), timeout=90_000)
    line = page.locator("tr.fs-focus td")
    expect(line.first).to_be_visible(timeout=60_000)
    cells = line.all_inner_texts()
    page.locator(".slider button", has_text="α*").click()
    expect(value).to_have_text(cells[3])
    page.locator(".slider button").last.click()
    expect(value).to_have_text(cells[5])


def test_a_flipped_item_opens(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&alpha=1.0")
    card = page.locator(".fs-compact .fs-open").first
    expect(card).to_be_visible(timeout=90_000)
    card.click()
    expect(page.get_by_role("dialog")).to_contain_text(str(card.get_attribute("data-item")))


def test_where_alpha_cancels_it_says_so(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&subset=relation")
    page.get_by_role("radio", name="image", exact=True).click()
    expect(page.locator(".fs-empty")).to_contain_text("Here α cancels", timeout=60_000)


def test_flips_carry_their_monte_carlo_error(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&alpha=1.0&prior=images:3")
    head = page.locator(".fs-compact .fs-open .fs-card-head").first
    expect(head).to_contain_text(re.compile(r"flips at α = \d\.\d+ ± <?\d\.\d+"), timeout=90_000)
    table = page.locator(".fs-errors tbody tr.fs-focus")
    expect(table).to_contain_text("3 sampled images", timeout=60_000)
    expect(table.locator("td").last).to_contain_text(re.compile(r"\d ± \d+\.\d %"))
    expect(page.locator(".chart text", has_text="P(t) from 3 sampled images").first).to_be_visible()
    expect(page.locator(".fs-protocol")).to_contain_text("does not use this benchmark")
