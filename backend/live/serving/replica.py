"""What Ray Serve runs: a process that holds models, and joins what it is asked by Serve's dynamic batches."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from backend.live.remote.wire import BrokenError
from backend.live.scoring.joining import Answers, Call
from backend.live.serving.service import OK, Reply, Service

#: Calls of one batch at most, and seconds that the first of them waits for others.
AT_ONCE, WAIT = 32, 0.004
#: Questions that wait in a replica at most, before Serve lets others wait outside.
ONGOING: Final = 256
Line = Callable[[Call], Awaitable[tuple[Answers, str]]]


class Replica:
    """One process of Ray Serve.

    offered, limit, memory: as for `Service`. threads: processors that torch may use, 0 for its own choice.
    """

    def __init__(self, offered: Sequence[str], limit: int, memory: int | None = None, threads: int = 0) -> None:
        self.service = Service(offered, limit, memory)
        self._threads = threads or _processors()
        self._started = False
        self._lines: dict[tuple[str, str, str], Line] = {}

    async def ask(self, data: bytes) -> Reply:
        """The reply to a question."""
        try:
            question = await asyncio.to_thread(self._read, data)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            return self.service.failed(error)
        found, loaded = await self._line(question.spec, question.call)(question.call)
        return await asyncio.to_thread(self.service.written, question, found, loaded)

    async def open(self, data: bytes) -> Reply:
        """Load a model: what it gives."""
        return await asyncio.to_thread(self._opened, data)

    async def state(self) -> Reply:
        """What is offered and loaded."""
        return OK, json.dumps(await asyncio.to_thread(self.service.state)).encode()

    def _read(self, data: bytes) -> Any:
        self._start()
        if not data:
            raise BrokenError("it is empty")
        return self.service.read(data)

    def _opened(self, data: bytes) -> Reply:
        self._start()
        return self.service.opened(data)

    def _start(self) -> None:
        """Ray gives a process one thread unless told otherwise; scores shall be those of a process without Ray."""
        if not self._started:
            import torch

            torch.set_num_threads(self._threads)
            self._started = True

    def _line(self, spec: str, call: Call) -> Line:
        """What joins the calls to one model that have the same form; one for each, for all time."""
        key = (spec, *call.what)
        if key not in self._lines:
            self._lines[key] = self._new_line(spec)
        return self._lines[key]

    def _new_line(self, spec: str) -> Line:
        from ray import serve

        @serve.batch(max_batch_size=AT_ONCE, batch_wait_timeout_s=WAIT)
        async def together(calls: list[Call]) -> list[tuple[Answers, str]]:
            return await asyncio.to_thread(self.service.answers, spec, calls)

        return together


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
