"""A frame's rows, with attributes whose types the drawing code knows better than the type checker does."""

from typing import Any

import numpy as np
import pandas as pd

from backend.store.scores.matrices import JOIN
from backend.taxonomy import title


def lines_of(frame: pd.DataFrame) -> list[Any]:
    """Named tuples, one a row. Their fields are `Any`: the stubs give each the union of all that pandas can hold."""
    return list(frame.itertuples())


def row_at(frame: pd.DataFrame, at: int) -> dict[str, Any]:
    """The row at a place as plain values by the names of their columns.

    >>> row_at(pd.DataFrame({"n": [1, 2], "word": ["a", "b"]}), 1)
    {'n': 2, 'word': 'b'}
    """
    cells = ((str(name), column.array[at]) for name, column in frame.items())
    return {name: cell.item() if isinstance(cell, np.generic) else cell for name, cell in cells}


def titles(joined: str) -> str:
    """The names that a frame's column `concept` or `perturbation` joins, in plain words.

    >>> titles("one_place_vertical|colour")
    'another place, above or below · colour'
    """
    return " · ".join(title(name) for name in joined.split(JOIN))
