"""Calls of a model that survive what can be survived: out of memory is tried again in halves, a failure is located."""

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from backend.errors import FlipsideError

Result = TypeVar("Result")


class CallError(Exception):
    """A model call failed on one input, the one at `index`; `__cause__` is what it raised."""

    def __init__(self, index: int, cause: BaseException) -> None:
        super().__init__(str(cause) if isinstance(cause, FlipsideError) else f"{type(cause).__name__}: {cause}")
        self.index = index


class Guard:
    """Calls in parts that fit. After out-of-memory the parts of that name stay half as large.

    limits: name -> the most inputs that one call of this name takes. most: the same for every name that has no limit
    of its own yet.
    """

    def __init__(self, most: int | None = None) -> None:
        self.limits: dict[str, int] = {}
        self.most = most

    def __call__(self, name: str, work: Callable[[Sequence[int]], Sequence[Result]], n: int) -> list[Result]:
        """`work(indices)` for 0 … n-1, in as few parts as possible; results in order.

        Any exception is narrowed down by halving to the first single input that raises it, and then raised as
        CallError: so that an error names an item, not a batch. An error with a true `whole_call` (a server that is
        down) would be raised for any input, and is not narrowed down.
        """
        out: list[Result] = []
        start = 0
        while start < n:
            stop = min(n, start + self.limits.get(name, self.most or n))
            out += self._solve(name, work, start, stop)
            start = stop
        return out

    def _solve(
        self, name: str, work: Callable[[Sequence[int]], Sequence[Result]], start: int, stop: int
    ) -> list[Result]:
        try:
            found = list(work(range(start, stop)))
        except Exception as error:
            if stop - start == 1 or getattr(error, "whole_call", False):
                raise CallError(start, error) from error
            full = out_of_memory(error)
        else:
            if len(found) != stop - start:
                raise CallError(start, ValueError(f"{len(found)} results for {stop - start} inputs"))
            return found
        middle = (start + stop) // 2
        if full:
            self.limits[name] = middle - start
            free_memory()
        return self._solve(name, work, start, middle) + self._solve(name, work, middle, stop)


def out_of_memory(error: BaseException) -> bool:
    """Whether a device or the machine had no memory left, by what the libraries say (torch is not imported)."""
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or (isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text))
    )


def free_memory() -> None:
    """Give back what the failed call held."""
    gc.collect()
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
