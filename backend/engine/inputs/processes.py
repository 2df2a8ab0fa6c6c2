"""Pictures decoded, and made into the model's own pixels, in worker processes: `FLIPSIDE_DECODE=processes:N`.

Threads decode while the model computes (decoder.py), but what comes after the decoder, resizing and normalising, is the
model's own code and runs where the model is asked, so a GPU waits for it. Processes do all of it by the same function,
`Model.preparer`, so the pixels are the same to the bit. Where a tokenizer is slow, they also cut the texts
(`Model.text_preparer`). A process takes seconds to start and holds the libraries, some
300 MB: it pays on a GPU, or where pictures are large. Nothing of it is used unless it is asked for.

Each process reads what it is given (`Tools`) from a file: through the pipe that starts a process, which is soon full,
the asking process would wait until the new one has imported torch, and start the next one only then.
"""

import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend import environment
from backend.engine.inputs import handed_over
from backend.engine.inputs.slots import Slot, Slots
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


#: What a process does with one picture: decode it, and prepare it where there is something to prepare it by. Slot:
#: where its pixels may be written.
Work = Callable[[ImageRef, Slot | None, Tools], Any]

_tools = Tools()


def asked_for(otherwise: int = 0) -> int:
    """How many processes are asked for; 0 for threads. otherwise: so many where no number is said, 0 for one for each
    processor but one. UsageError where the variable says something else.

    >>> asked_for()
    0
    """
    said = environment.said(VARIABLE) or "threads"
    how, colon, number = said.partition(":")
    if how == "threads" and not colon:
        return 0
    if how != "processes" or (colon and not (number.isdecimal() and 0 < int(number) <= 256)):
        raise environment.wrong(VARIABLE, said, "threads, processes or processes:N, N from 1 to 256")
    return int(number) if number else otherwise or max(1, (os.cpu_count() or 2) - 1)


class Processes:
    """A pool of processes that is asked like one of threads."""

    def __init__(self, workers: int, work: Work, prepare: Prepare | None, cut: Cut | None = None) -> None:
        """work: a function of a module. prepare, cut: of the model; None where it takes pictures, texts as they are."""
        self._work, self.workers = work, workers
        self.cuts = cut is not None
        self._place = handed_over.folder()
        self.slots: Slots | None = None
        self._tools = _kept(Tools(prepare, cut, self._place))
        self._pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_begin,
            initargs=(self._tools, self._place, os.getpid()),
        )  # fmt: skip
        with suppress(BrokenProcessPool), _deaf():
            for _ in range(workers):  # the pool would start another one only when there is more to do, each for seconds
                self._pool.submit(_ready)

    def all_there(self) -> None:
        """Wait until every process has begun, for who measures what they do."""
        seen: set[int] = set()
        while len(seen) < self.workers:
            seen |= {one.result() for one in [self._submitted(_who) for _ in range(2 * self.workers)]}

    def submit(self, refs: Sequence[ImageRef], slots: Sequence[Slot | None] = ()) -> Future[list[Any]]:
        """Some pictures: what `work` makes of each. slots: where their pixels may be written, one each."""
        return self._submitted(_do, self._work, list(refs), list(slots) or [None] * len(refs))

    def sized(self, n_bytes: int, number: int) -> None:
        """Memory for so many pictures of so many bytes, from now on."""
        if self.slots is None and self._place is not None:
            with suppress(OSError):
                self.slots = Slots(self._place, n_bytes, number)

    def begin_to_cut(self, texts: Sequence[str]) -> list[tuple[Future[NDArray[np.int64]], int]]:
        """Rows of tokens, (n, width), TEXTS at a time: what will hold them, and their number; none where the model has
        nothing to make them by."""
        if not self.cuts:
            return []
        parts = [list(texts[at : at + TEXTS]) for at in range(0, len(texts), TEXTS)]
        return [(self._submitted(_cut, part), len(part)) for part in parts]

    def _submitted(self, work: Callable[..., Any], *what: Any) -> Future[Any]:
        try:
            return self._pool.submit(work, *what)
        except BrokenProcessPool as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def close(self) -> None:
        """Stop the processes; pictures that nobody waits for are not decoded. One that is still importing would be
        waited for at Python's end."""
        begun = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in begun:
            with suppress(OSError, ValueError):
                process.terminate()
        handed_over.remove(self._place)
        self._tools.unlink(missing_ok=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started meanwhile never hear of Ctrl-C, which reaches all of a terminal's: they would print a
    traceback each before they know that it is not theirs (`_begin`)."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kept(tools: Tools) -> Path:
    """A file that holds them, for `_begin`: in shared memory where there is room, else on disk."""
    told = pickle.dumps(tools)
    if tools.place is not None:
        with suppress(OSError):
            path = tools.place / "tools"
            path.write_bytes(told)
            return path
    handle, name = tempfile.mkstemp(prefix="flipside-tools-")
    with os.fdopen(handle, "wb") as file:
        file.write(told)
    return Path(name)


def _begin(kept: Path, place: Path | None, parent: int) -> None:
    """What each process does first. Ctrl-C is the parent's affair; and where the parent was killed, nobody would ever
    tell this process to end."""
    global _tools
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        handed_over.remove(place)
        kept.unlink(missing_ok=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    try:
        told = kept.read_bytes()
    except FileNotFoundError:
        os._exit(0)  # all is done already: the pool was closed while this process began
    _tools = pickle.loads(told)  # noqa: S301 - of the process that started this one, in a file that only its user reads
    if _tools.prepare is not None:
        import torch

        torch.set_num_threads(1)  # as many processes as cores: more threads wait for one another


def _ready() -> None:
    """Nothing: a process that has begun."""


def _who() -> int:
    """The process that answers, after a moment in which another one can take the next question."""
    time.sleep(0.02)
    return os.getpid()


def _do(work: Work, refs: Sequence[ImageRef], slots: Sequence[Slot | None]) -> list[Any]:
    """Some pictures, in a process that has begun."""
    return [work(ref, slot, _tools) for ref, slot in zip(refs, slots, strict=True)]


def _cut(texts: Sequence[str]) -> NDArray[np.int64]:
    """A few texts, in a process that has begun."""
    if _tools.cut is None:
        raise TypeError("this process was given nothing to cut texts by")
    return _tools.cut(texts)
