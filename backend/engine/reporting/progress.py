"""Progress on standard error: a bar with rate and time left on a terminal, now and then a line elsewhere, and JSON
lines for the dashboard, which asks for them with FLIPSIDE_PROGRESS=json."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from backend import environment
from backend.engine.reporting.summary import Progress
from backend.engine.reporting.waiting import VARIABLE as VARIABLE
from backend.engine.reporting.waiting import waiting

#: Seconds between two lines where standard error is no terminal.
INTERVAL = 30.0
#: With FLIPSIDE_PROGRESS=json: one line of JSON a second at most, also where nothing else would be shown.
JSON_INTERVAL = 1.0


@contextmanager
def shown(title: str, *, quiet: bool = False, console: Console | None = None) -> Iterator[Callable[[Progress], None]]:
    """A callback for `run(progress=…)` that draws; quiet: one that does not."""
    console = console or Console(stderr=True)
    if environment.said(VARIABLE) == "json":
        with waiting(title, quiet=True):
            yield _Documents(title)
    elif quiet:
        with waiting(title, quiet=True):
            yield lambda _: None
    elif console.is_terminal:
        with waiting(title, quiet=True), _bar(console) as bar:
            task = bar.add_task(title, total=None, rate="")
            yield lambda p: bar.update(task, completed=p.done, total=p.total, rate=f"{rate(p):,.0f} scores/s")
    else:
        with waiting(title):
            yield _Lines(title, console)


def _bar(console: Console) -> Bar:
    title, speed = (TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[rate]}"))
    return Bar(title, BarColumn(), MofNCompleteColumn(), speed, TimeRemainingColumn(), console=console, transient=True)


class _Lines:
    """A line at most every INTERVAL seconds: what a log file can bear."""

    def __init__(self, title: str, console: Console) -> None:
        self.title, self.console = title, console
        self.last = time.monotonic()

    def __call__(self, report: Progress) -> None:
        now = time.monotonic()
        if now - self.last >= INTERVAL:
            self.last = now
            said = line(self.title, report)  # names of benchmarks, in which :cat: and [x] mean nothing else
            self.console.print(said, highlight=False, soft_wrap=True, markup=False, emoji=False)


class _Documents:
    """`{"progress": {"title", "done", "total", "seconds", "unit"}}`, at most one every JSON_INTERVAL and the last."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.last = -JSON_INTERVAL

    def __call__(self, report: Progress) -> None:
        now = time.monotonic()
        if now - self.last >= JSON_INTERVAL or report.done >= report.total:
            self.last = now
            tell(self.title, report.done, report.total, report.seconds, "scores")


def tell(title: str, done: int, total: int | None, seconds: float, unit: str) -> None:
    """One JSON line of progress for whoever started this verb; for verbs that count something else than scores."""
    said = {"title": title, "done": done, "total": total, "seconds": round(seconds, 1), "unit": unit}
    sys.stderr.write(json.dumps({"progress": said}, ensure_ascii=False) + "\n")
    sys.stderr.flush()


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
