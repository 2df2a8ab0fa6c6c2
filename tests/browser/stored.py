"""A dashboard with made-up results, and what the tests of its pages share."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from playwright.sync_api import Page, expect

from scripts.dashboard import settled as settled
from tests.pages import results

T = TypeVar("T")


def start(serve: Callable[..., Any], folder: Path) -> Any:
    """A dashboard on the results of `tests/pages/results.py`, as the benchmark `small`."""
    results.write(folder)
    return serve(FLIPSIDE_CACHE=str(folder))


def open_page(page: Page, dashboard: Any, address: str) -> None:
    page.goto(f"{dashboard.address}/{address}")
    expect(page.locator(".fs-header h1")).to_be_visible(timeout=60_000)


def reads(page: Page, read: Callable[[], T], wanted: T | Callable[[T], bool], timeout: int = 30_000) -> T:
    """What is read, as soon as it is what is wanted (a value, or a condition on it); fails where it never is."""
    deadline = time.monotonic() + timeout / 1000
    while True:
        found = read()
        if wanted(found) if callable(wanted) else found == wanted:
            return found
        assert time.monotonic() < deadline, f"{found!r}, not {wanted!r}, after {timeout} ms"
        page.wait_for_timeout(50)


def steady(page: Page, read: Callable[[], str | None], quiet: int = 600) -> str:
    """What is read, once it has stayed the same for a while (milliseconds)."""
    found, since = read(), time.monotonic()
    deadline = since + 30
    while time.monotonic() - since < quiet / 1000:
        assert time.monotonic() < deadline, f"{found!r} still changes after 30 s"
        page.wait_for_timeout(50)
        if (now := read()) != found:
            found, since = now, time.monotonic()
    return found or ""


def still(page: Page, quiet: int = 700) -> None:
    """Wait until no script runs and nothing on the page has changed for a while (milliseconds): charts draw late."""
    settled(page)
    page.wait_for_function(
        """(quiet) => {
            const fields = [...document.querySelectorAll("input, textarea")].map((field) => field.value);
            const now = `${document.querySelectorAll("*").length} ${document.body.innerText} ${fields}`;
            if (window.__seen !== now) [window.__seen, window.__since] = [now, performance.now()];
            return performance.now() - window.__since > quiet;
        }""",
        arg=quiet, polling=100, timeout=60_000,
    )  # fmt: skip
