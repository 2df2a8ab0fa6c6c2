"""A theme that changes while a page is open, as many systems do at nightfall: all is drawn anew in it."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser

#: The colour of the plane's grid, which Python says, and the scheme of what stands outside Streamlit's own element.
GRID = "({ plane }) => plane.data.faint"
SCHEME = "getComputedStyle(document.documentElement).colorScheme"


def plane_of(page: Page, shipped: Any) -> tuple[Locator, list[str]]:
    """A page's plane, drawn, and what the page sends to its server from its first moment on."""
    sent: list[str] = []
    page.on("websocket", lambda line: line.on("framesent", lambda _: sent.append(line.url)))
    open_page(page, shipped, "equivariance")
    plane = page.locator("#plane[data-ready]").first
    expect(plane).to_be_visible(timeout=60_000)
    settled(page)
    return plane, sent


def test_each_change_takes_one_run(page: Page, shipped: Any) -> None:
    plane, sent = plane_of(page, shipped)
    for scheme in ("dark", "light"):
        before, was = len(sent), plane.evaluate(GRID)
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        reads(page, lambda: plane.evaluate(GRID), lambda now, was=was: now != was)
        settled(page)
        page.evaluate("new Promise((done) => setTimeout(done, 700))")  # twice as long as the script waits
        assert len(sent) - before == 1


def test_what_is_open_is_drawn_in_the_theme_that_comes(page: Page, shipped: Any) -> None:
    """Grid lines stayed white on black, and a dialog was half of each theme: its text was dark on dark."""
    plane, sent = plane_of(page, shipped)
    light = plane.evaluate(GRID)
    plane.locator(".top").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible(timeout=30_000)
    settled(page)
    page.emulate_media(color_scheme="dark")
    reads(page, lambda: page.evaluate(SCHEME), "dark")
    expect(page.get_by_role("dialog")).to_have_css("color-scheme", "dark")
    asked = len(sent)
    page.evaluate("new Promise((done) => setTimeout(done, 700))")  # twice as long as the script waits before it asks
    assert len(sent) == asked
    assert plane.evaluate(GRID) == light  # for no run: it would close a dialog that a button has opened
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    reads(page, lambda: plane.evaluate(GRID), lambda now: now != light)
    settled(page)
    assert page.evaluate(SCHEME) == "dark"
    page.emulate_media(color_scheme="light")
    reads(page, lambda: page.evaluate(SCHEME), "light")
    reads(page, lambda: plane.evaluate(GRID), light)
