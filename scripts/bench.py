"""`make bench`: the times that the project promises, measured here, as a Markdown table on standard output."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scripts.dashboard import ROOT, browsing, serving, settle

Measured = tuple[str, float, str]


def seconds(work: Callable[[], object]) -> float:
    """How long the call takes, once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def flipside(cache: str, *arguments: str) -> None:
    """One command in a process of its own; raises where it fails."""
    environment = {**os.environ, "FLIPSIDE_CACHE": cache}
    command = [sys.executable, "-m", "backend", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def commands(cache: str) -> list[Measured]:
    """The command line: help, counting the world, the first report (which imports what ships) and a second one."""
    report = ("report", "--model", "bundled:clip", "--benchmark", "world", "--json")
    return [
        ("flipside --help", seconds(lambda: flipside(cache, "--help")), ""),
        ("import world (4,830 items, pictures not drawn)", seconds(lambda: flipside(cache, "import", "world")), ""),
        ("first report, shipped results imported", seconds(lambda: flipside(cache, *report)), "10 s"),
        ("second report", seconds(lambda: flipside(cache, *report)), ""),
    ]


def first_page() -> list[Measured]:
    """From `streamlit run` on an empty cache to the first page that has run to its end in a browser."""
    with tempfile.TemporaryDirectory() as cache, browsing() as browser:
        page = browser.new_page()
        start = time.perf_counter()
        with serving(Path(cache)) as address:
            page.goto(address)
            settle(page)
            cold = time.perf_counter() - start
            start = time.perf_counter()
            page.reload()
            settle(page)
            again = time.perf_counter() - start
    return [("first page after `streamlit run`, empty cache", cold, "5 s"), ("the same page again", again, "")]


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as cache:
        rows = [*commands(cache), *first_page()]
    print(f"{os.cpu_count()} cores, {platform.platform(terse=True)}, Python {platform.python_version()}\n")
    print("| what | seconds | promised |\n|---|---:|---:|")
    for what, took, promised in rows:
        print(f"| {what} | {took:.2f} | {promised} |")


if __name__ == "__main__":
    main()
