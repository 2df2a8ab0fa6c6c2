"""The dashboard in a real browser: shared servers, a fresh page a test, and no error may pass unseen."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, expect, sync_playwright

from tests.pages import results

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-default-apps", "--disable-sync", "--no-first-run",
]  # fmt: skip
#: Streamlit first asks below the page's own address, then at the root: these two answers are no fault.
HARMLESS = ("_stcore/host-config", "_stcore/health")
SECONDS_TO_START = 120
#: Nobody waits longer for what is there; on a machine with other work a page takes several times as long.
SECONDS_FOR_A_TEST = 400

expect.set_options(timeout=60_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser test consists of waits, each with a limit of its own; the limit of all tests would end their sum."""
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SECONDS_FOR_A_TEST))


def chromium() -> str | None:
    """The system's Chromium, or None for the one that Playwright brings."""
    given = os.environ.get("FLIPSIDE_CHROMIUM")
    return given or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    opened = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    yield opened
    opened.close()


@dataclass(frozen=True)
class Dashboard:
    """A running dashboard. address: without a slash at its end; cache: its own `FLIPSIDE_CACHE`."""

    address: str
    cache: Path
    log: Path


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory, _imported_once: Path) -> Iterator[Callable[..., Dashboard]]:
    """Start `streamlit run app.py` on a free loopback port with the environment given.

    Without a `FLIPSIDE_CACHE` of its own a dashboard has what ships imported already; the first launch on an empty
    cache is `test_front_door.py`'s.
    """
    running: list[subprocess.Popen[bytes]] = []

    def start(**environment: str) -> Dashboard:
        folder = tmp_path_factory.mktemp("dashboard")
        if "FLIPSIDE_CACHE" not in environment:
            shutil.copytree(_imported_once, folder / "cache")
        port, log = free_port(), folder / "log.txt"
        with log.open("wb") as output:
            command = [
                sys.executable, "-m", "streamlit", "run", "app.py", "--server.address=127.0.0.1",
                f"--server.port={port}", "--server.headless=true",
            ]  # fmt: skip
            env = {**os.environ, "FLIPSIDE_CACHE": str(folder / "cache"), **environment}
            running.append(subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT))
        address = f"http://127.0.0.1:{port}"
        wait_until_healthy(address, running[-1], log)
        return Dashboard(address, folder / "cache", log)

    yield start
    for process in running:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def shipped(serve: Callable[..., Dashboard]) -> Dashboard:
    """The dashboard as it is on a fresh machine, with what ships; for tests that leave nothing behind on it."""
    return serve()


@pytest.fixture(scope="session")
def small(serve: Callable[..., Dashboard], tmp_path_factory: pytest.TempPathFactory) -> Dashboard:
    """A dashboard on the made-up results of `tests/pages/results.py`, as the benchmark `small`, with two models to ask.

    Tests may leave notes and tags on items, each on items of its own, but no runs and no benchmarks.
    """
    folder = tmp_path_factory.mktemp("small")
    results.write(folder)
    return replace(serve(FLIPSIDE_CACHE=str(folder), FLIPSIDE_LIVE_MODELS="fake:ok fake:constant"), cache=folder)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        assert process.poll() is None, f"streamlit ended at once:\n{log.read_text()[-3000:]}"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:  # noqa: S310 - loopback
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"no answer from {address} within {SECONDS_TO_START} s:\n{log.read_text()[-3000:]}")


#: Somebody who visits: width in pixels and colour scheme of a browser of their own.
Visit = Callable[..., Page]


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visit]:
    """Open browsers that share nothing, `visitor(width=1440, scheme="light")`. The test fails where any console had an
    error or Streamlit showed a traceback."""
    opened: list[Page] = []
    faults: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(part in message.location.get("url", "") for part in HARMLESS):
            faults.append(f"console: {message.text}")

    def visit(width: int = 1440, scheme: Literal["light", "dark"] = "light", **more: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme, **more)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", heard)
        page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
        opened.append(page)
        return page

    yield visit
    for page in opened:
        if page.locator("[data-testid=stException]").count():
            faults.append(page.locator("[data-testid=stException]").first.inner_text())
        page.context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(visitor: Visit) -> Page:
    """A fresh page, 1440 pixels wide, in light."""
    return visitor()
