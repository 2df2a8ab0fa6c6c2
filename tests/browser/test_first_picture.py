"""A server that is started again: the heat map of last time at once, then the page in its place, in a real Chromium."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import settled
from tests.pages import results

pytestmark = pytest.mark.browser

#: Writes down what stands on the page as it comes: the picture of last time, the scale of the page's heat map, or both.
WATCH = """
window.__seen = [];
new MutationObserver(() => {
  const first = document.querySelector(".st-key-overview-first") ? "picture" : "";
  const own = document.querySelector(".fs-scale") ? "page" : "";
  const now = [first, own].filter(Boolean).join("+");
  if (now && window.__seen.at(-1) !== now) window.__seen.push(now);
  window.__heads = Math.max(window.__heads ?? 0, document.querySelectorAll("h1").length);
}).observe(document, { childList: true, subtree: true });
"""


def test_the_picture_of_last_time_comes_first_and_gives_way_to_the_page(
    serve: Callable[..., Any], tmp_path: Path, page: Page
) -> None:
    results.write(tmp_path)
    before = serve(FLIPSIDE_CACHE=str(tmp_path))
    page.goto(before.address)
    expect(page.locator("#heat td .rate").first).to_be_visible(timeout=90_000)
    settled(page)
    rates = page.locator("#heat td .rate").all_inner_texts()
    assert list((tmp_path / "db").glob("*.picture.json"))
    page.add_init_script(WATCH)
    for _ in range(3):  # on a busy machine a browser may come after the server has imported everything
        page.goto(serve(FLIPSIDE_CACHE=str(tmp_path)).address)
        expect(page.locator("#heat td .rate").first).to_be_visible(timeout=90_000)
        picture = page.locator(".st-key-overview-first")
        if picture.count():
            assert page.locator(".st-key-overview-first #heat").evaluate("(box) => box.inert")
        expect(picture).to_have_count(0, timeout=90_000)
        settled(page)
        seen = page.evaluate("window.__seen")
        if seen[0] == "picture":
            break
    assert seen[0] == "picture"
    assert seen[-1] == "page"
    assert page.evaluate("window.__heads") == 1, "the picture's head is the page's"
    assert page.locator("#heat td .rate").all_inner_texts() == rates
    page.locator("#heat td .rate").first.click()
    expect(page).to_have_url(re.compile("failures"), timeout=60_000)
