"""Somebody's Parquet files: every one is read through here, under one budget.

A file of a kilobyte may unpack to gigabytes, and its metadata may lie. So the first look is taken by a process of its
own with bounded memory (`backend.parquet_look`), which counts rows, texts and bytes; what it passes is read here in
batches that are small for the widest row it has seen.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from backend import parquet_look
from backend.unpacking import MOST_TIMES

#: Bytes that a batch takes at most, unpacked, before Python makes objects of it.
_BATCH: Final = 16 << 20
#: Seconds of a look: 2 GB are read in some ten.
_PATIENCE: Final = 600


class ParquetError(ValueError):
    """What is wrong with a Parquet file. reason: the same without the file's name; mend: what to do, "" where it is to
    write or copy the file again."""

    def __init__(self, path: Path, reason: str, mend: str = "") -> None:
        super().__init__(f"{path.name[:80]} {reason}")
        self.reason, self.mend = reason, mend


@dataclass(frozen=True)
class Limits:
    """What one file may hold. total: bytes of all values, unpacked, or MOST_TIMES the file's size where that is more.
    text: bytes of one text or picture; row: of one row; stride: of 2,048 rows, which DuckDB holds at once."""

    rows: int = 100_000_000
    columns: int = 2000
    total: int = 2 << 30
    text: int = 1_000_000
    row: int = 64 << 20
    stride: int = 1 << 40


#: Tables of one's own and predictions.
TABLE: Final = Limits()
#: Tables with pictures inside.
PICTURES: Final = Limits(total=1 << 40, text=256 << 20, row=1 << 30)
#: Items of a bundle: lists of class names are long.
ITEMS: Final = Limits(rows=10_000_000, row=256 << 20, stride=512 << 20)
#: Shards of a bundle. A token is a piece of a word.
SHARD: Final = Limits(rows=4_000_000, text=10_000, row=4 << 20, stride=256 << 20)


@dataclass(frozen=True)
class Look:
    """What was counted in a file, in rows and bytes."""

    rows: int
    total: int
    widest: int
    longest: int


def look(files: Sequence[tuple[Path, Limits]]) -> list[Look]:
    """Count what files hold, in a process of its own. ParquetError for the first that holds too much, or
    is none."""
    said: list[dict[str, int | str]] = []
    if files:
        said = [json.loads(line) for line in _asked(files).splitlines()]
    found = []
    for number, (path, _) in enumerate(files):
        one = said[number] if number < len(said) else {"refused": _DIED}
        if "refused" in one:
            raise ParquetError(path, str(one["refused"]), str(one.get("mend", "")))
        found.append(Look(**{name: int(value) for name, value in one.items()}))
    return found


_DIED: Final = "takes more memory or time to read than any honest file of its size"


def _asked(files: Sequence[tuple[Path, Limits]]) -> str:
    asked = {"memory": parquet_look.MEMORY, "files": [(str(path.absolute()), _for(path, most)) for path, most in files]}
    # System malloc: other allocators reserve address space ahead, which the limit would count.
    env = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-P", parquet_look.__file__], input=json.dumps(asked), capture_output=True, text=True,
            timeout=_PATIENCE, check=False, env=env,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return error.stdout.decode() if isinstance(error.stdout, bytes) else ""
    return done.stdout


def _for(path: Path, most: Limits) -> dict[str, int]:
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    return asdict(replace(most, total=max(most.total, MOST_TIMES * size)))


def batches(
    path: Path, seen: Look, most: int = 65_536, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of a file that was looked at, at most `most` at once, fewer where they are wide."""
    step = max(1, min(most, _BATCH // max(1, seen.widest)))
    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        yield from file.iter_batches(batch_size=step, columns=list(columns) if columns is not None else None)
