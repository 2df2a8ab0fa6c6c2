"""A dashboard with made-up results, and what the tests of its pages share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.pages import results


def start(serve: Callable[..., Any], folder: Path) -> Any:
    """A dashboard on the results of `tests/pages/results.py`, as the benchmark `small`."""
    results.write(folder)
    return serve(FLIPSIDE_CACHE=str(folder))


def open_page(page: Page, dashboard: Any, address: str) -> None:
    page.goto(f"{dashboard.address}/{address}")
    expect(page.locator(".fs-header h1")).to_be_visible(timeout=60_000)


def settled(page: Page) -> None:
    """Wait until no script runs."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)
