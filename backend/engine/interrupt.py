"""Ctrl-C and SIGTERM: answered at once in words, and acted upon at a moment when they can do no harm."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: What is answered. The exit code is 130 for both: the work was stopped, and goes on when the command is given again.
SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: The exit code of a verb that was stopped.
STOPPED = 128 + signal.SIGINT
#: The exit code after SIGTERM where nothing goes on (`reading`).
ENDED = 128 + signal.SIGTERM
_KEPT = "What is committed is kept: run the same command again and it goes on from there."
AFTER_BATCH = f"stopping after this batch; Ctrl-C again stops at once. {_KEPT}"
AT_ONCE = f"stopping. {_KEPT}"
NOT_BEGUN = "stopping before anything has been scored; what earlier commands committed is kept."
BEGINS_ANEW = "stopping. What is written so far is not whole: the same command begins anew."
ONLY_READS = "stopping; it only reads, so nothing is changed."


class Stopping:
    """The handler of both signals while a verb is at work.

    The first signal is answered with one line. Inside `batch_by_batch` it is then only noted, so that the batch is
    finished and committed; elsewhere, and at the second signal, it raises KeyboardInterrupt, inside `uninterrupted`
    when that has ended.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.asked = self.held = self.batches = 0
        self.at_once, self.last = AT_ONCE, 0
        self.has_begun = False  # whether there have been batches

    def __call__(self, number: int, _: FrameType | None) -> None:
        self.asked += 1
        self.last = number
        if self.asked == 1:
            who = "" if number == signal.SIGINT else "asked to end by SIGTERM; "
            self.say(f"flipside: {who}{AFTER_BATCH if self.batches else self.at_once}")
        if not self.held:
            self.act()

    def act(self) -> None:
        """KeyboardInterrupt, unless a first request may wait for the end of a batch."""
        if self.asked > bool(self.batches):
            raise KeyboardInterrupt


@contextmanager
def answered() -> Iterator[None]:
    """Answer both signals as long as the block lasts. One that is ignored (by a shell, for work in the background)
    stays so; threads never see signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stopping = Stopping(_say)
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, stopping)
    try:
        with _in_a_query(stopping):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def batch_by_batch() -> Iterator[Callable[[], bool]]:
    """Work that ends by itself soon after it has been asked to: what the block gets says whether it has been.

    Where nobody answers signals (a notebook, say) it never has been, and Ctrl-C raises KeyboardInterrupt as ever.
    """
    stopping = _current()
    if stopping is None:
        yield lambda: False
        return
    stopping.batches += 1
    stopping.has_begun = True
    if stopping.at_once == NOT_BEGUN:
        stopping.at_once = AT_ONCE
    try:
        yield lambda: stopping.asked > 0
    finally:
        stopping.batches -= 1


def before_batches() -> None:
    """From now on, and until the first batch, there is nothing of this command that could be kept."""
    stopping = _current()
    if stopping is not None and not stopping.has_begun:
        stopping.at_once = NOT_BEGUN


@contextmanager
def beginning_anew() -> Iterator[None]:
    """Work of which nothing can be used before all of it is there."""
    stopping = _current()
    if stopping is None:
        yield
        return
    before, stopping.at_once = stopping.at_once, BEGINS_ANEW
    try:
        yield
    finally:
        stopping.at_once = before


@contextmanager
def reading() -> Iterator[None]:
    """Work that keeps nothing, so that the answer to a signal does not say that it would; SIGTERM exits with 143."""
    stopping = _current()
    if stopping is None:
        yield
        return
    before, stopping.at_once = stopping.at_once, ONLY_READS
    try:
        with _in_a_query(stopping):
            yield
    except KeyboardInterrupt:
        if stopping.last == signal.SIGTERM:
            raise SystemExit(ENDED) from None
        raise
    finally:
        stopping.at_once = before


@contextmanager
def _in_a_query(stopping: Stopping) -> Iterator[None]:
    """DuckDB drops what a signal's handler raises while a query is at work and raises an error of its own in its
    place: KeyboardInterrupt again."""
    try:
        yield
    except Exception as error:
        if stopping.asked and _of_a_signal(error):
            raise KeyboardInterrupt from error
        raise


def _of_a_signal(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, is what became of a handler's KeyboardInterrupt: itself, `RuntimeError(
    "Query interrupted")`, or DuckDB's InterruptException."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "InterruptException":
            return True
        if isinstance(error, RuntimeError) and "interrupted" in str(error):
            return True
        error = error.__cause__ or error.__context__  # a failed rollback hides what it rolls back
    return False


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended: rows are taken, and committed, wholly or not at all.

    Other threads than the main one never see Ctrl-C, so nothing is done there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stopping = _current()
    if stopping is not None:
        asked = stopping.asked
        stopping.held += 1
        try:
            yield
        finally:
            stopping.held -= 1
        if stopping.asked > asked and not stopping.held:
            stopping.act()
        return
    noted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if noted:
        raise KeyboardInterrupt


def _current() -> Stopping | None:
    """What answers signals now, seen from the main thread; None elsewhere, and where nothing does."""
    if threading.current_thread() is not threading.main_thread():
        return None
    handlers = (signal.getsignal(number) for number in SIGNALS)
    return next((handler for handler in handlers if isinstance(handler, Stopping)), None)


def _say(line: str) -> None:
    """Past Python's buffers, which may be in the middle of something else; on a terminal below `^C` or a bar."""
    try:
        handle = sys.__stderr__.fileno() if sys.__stderr__ is not None else 2
        start = "\n" if os.isatty(handle) else ""
        os.write(handle, f"{start}{line}\n".encode(errors="replace"))
    except (OSError, ValueError):
        pass  # nobody is listening
