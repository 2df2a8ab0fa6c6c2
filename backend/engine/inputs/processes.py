"""Pictures decoded, and made into the model's own pixels, in worker processes: `FLIPSIDE_DECODE=processes:N`.

Threads decode while the model computes (decode.py), but what comes after the decoder, resizing and normalising, is the
model's own code and runs where the model is asked, so a GPU waits for it. Processes do all of it by the same function,
`Model.preparer`, so the pixels are the same to the bit. Where a tokenizer is slow, they also cut the texts
(`Model.text_preparer`). A process takes seconds to start and holds the libraries, some
300 MB: it pays on a GPU, or where pictures are large. Nothing of it is used unless it is asked for.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.engine.inputs import handed_over
from backend.errors import UsageError
from backend.items import ImageRef

VARIABLE = "FLIPSIDE_DECODE"
#: Texts that one process cuts at once.
TEXTS = 64
#: From a picture to what the model is given in its place.
Prepare = Callable[[Image.Image], Any]
#: From texts to the rows of tokens that the model is given in their place.
Cut = Callable[[Sequence[str]], NDArray[np.int64]]


@dataclass(frozen=True)
class Tools:
    """What each process is given: the model's `preparer` and `text_preparer`, and a folder for `handed_over.put`."""

    prepare: Prepare | None = None
    cut: Cut | None = None
    place: Path | None = None


#: What a process does with one picture: decode it, and prepare it where there is something to prepare it by.
Work = Callable[[ImageRef, Tools], Any]

_tools = Tools()


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

    def __init__(self, workers: int, work: Work, prepare: Prepare | None, cut: Cut | None = None) -> None:
        """work: a function of a module. prepare, cut: of the model; None where it takes pictures, texts as they are."""
        self._work = work
        self._tools = Tools(prepare, cut, handed_over.folder())
        self._pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self._tools, os.getpid())
        )
        with suppress(BrokenProcessPool):
            for _ in range(workers):  # the pool would start another one only when there is more to do, each for seconds
                self._pool.submit(_ready)

    def submit(self, ref: ImageRef) -> Future[Any]:
        """One picture: what `work` makes of it."""
        return self._submitted(_do, self._work, ref)

    def cut(self, texts: Sequence[str]) -> NDArray[np.int64] | None:
        """The texts as rows of tokens, (n, width), made by all processes; None where the model has nothing to make them
        by, where a process died, or where a text cannot be cut: then the model is asked, which says why."""
        if self._tools.cut is None:
            return None
        futures = [self._submitted(_cut, texts[at : at + TEXTS]) for at in range(0, len(texts), TEXTS)]
        try:
            return np.concatenate([future.result() for future in futures])
        except Exception:  # noqa: BLE001 - whatever a tokenizer raises, it raises again when the model is asked
            return None

    def _submitted(self, work: Callable[..., Any], *what: Any) -> Future[Any]:
        try:
            return self._pool.submit(work, *what)
        except BrokenProcessPool as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def close(self) -> None:
        """Stop the processes; pictures that nobody waits for are not decoded."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        handed_over.remove(self._tools.place)


def _begin(tools: Tools, parent: int) -> None:
    """What each process does first. Ctrl-C is the parent's affair; and where the parent was killed, nobody would ever
    tell this process to end."""
    global _tools
    _tools = tools
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        handed_over.remove(tools.place)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if tools.prepare is not None:
        import torch

        torch.set_num_threads(1)  # as many processes as cores: more threads wait for one another


def _ready() -> None:
    """Nothing: a process that has begun."""


def _do(work: Work, ref: ImageRef) -> Any:
    """One picture, in a process that has begun."""
    return work(ref, _tools)


def _cut(texts: Sequence[str]) -> NDArray[np.int64]:
    """A few texts, in a process that has begun."""
    if _tools.cut is None:
        raise TypeError("this process was given nothing to cut texts by")
    return _tools.cut(texts)
