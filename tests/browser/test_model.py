"""The model page in a real Chromium: from a name on Overview to its lines, its failures, and on paper."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser
HEAD = "How does this model do, and why does it fail?"


@pytest.fixture(scope="module")
def dashboard(small: Any) -> Any:
    return small


@pytest.mark.journey
def test_a_name_opens_the_model_and_a_line_its_failures(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "?benchmark=small")
    name = page.locator("#heat tbody th a", has_text="strong")
    expect(name).to_have_attribute("href", "model?model=fake%3Astrong&benchmark=small", timeout=90_000)
    settled(page)
    name.click()
    expect(page.locator(".fs-header h1")).to_have_text(HEAD, timeout=60_000)
    expect(page).to_have_url(re.compile(r"/model\?.*model=fake%3Astrong"))
    expect(page.locator(".md-name b")).to_have_text("fake:strong")
    line = page.locator("button.line", has_text="relation")
    expect(line).to_have_attribute("aria-label", re.compile(r"relation, group score: .* · \d+ items · 95 % interval"))
    settled(page)
    line.hover()
    expect(page.locator("#lines .facts")).to_contain_text("95 % interval")
    line.click()
    expect(page.locator(".fs-header h1")).to_have_text("Which items does the model get wrong?", timeout=60_000)
    expect(page).to_have_url(re.compile(r"subset=relation"))
    page.go_back()
    expect(page.locator(".fs-header h1")).to_have_text(HEAD, timeout=60_000)
    expect(page).to_have_url(re.compile(r"/model\?.*model=fake%3Astrong"))


def test_a_typical_failure_opens_its_item_and_steps_lead_on(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "model?model=fake%3Aweak&benchmark=small")
    cards = page.locator(".st-key-model-typical .fs-open")
    expect(cards.first).to_be_visible(timeout=90_000)
    expect(cards.nth(3)).to_have_count(0)
    for label, address in (("Open its failures", "failures?"), ("Compare it", "compare?")):
        link = page.get_by_role("link", name=label)
        expect(link).to_have_attribute("href", re.compile(re.escape(address) + ".*fake%3Aweak"))
    settled(page)
    item = str(cards.first.get_attribute("data-item"))
    cards.first.click()
    expect(page).to_have_url(re.compile(rf"/item\?.*item={item.replace('/', '%2F')}"), timeout=60_000)
    expect(page.locator(".fs-why-lead")).to_contain_text("weak", timeout=60_000)


@pytest.mark.parametrize("width", [900, 1440])
def test_the_name_of_a_line_has_its_room(page: Page, dashboard: Any, width: int) -> None:
    """Failed before: every name had 10.5 rem, and “replace obj mean of the or…” was cut beside an empty track."""
    page.set_viewport_size({"width": width, "height": 1000})
    open_page(page, dashboard, "model?model=fake%3Astrong&benchmark=small")
    expect(page.locator("button.line .name").first).to_be_visible(timeout=90_000)
    settled(page)
    longest = page.locator("button.line .name").first
    longest.evaluate("node => { node.lastChild.textContent = 'mean of the orders of it'; }")
    cut = "nodes => nodes.filter(node => node.scrollWidth > node.clientWidth).map(node => node.textContent)"
    assert page.locator("button.line .name").evaluate_all(cut) == []
    starts = "nodes => [...new Set(nodes.map(node => node.getBoundingClientRect().left))].length"
    assert page.locator("button.line .track, .axis .scale").evaluate_all(starts) == 1, "one scale for all lines"


def test_on_paper_there_is_no_sidebar_and_no_button(page: Page, dashboard: Any) -> None:
    page.add_init_script("window.print = () => { window.printed = (window.printed ?? 0) + 1; };")
    open_page(page, dashboard, "model?model=fake%3Aspeaker&benchmark=small")
    button = page.get_by_role("button", name="Print")
    expect(button).to_be_visible(timeout=90_000)
    settled(page)
    button.click()
    assert page.evaluate("window.printed") == 1
    page.emulate_media(media="print")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    for label in ("Open its failures", "Compare it"):
        expect(page.get_by_role("link", name=label)).to_be_hidden()
    expect(button).to_be_hidden()
    expect(page.locator(".md-name b")).to_be_visible()
    # All of it is on paper: nothing scrolls inside the window.
    inside = page.get_by_test_id("stMain")
    assert inside.evaluate("main => getComputedStyle(main).overflowY") == "visible"
    assert inside.evaluate("main => main.scrollHeight - main.clientHeight") <= 1


def test_a_model_that_is_not_here_gets_a_sentence_and_ways_on(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "model?model=nobody&benchmark=small")
    expect(page.locator(".fs-empty")).to_contain_text("No model “nobody” is known here", timeout=90_000)
    settled(page)
    page.get_by_role("button", name="fake:weak on small").click()
    expect(page.locator(".md-name b")).to_have_text("fake:weak", timeout=60_000)
    expect(page).to_have_url(re.compile(r"model=fake%3Aweak"))
