"""From starting a server to Overview's heat map in a Chromium that is open already: `python -m bench.starts`.

Starts on an empty cache and later ones, in turns with a Streamlit page of one line, which is what bounds them. Twice:
to the first heat map, which is that of last time (pages/overview/first_picture.py), and to the page's own.
"""

import argparse
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser

from bench import plain
from bench.promises import Promise, say
from scripts.dashboard import ROOT, browsing

#: What is promised, in seconds, and in MB of a server in which nothing is scored.
EMPTY, LATER, MEMORY = 3.0, 2.0, 400.0
#: What a page of one line takes on the machine of which that is read to be said (see bench/interaction.py), seconds.
USUAL = 1.4
#: A page of one line that shows a table, as the heat map is one.
PLAIN = 'import streamlit as st\nst.html(\'<table id="heat"><tr><td><a class="rate">1</a></td></tr></table>\')\n'
_FIRST = "#heat .rate"
_OWN = """() => document.querySelector(".fs-scale") && !document.querySelector(".st-key-overview-first")"""
#: Seconds after which a server has imported what the other pages need.
_WARM = 12.0


def port() -> int:
    """A free one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(browser: Browser, folder: Path, cache: Path, *, plain: bool = False, idle: bool = False) -> dict[str, float]:
    """One start of the application in a folder: seconds until the first table and until the page's own, CPU seconds of
    the server then, and its memory in MB; idle: once it has imported everything."""
    at, began = port(), time.perf_counter()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(at),
               "--server.address", "localhost", "--server.headless", "true"]  # fmt: skip
    server = subprocess.Popen(
        command, cwd=folder, env={**os.environ, "FLIPSIDE_CACHE": str(cache)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        while server.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", at), 0.2):
                break
            time.sleep(0.01)
        page.goto(f"http://localhost:{at}/")
        page.wait_for_selector(_FIRST, timeout=120_000)
        found = {"first": time.perf_counter() - began}
        if not plain:
            page.wait_for_function(_OWN, timeout=120_000)
        found |= {"own": time.perf_counter() - began, "cpu": _cpu(server.pid)}
        if idle:
            page.wait_for_timeout(1000 * _WARM)
        found["memory"] = _memory(server.pid)
        page.close()
        return found
    finally:
        server.terminate()
        server.wait(20)


def _cpu(pid: int) -> float:
    with contextlib.suppress(OSError):
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(float, ticks)) / os.sysconf("SC_CLK_TCK")
    return float("nan")


def _memory(pid: int) -> float:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
    return float("nan")


def main() -> None:
    """Start it all, in turns, and say the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    found: dict[str, list[dict[str, float]]] = {"plain": [], "empty": [], "later": []}
    with tempfile.TemporaryDirectory() as scratch, browsing() as browser:
        (one := Path(scratch) / "plain").mkdir()
        (one / "app.py").write_text(PLAIN)
        start(browser, ROOT, kept := Path(scratch) / "kept")  # what ships is there, as on every later start
        for k in range(rounds):
            found["plain"].append(start(browser, one, kept, plain=True))
            found["empty"].append(start(browser, ROOT, Path(scratch) / f"empty-{k}"))
            found["later"].append(start(browser, ROOT, kept))
        idle = start(browser, ROOT, kept, idle=True)["memory"]
    sys.stdout.write(
        "| start | first heat map, s | the page's own, s | CPU s of the server then | least of the first |\n"
    )
    sys.stdout.write("|---|---:|---:|---:|---:|\n")
    middle = {
        name: {of: statistics.median(each[of] for each in all_) for of in all_[0]} for name, all_ in found.items()
    }
    names = {"plain": plain.NAME, "empty": "on an empty cache", "later": "later ones"}
    for name, said in names.items():
        least = min(each["first"] for each in found[name])
        of = middle[name]
        sys.stdout.write(f"| {said} | {of['first']:.2f} | {of['own']:.2f} | {of['cpu']:.2f} | {least:.2f} |\n")
    by, usual = plain.NAME, USUAL
    bound = middle["plain"]["first"]
    say(
        Promise(
            "Start on an empty cache, to the first heat map",
            middle["empty"]["first"],
            EMPTY,
            "s",
            False,
            bound,
            by,
            usual,
        ),
        Promise("Later starts, to the first heat map", middle["later"]["first"], LATER, "s", False, bound, by, usual),
        Promise("Start on an empty cache, to the page itself", middle["empty"]["own"], None, "s", False, bound, by),
        Promise("Later starts, to the page itself", middle["later"]["own"], None, "s", False, bound, by),
        Promise(
            "Memory of a server that has loaded no model", idle, MEMORY, "MB", False, middle["plain"]["memory"], by
        ),
    )


if __name__ == "__main__":
    main()
