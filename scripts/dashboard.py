"""Starts the dashboard and a Chromium for other scripts: `with serving() as address, browsing() as browser`."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as TooLate

ROOT = Path(__file__).resolve().parent.parent

#: Chromium looks for updates and its maker's hosts at every start unless told not to.
QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@contextlib.contextmanager
def serving(cache: Path, wait: float = 60, root: Path = ROOT) -> Iterator[str]:
    """The dashboard's address while it runs, with a cache of its own; stopped by its process id at the end.
    root: another folder with an `app.py`, which is run by its own `.venv`, if it has one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = root / ".venv" / "bin" / "python"
    python = str(own) if root != ROOT and own.exists() else sys.executable
    command = [python, "-m", "streamlit", "run", "app.py", "--server.port", str(port),
               "--server.address", "localhost", "--server.headless", "true"]  # fmt: skip
    with (cache / "streamlit.log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=root, env={**os.environ, "FLIPSIDE_CACHE": str(cache)}, stdout=log, stderr=log
        )
        try:
            address = f"http://localhost:{port}"
            _until_healthy(address, server, wait)
            yield address
        finally:
            server.terminate()
            server.wait(20)


def _until_healthy(address: str, server: "subprocess.Popen[bytes]", wait: float) -> None:
    deadline = time.monotonic() + wait
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):  # noqa: S310
            return
        time.sleep(0.05)
    raise RuntimeError(f"the dashboard did not start within {wait:g} s")


@contextlib.contextmanager
def browsing() -> Iterator[Browser]:
    """A headless Chromium: the system's, or Playwright's own."""
    names = (os.environ.get("FLIPSIDE_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if name and (found := shutil.which(name))), None)
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, *sandbox])
        try:
            yield browser
        finally:
            browser.close()


def settle(page: Page, wait: float = 60) -> None:
    """Wait until the page's script has run to its end."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=wait * 1000)
    page.wait_for_selector("[data-testid=stMain] h1, [data-testid=stMain] h2", timeout=wait * 1000)


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


def choose(page: Page, field: Locator, option: Locator) -> None:
    """Choose from a list (a combobox that shows its value) as a person does: one that a redrawn page closes is opened
    again, and a choice that did not arrive is made again."""
    was = field.input_value()
    for _ in range(6):
        settled(page)
        field.click()
        try:
            said = option.inner_text(timeout=10_000).strip()
            option.click(timeout=10_000)
        except TooLate:
            page.keyboard.press("Escape")
            continue
        settled(page)
        if said == was or field.input_value() != was:
            return
    raise AssertionError(f"the list does not stay open, or has no such option: {option}")
