"""Progress of a pass over files whose number of records nobody knows beforehand: a count, on standard error."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console

from backend import environment
from backend.engine.reporting.progress import INTERVAL, JSON_INTERVAL, VARIABLE, tell
from backend.engine.reporting.waiting import waiting
from backend.verbs.shared.output import note


@contextmanager
def scanning(title: str, *, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """A callback for each record that was read; quiet: one that tells nothing."""
    begun = last = time.monotonic()
    seen = 0
    console = Console(stderr=True)
    as_json = environment.said(VARIABLE) == "json"
    every = JSON_INTERVAL if as_json else 0.2 if console.is_terminal else INTERVAL
    status = console.status(title) if console.is_terminal and not (quiet or as_json) else None

    def tick() -> None:
        nonlocal seen, last
        seen += 1
        if seen % 256 or time.monotonic() - last < every:
            return
        last = time.monotonic()
        if as_json:
            tell(title, seen, None, last - begun, "records")
        elif status is not None:
            status.update(f"{title}: {seen:,} records")
        elif not quiet:
            note(f"{title}: {seen:,} records, {seen / (last - begun):,.0f} a second")

    with waiting(title, quiet=quiet or status is not None), status or nullcontext():
        yield tick
