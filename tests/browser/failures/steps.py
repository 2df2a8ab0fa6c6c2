"""What the tests of Failures do again and again, and what they leave in its cache from beside it."""

import os
import subprocess
import sys
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.stored import open_page, settled


def total(page: Page) -> int:
    """How many items the page says it lists, once it is still."""
    settled(page)
    return int(page.locator(".fs-count b").inner_text().replace(",", ""))


def more(page: Page) -> None:
    """Unfold what few need."""
    page.locator(".st-key-more-failures summary").click()
    expect(page.locator(".st-key-more-failures details")).to_have_attribute("open", "")
    settled(page)


def opened(page: Page, dashboard: Any, address: str) -> Any:
    """The first card of the list at an address, once the page is still."""
    open_page(page, dashboard, address)
    expect(page.locator(".fs-open").first).to_be_visible(timeout=90_000)
    settled(page)
    return page.locator(".fs-open").first


def focus(page: Page) -> Any:
    """What has the focus: the item of a card, else its label."""
    return page.evaluate("document.activeElement.dataset.item ?? document.activeElement.getAttribute('aria-label')")


def in_cache(dashboard: Any, code: str) -> str:
    """What a few lines print that run beside the dashboard, with the benchmark's hash as their argument."""
    hash_ = next((dashboard.cache / "benchmarks").iterdir()).name
    done = subprocess.run(
        [sys.executable, "-c", code, hash_], cwd=ROOT, env={**os.environ, "FLIPSIDE_CACHE": str(dashboard.cache)},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.strip()


def picked(dashboard: Any, items: list[str], title: str) -> str:
    """The key of a kept set."""
    keep = f"selections.keep(sys.argv[1], {items!r}, {title!r})"
    return in_cache(dashboard, f"from backend.store.failures import selections; import sys; print({keep}.key)")


def add_tag(dashboard: Any, item_id: str, tag: str) -> None:
    in_cache(
        dashboard,
        f"from backend.store.failures import notes; import sys; notes.add_tag(sys.argv[1], {item_id!r}, {tag!r})",
    )


def tag_typed(page: Page, tag: str) -> None:
    """Tag an item by keyboard, from its card or its dialog, and close the dialog."""
    dialog = page.get_by_role("dialog")
    page.keyboard.press("t")
    expect(dialog.get_by_label("Tags")).to_be_focused()
    page.keyboard.type(tag)
    expect(page.get_by_role("option", name=f"Add: {tag}")).to_be_visible()
    page.keyboard.press("Enter")
    settled(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
