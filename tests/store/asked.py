"""Choices that three systems were asked in one order or in two: runs of the benchmark of `tests.store.writer`."""

from collections.abc import Sequence
from pathlib import Path

from backend.items import Item
from tests.store import writer

TWICE, HALF, ONCE = "predictions:twice", "predictions:half", "predictions:once"
#: How many choices there are, and how many of them HALF was asked in two orders as TWICE was.
N, ALIKE = 40, 24
#: Whether the truth won in the first order and in the second (0.5: no caption was chosen), over and over: right; the
#: truth in one order, a foil in the other; a foil and no caption; a foil in both.
OF_TWICE = [(1.0, 1.0), (1.0, 0.0), (0.0, 0.5), (0.0, 0.0)]
OF_HALF = [(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (0.0, 0.0)]


def items() -> list[Item]:
    return writer.items(N)


def write(root: Path) -> None:
    """TWICE: two orders of all choices; HALF: the second order of the first ALIKE alone; ONCE: a single answer each,
    all right but every fourth."""
    numbers = [number for number, item in enumerate(items()) if item.protocol == "choice"]
    for run_id, model, won, asked in (("1" * 16, TWICE, OF_TWICE, N), ("2" * 16, HALF, OF_HALF, ALIKE)):
        folder = writer.write_run(root, items(), run_id, [], model=model)
        both = [won[k % len(won)] for k in range(N)]
        first, second = [a for a, _ in both], [b if k < asked else None for k, (_, b) in enumerate(both)]
        merged = [a if b is None else (a + b) / 2 for a, b in zip(first, second, strict=True)]
        for part, shares in (("verdict", merged), ("verdict@ab", first), ("verdict@ba", second)):
            writer.add_part(folder, part, _contests(numbers, shares))
    folder = writer.write_run(root, items(), "3" * 16, [], model=ONCE)
    writer.add_part(folder, "verdict", _contests(numbers, [float(k % 4 != 3) for k in range(N)]))


def _contests(numbers: Sequence[int], shares: Sequence[float | None]) -> list[tuple[object, ...]]:
    every = items()
    return [
        (number, 0, 0, text, -1, share, -1)
        for number, share in zip(numbers, shares, strict=True)
        if share is not None
        for text in range(1, len(every[number].texts))
    ]
