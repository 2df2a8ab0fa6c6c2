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


def settled(page: Page, quiet: int = 400) -> None:
    """Wait until no script has run, and nothing has come from the server, for a while (milliseconds)."""
    page.wait_for_function(
        """(quiet) => {
            const app = document.querySelector("[data-testid=stApp]");
            const busy = app?.dataset.testScriptState !== "notRunning"
                || document.querySelector("[data-testid=stSkeleton]");
            if (busy) window.__idle = undefined;
            else window.__idle ??= performance.now();
            return !busy && performance.now() - window.__idle > quiet;
        }""",
        arg=quiet, polling=50, timeout=60_000,
    )  # fmt: skip
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=60_000)
