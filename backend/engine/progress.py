"""A run's progress on standard error: a bar with rate and time left on a terminal, now and then a line elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from backend.engine.summary import Progress

#: Seconds between two lines where standard error is no terminal.
INTERVAL = 30.0


@contextmanager
def shown(title: str, *, quiet: bool = False, console: Console | None = None) -> Iterator[Callable[[Progress], None]]:
    """A callback for `run(progress=…)` that draws; quiet: one that does not."""
    console = console or Console(stderr=True)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task(title, total=None, rate="")
            yield lambda p: bar.update(task, completed=p.done, total=p.total, rate=f"{rate(p):,.0f} scores/s")
    else:
        yield _Lines(title, console)


def _bar(console: Console) -> Bar:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    return Bar(*columns, TimeRemainingColumn(), console=console, transient=True)


class _Lines:
    """A line at most every INTERVAL seconds: what a log file can bear."""

    def __init__(self, title: str, console: Console) -> None:
        self.title, self.console = title, console
        self.last = time.monotonic()

    def __call__(self, report: Progress) -> None:
        now = time.monotonic()
        if now - self.last >= INTERVAL:
            self.last = now
            self.console.print(line(self.title, report), highlight=False, soft_wrap=True)


def rate(report: Progress) -> float:
    """Scores a second so far in this session."""
    return report.done / report.seconds if report.seconds > 0 else 0.0


def line(title: str, report: Progress) -> str:
    """One report in words.

    >>> line("bundled:clip on world", Progress(250, 1000, 10.0))
    'bundled:clip on world: 250 of 1,000 scores, 25 a second, 30 s left'
    """
    speed = rate(report)
    left = f", {(report.total - report.done) / speed:,.0f} s left" if speed else ""
    return f"{title}: {report.done:,} of {report.total:,} scores, {speed:,.0f} a second{left}"
