"""Pictures decoded, and made into the model's own pixels, in worker processes: `FLIPSIDE_DECODE=processes:N`.

Threads decode while the model computes (decode.py), but what comes after the decoder, resizing and normalising, is the
model's own code and runs where the model is asked, so a GPU waits for it. Processes do all of it by the same function,
`Model.preparer`, so the pixels are the same to the bit. A process takes seconds to start and holds the libraries, some
300 MB: it pays on a GPU, or where pictures are large. Nothing of it is used unless it is asked for.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from PIL import Image

from backend.errors import UsageError
from backend.items import ImageRef

VARIABLE = "FLIPSIDE_DECODE"
#: From a picture to what the model is given in its place.
Prepare = Callable[[Image.Image], Any]
#: What a process does with one picture: decode it, and prepare it where there is something to prepare it by.
Work = Callable[[ImageRef, Prepare | None], Any]

_prepare: Prepare | None = None


def asked_for() -> int:
    """How many processes are asked for; 0 for threads. UsageError where the variable says something else.

    >>> asked_for()
    0
    """
    said = os.environ.get(VARIABLE, "threads")
    how, _, number = said.partition(":")
    if how == "threads" and not number:
        return 0
    if how != "processes" or (number and not (number.isdecimal() and 0 < int(number) <= 256)):
        raise UsageError(f"{VARIABLE}={said}: expected threads, processes or processes:N, N from 1 to 256.")
    return int(number) if number else max(1, (os.cpu_count() or 2) - 1)


class Processes:
    """A pool of processes that is asked like one of threads."""

    def __init__(self, workers: int, work: Work, prepare: Prepare | None) -> None:
        """work: a function of a module. prepare: of the model; None where it takes pictures as they are."""
        self._work = work
        self._pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(prepare, os.getpid())
        )
        with suppress(BrokenProcessPool):
            for _ in range(workers):  # the pool would start another one only when there is more to do, each for seconds
                self._pool.submit(_ready)

    def submit(self, ref: ImageRef) -> Future[Any]:
        """One picture, a `decode.Decoded`."""
        try:
            return self._pool.submit(_do, self._work, ref)
        except BrokenProcessPool as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def close(self) -> None:
        """Stop the processes; pictures that nobody waits for are not decoded."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin(prepare: Prepare | None, parent: int) -> None:
    """What each process does first. Ctrl-C is the parent's affair; and where the parent was killed, nobody would ever
    tell this process to end."""
    global _prepare
    _prepare = prepare
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if prepare is not None:
        import torch

        torch.set_num_threads(1)  # as many processes as cores: more threads wait for one another


def _ready() -> None:
    """Nothing: a process that has begun."""


def _do(work: Work, ref: ImageRef) -> Any:
    """One picture, in a process that has begun."""
    return work(ref, _prepare)
