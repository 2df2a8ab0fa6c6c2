"""The guided first visit in a real Chromium, on the bundled results: clicked through, by mouse and by keys alone."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser
SLOW = 60_000


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any]) -> Any:
    return serve()


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Guided first visit")


def at_step(page: Page, number: int) -> None:
    said = f"Step {number} of 5" if number <= 5 else "Found"
    expect(card(page).get_by_text(said, exact=True)).to_be_visible(timeout=SLOW)


def remembered(page: Page) -> str:
    return str(page.evaluate("JSON.parse(localStorage.getItem('flipside-tour')).state"))


def test_a_failure_is_found_within_sixty_seconds_and_seven_clicks(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/")
    expect(card(page).get_by_text("New here? Find a failure in 60 seconds")).to_be_visible(timeout=90_000)
    began, clicks = time.monotonic(), 0
    card(page).get_by_role("button", name="Show me").click()
    seen = []
    for number in range(1, 7):
        at_step(page, number)
        clicks += 1
        seen.append(page.url.removeprefix(dashboard.address).partition("?")[0])
        if number == 1:
            expect(page.locator("button.marked")).to_be_visible()
        if number == 2:
            expect(page.locator(".fs-count b")).to_be_visible(timeout=SLOW)
        if number == 4:
            expect(page.locator(".fs-evidence.fs-called")).to_be_in_viewport(timeout=SLOW)
        if number == 6:
            break
        card(page).locator("button.primary").click()
    took = time.monotonic() - began
    assert seen == ["/", "/failures", "/item", "/item", "/debias", "/debias"]
    expect(page).to_have_url(re.compile(r"alpha=(?!0\.0(&|$))"))
    assert clicks <= 7
    assert took < 60, f"{clicks} clicks and {took:.1f} s"
    print(f"guided first visit: {clicks} clicks, {took:.1f} s")  # noqa: T201 - a number to report, with -s
    card(page).get_by_role("button", name="Close").click()
    expect(card(page)).to_have_count(0)
    assert remembered(page) == "done"
    page.goto(f"{dashboard.address}/")
    expect(page.locator("button[data-cell]").first).to_be_visible(timeout=SLOW)
    expect(card(page)).to_have_count(0)


def test_by_keys_alone_left_off_and_gone_on_with(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/?tour=1")
    at_step(page, 1)
    expect(card(page).get_by_role("button", name="Open its failures")).to_be_focused()
    page.keyboard.press("Enter")
    at_step(page, 2)
    expect(card(page).get_by_role("button", name="Open one of them")).to_be_focused()
    page.goto(f"{dashboard.address}/")
    expect(card(page)).to_contain_text("You were at step 2 of 5", timeout=SLOW)
    card(page).get_by_role("button", name="Go on").press("Enter")
    at_step(page, 2)
    expect(page).to_have_url(re.compile(r"/failures\?.*tour=2"))
    card(page).get_by_role("button", name="Skip").press("Enter")
    expect(card(page)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("tour="))
    assert remembered(page) == "left"
    page.get_by_role("button", name="Guided first visit").press("Enter")
    at_step(page, 1)


def test_the_outlined_cell_itself_leads_on(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/?tour=1")
    at_step(page, 1)
    expect(page.locator("button.marked")).to_be_visible(timeout=SLOW)
    page.goto(page.url)  # the address of a step reopens it
    page.locator("button.marked").click(timeout=SLOW)
    at_step(page, 2)


def test_the_glossary_is_searched(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/?tour=1")
    at_step(page, 1)
    page.get_by_role("button", name="Glossary").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("dt").first).to_be_visible(timeout=SLOW)
    box = dialog.get_by_label("Search")
    box.fill("group score")
    box.press("Enter")
    expect(dialog.locator("dt", has_text="Group score")).to_be_visible()
    expect(dialog).to_contain_text("Winoground")
    expect(dialog).not_to_contain_text("Median rank")
