"""What a server gives up when it is stopped, and how its process ends then.

SIGTERM ends a process by that signal once its server has shut down, and what was registered for Python's own end never
runs; so what has to go goes here. After Ctrl-C Python would take itself apart: extensions (DuckDB's) print pages of
what has leaked, and a thread that is importing a library at that moment can end it all with SIGABRT. So the process of
a server ends by itself (`leave`) once everything that was registered for the end has run.
"""

import asyncio
import atexit
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Final

from pages.shared.server import warm

#: Modules with a `close`, which comes back at once: of what waits for a first visitor, of processes that work ahead.
CLOSED: Final = ("pages.overview.first_picture", "backend.live.working_ahead")
FINISHING: Final = "Finishing what was begun with the results; Ctrl-C again stops at once."
#: So long nothing is said about that (seconds).
PATIENCE: Final = 0.5
#: The exit code after Ctrl-C, as of every other verb.
INTERRUPTED: Final = 130


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """For `st.App(lifespan=…)`."""
    with closing_of_terminal_is_told(), interrupts_are_told() as interrupted:
        yield
        give_up()
        if interrupted():
            tell_of_jobs()
            await asyncio.to_thread(finish)
        else:  # a signal is going to end the process on the spot
            abandon()


def finish() -> None:
    """Wait for what may not be left in the middle; said where it takes longer. Where nobody waited here Python itself
    would, and a second Ctrl-C would print a traceback."""
    begun = warm.at_work()
    for thread in begun:
        thread.join(PATIENCE / len(begun))
    if any(thread.is_alive() for thread in begun):
        sys.stderr.write(f"  {FINISHING}\n")
        for thread in begun:
            thread.join()


def tell_of_jobs() -> None:
    """Say which jobs run on without the dashboard, and how they are stopped. Where no page was opened, they may have
    been started by another dashboard, or an earlier one."""
    from backend.live.jobs import left

    if said := left.said():
        sys.stderr.write(f"  {said}\n")


def abandon() -> None:
    """Leave nothing of what is being imported: the next process would have to sweep it away."""
    generations = sys.modules.get("backend.store.build.generations")
    if generations is not None:
        generations.abandon()


def give_up() -> None:
    """Stop what is at work for the server. Nobody has opened Teach where it was never imported, or is being."""
    warm.close()
    for name in CLOSED:
        module = sys.modules.get(name)
        if module is not None:
            module.close()
    shared = getattr(sys.modules.get("backend.live.teaching.asking"), "shared", None)
    if shared is not None:
        shared().close()


@contextmanager
def interrupts_are_told() -> Iterator[Callable[[], bool]]:
    """Where a server answers Ctrl-C, its process ends after it by `leave`; at a second one, while it shuts down, on the
    spot. What the block gets says whether Ctrl-C was pressed. Anywhere else (a test's event loop, say) nothing changes.
    """
    pressed: list[int] = []
    answer = signal.getsignal(signal.SIGINT)
    # uvicorn's own: a method of its server. It puts back what was there before once this block is over.
    if not callable(answer) or not type(getattr(answer, "__self__", None)).__module__.startswith("uvicorn"):
        yield lambda: False
        return

    def told(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            abandon()
            os._exit(INTERRUPTED)
        atexit.register(leave)
        answer(number, frame)

    signal.signal(signal.SIGINT, told)
    yield lambda: bool(pressed)


def leave() -> None:
    """The last of what Python runs at its end: everything else that was registered for it, then the process is over."""
    atexit.unregister(leave)
    give_up()
    atexit._run_exitfuncs()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(INTERRUPTED)


@contextmanager
def closing_of_terminal_is_told() -> Iterator[None]:
    """A terminal that is closed under a server stops it as SIGTERM does. By itself SIGHUP ends a process on the spot,
    with everything lying about; where it is ignored, as under nohup, it stays so."""
    number = getattr(signal, "SIGHUP", None)  # Windows has none
    if (
        number is None
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(number) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(number, lambda *_: signal.raise_signal(signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(number, signal.SIG_DFL)
