"""One line on standard error that says what a verb is doing, once that has taken a while and nothing else shows it."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from backend import environment

#: Seconds after which a wait is told.
AFTER = 2.0
#: What the dashboard sets for its jobs, whose progress is JSON lines (progress.py).
VARIABLE = "FLIPSIDE_PROGRESS"


class _Wait:
    """Tells its title after AFTER seconds, unless it has ended by then."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._lock = threading.Lock()
        self._timer = threading.Timer(AFTER, self._tell)
        self._timer.daemon = True
        self._timer.start()

    def _tell(self) -> None:
        with self._lock:  # `end` returns only when the line is written, or never will be
            if self._timer.finished.is_set():
                return
            sys.stderr.write(f"{self.title} …\n")
            sys.stderr.flush()

    def end(self) -> None:
        """Say nothing from here on."""
        with self._lock:
            self._timer.cancel()


#: The wait that a whole verb is, as long as nothing in it says what it is.
_verb: list[_Wait] = []


@contextmanager
def waiting(title: str, *, quiet: bool = False) -> Iterator[None]:
    """Tell `title` where the block takes longer than AFTER seconds. quiet: something else shows it, or nothing shall;
    the verb's own line is not needed, then, either."""
    while _verb:
        _verb.pop().end()
    wait = None if quiet or environment.said(VARIABLE) == "json" else _Wait(title)
    try:
        yield
    finally:
        if wait is not None:
            wait.end()


@contextmanager
def at_work(words: list[str]) -> Iterator[None]:
    """The same for a verb, from before its modules are imported until the first `waiting` in it. With --json nothing
    is told."""
    if not words or words[0].startswith("-") or "--json" in words or environment.said(VARIABLE) == "json":
        yield
        return
    wait = _Wait(f"{words[0]}: at work")
    _verb.append(wait)
    try:
        yield
    finally:
        wait.end()
        _verb.clear()
