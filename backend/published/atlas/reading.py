"""The Atlas' file, read without trusting it: every row named, every cell a rate in per cent, or it is refused."""

import csv
import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.published.atlas.columns import columns

#: Far above the file's 411 kB and 202 rows; a larger one is another file.
MOST_BYTES: Final = 5_000_000
MOST_MODELS: Final = 5_000
LONGEST_NAME: Final = 100
HEAD: Final = ("arch", "pretrained", "family")


@dataclass(frozen=True, slots=True)
class Entry:
    """One model: architecture, what it was pre-trained on or with, and the family that trained it."""

    arch: str
    pretrained: str
    family: str

    @property
    def key(self) -> str:
        """Its name in addresses. Two families trained `CLIP_ViT-B-16` on `cc12m`, so the family is part of it."""
        return f"{self.family}/{self.arch}/{self.pretrained}"

    @property
    def name(self) -> str:
        """Its short name.

        >>> Entry("ViT-B-32", "openai", "OpenCLIP").name
        'ViT-B-32 openai'
        """
        return f"{self.arch} {self.pretrained}"


@dataclass(frozen=True)
class Atlas:
    """rates: (models, columns), per cent from 0 to 100, in the order of `entries` and of `columns.columns()`."""

    entries: tuple[Entry, ...]
    rates: NDArray[np.float64]

    @cached_property
    def place(self) -> dict[str, int]:
        """Key of a model -> its row."""
        return {entry.key: row for row, entry in enumerate(self.entries)}

    @cached_property
    def column(self) -> dict[str, int]:
        """Key of a column -> its place in `rates`."""
        return {column.key: place for place, column in enumerate(columns())}

    def find(self, arch: str, pretrained: str) -> int | None:
        """The row of the first model with these two, None for none."""
        return next(
            (row for row, e in enumerate(self.entries) if (e.arch, e.pretrained) == (arch, pretrained)),
            None,
        )


def read(path: Path, sha256: str | None = None) -> Atlas:
    """The file's content. sha256: what its bytes have to be.

    FlipsideError, with file, line and what was expected, for anything else than the file that is known.
    """
    try:
        with path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise FlipsideError(f"{path}: cannot be read ({error.strerror}). Fetch it again.") from None
    if len(content) > MOST_BYTES:
        raise FlipsideError(f"{path}: is larger than {MOST_BYTES:,} bytes, so it is another file. Fetch it again.")
    if sha256 is not None and (found := hashlib.sha256(content).hexdigest()) != sha256:
        raise FlipsideError(
            f"{path}: is another file than the one that was fetched (its sha256 is {found[:12]}…, expected "
            f"{sha256[:12]}…). Move it away and fetch it again."
        )
    try:
        lines = csv.reader(content.decode("utf-8").splitlines(), strict=True)
        return _parsed(path, list(zip(range(1, MOST_MODELS + 3), lines, strict=False)))
    except UnicodeDecodeError:
        raise FlipsideError(f"{path}: is no UTF-8 text. Fetch it again.") from None
    except csv.Error as error:
        raise FlipsideError(f"{path}: is no table of comma-separated values ({error}). Fetch it again.") from None


def _parsed(path: Path, lines: list[tuple[int, list[str]]]) -> Atlas:
    wanted = [*HEAD, *(column.key for column in columns())]
    if not lines or lines[0][1] != wanted:
        given = lines[0][1] if lines else []
        at = next(
            (k for k, (a, b) in enumerate(zip(given, wanted, strict=False)) if a != b), min(len(given), len(wanted))
        )
        says = given[at][:40] if at < len(given) else "nothing"
        raise FlipsideError(
            f"{path}:1: column {at + 1} is {says!r}, expected {wanted[at] if at < len(wanted) else 'no more'!r}; "
            f"{len(wanted)} columns are known. Fetch it again."
        )
    if len(lines) > MOST_MODELS + 1:
        raise FlipsideError(f"{path}: has more than {MOST_MODELS:,} models. Fetch it again.")
    entries: dict[Entry, None] = {}
    rates = np.empty((len(lines) - 1, len(wanted) - len(HEAD)))
    for row, (line, cells) in enumerate(lines[1:]):
        if len(cells) != len(wanted):
            raise FlipsideError(f"{path}:{line}: has {len(cells)} cells, expected {len(wanted)}. Fetch it again.")
        entry = Entry(*cells[: len(HEAD)])
        for name in cells[: len(HEAD)]:
            if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable() or "/" in name:
                raise FlipsideError(f"{path}:{line}: {name[:40]!r} is no name of a model or family.")
        if entry in entries:
            raise FlipsideError(f"{path}:{line}: {entry.name} of {entry.family} is there twice.")
        entries[entry] = None
        for place, said in enumerate(cells[len(HEAD) :]):
            rates[row, place] = _rate(path, line, wanted[place + len(HEAD)], said)
    if not entries:
        raise FlipsideError(f"{path}: has no models. Fetch it again.")
    return Atlas(tuple(entries), rates)


def _rate(path: Path, line: int, column: str, said: str) -> float:
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 100.0:
        raise FlipsideError(f"{path}:{line}: {column} is {said[:40]!r}, expected a rate from 0 to 100 per cent.")
    return value
