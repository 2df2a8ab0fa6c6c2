"""A pytest plugin that writes what each test costs: `python -m pytest -p scripts.costs -n 2 -m "not browser"`.

A line for each test in `$FLIPSIDE_COSTS` (default `.out/costs.tsv`): its id, its CPU seconds with those of the
processes it started and of the servers and browser it used, and its seconds on the clock; set-up and teardown are in
both. What a fixture of a session or module costs is in the first test that asks for it. CPU seconds tell slow tests
from quick ones on a busy machine, too, though there they are up to about twice as many.
"""

import contextlib
import os
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

PATH = Path(os.environ.get("FLIPSIDE_COSTS", ".out/costs.tsv"))


def _cpu() -> float:
    """CPU seconds of this process, of what it waited for, and of what still runs below it, a server or a browser."""
    total = sum(os.times()[:4])
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has ended since
            total += sum(process.cpu_times()[:4])
    return total


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Time a test from before its first fixture to after its last."""
    cpu, clock = _cpu(), time.monotonic()
    answer = yield
    PATH.parent.mkdir(parents=True, exist_ok=True)
    with PATH.open("a", encoding="utf-8") as file:
        file.write(f"{item.nodeid}\t{_cpu() - cpu:.3f}\t{time.monotonic() - clock:.3f}\n")
    return answer
