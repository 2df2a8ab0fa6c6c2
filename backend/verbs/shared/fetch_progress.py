"""The bytes of a fetch as they come, on standard error: a bar on a terminal, now and then a line elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from backend import environment
from backend.benchmarks.fetching.fetch import Tick
from backend.benchmarks.fetching.table import SourceFile
from backend.engine.reporting.progress import INTERVAL, JSON_INTERVAL, VARIABLE, tell
from backend.verbs.shared.output import note


@contextmanager
def receiving(*, quiet: bool = False) -> Iterator[Tick | None]:
    """A callback for `fetch(tick=…)`: file, bytes so far, bytes in all or None; None where nothing is to be told."""
    console = Console(stderr=True)
    if environment.said(VARIABLE) == "json":
        yield _NowAndThen(JSON_INTERVAL, lambda f, done, total, seconds: tell(f.path, done, total, seconds, "bytes"))
    elif quiet:
        yield None
    elif console.is_terminal:
        with _bar(console) as bar:
            tasks: dict[str, TaskID] = {}

            def draw(file: SourceFile, done: int, total: int | None) -> None:
                if file.path not in tasks:
                    tasks[file.path] = bar.add_task(file.path, total=total, completed=done)
                bar.update(tasks[file.path], total=total, completed=done)

            yield draw
    else:
        yield _NowAndThen(INTERVAL, lambda f, done, total, _: note(line(f.path, done, total)))


def line(path: str, done: int, total: int | None) -> str:
    """One report in words.

    >>> line("add_att.json", 500_000, 2_000_000)
    'add_att.json: 500.0 kB of 2.0 MB'
    """
    return f"{path}: {decimal(done)}" + (f" of {decimal(total)}" if total is not None else "")


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)


class _NowAndThen:
    def __init__(self, every: float, say: Callable[[SourceFile, int, int | None, float], None]) -> None:
        self.every, self.say = every, say
        self.begun = self.last = time.monotonic()

    def __call__(self, file: SourceFile, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self.last >= self.every:
            self.last = now
            self.say(file, done, total, now - self.begun)
