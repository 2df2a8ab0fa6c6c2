"""A frame's rows, with attributes whose types the drawing code knows better than the type checker does."""

from collections import namedtuple
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from backend.store.scores.matrices import JOIN
from backend.taxonomy import title


def lines_of(frame: pd.DataFrame) -> list[Any]:
    """Named tuples, one a row, as `frame.itertuples()` gives them (but plain Python values of nullable columns, too),
    whose class is not made anew for each frame: pages walk dozens of small ones at a visit. Their fields are `Any`: the
    stubs give each the union of all that pandas can hold.

    >>> lines_of(pd.DataFrame({"n": [1, 2], "word": ["a", "b"]}, index=[7, 8]))[1]
    Pandas(Index=8, n=2, word='b')
    """
    cells = frame.to_numpy(dtype=object).tolist()  # of many columns a Series each takes twice as long
    make = _row_of(tuple(map(str, frame.columns)))._make
    return [make((index, *row)) for index, row in zip(frame.index, cells, strict=True)]


@lru_cache(maxsize=500)
def _row_of(names: tuple[str, ...]) -> Any:
    return namedtuple("Pandas", ["Index", *names], rename=True)


class RowAt(Mapping[str, Any]):
    """The row at a place as plain values by the names of their columns, each read when it is asked for: of the fifty
    of an item's evidence a card's line needs ten.

    >>> dict(RowAt(pd.DataFrame({"n": [1, 2], "word": ["a", "b"]}), 1))
    {'n': 2, 'word': 'b'}
    """

    def __init__(self, frame: pd.DataFrame, at: int) -> None:
        self._frame, self._at = frame, at

    def __getitem__(self, name: str) -> Any:
        cell = self._frame[name].array[self._at]
        return cell.item() if isinstance(cell, np.generic) else None if cell is pd.NA else cell

    def __iter__(self) -> Iterator[str]:
        return iter(self._frame.columns)

    def __len__(self) -> int:
        return len(self._frame.columns)


def titles(joined: str) -> str:
    """The names that a frame's column `concept` or `perturbation` joins, in plain words.

    >>> titles("one_place_vertical|colour")
    'another place, above or below · colour'
    """
    return " · ".join(title(name) for name in joined.split(JOIN))
