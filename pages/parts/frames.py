"""A frame's rows, with attributes whose types the drawing code knows better than the type checker does."""

from typing import Any

import pandas as pd


def lines_of(frame: pd.DataFrame) -> list[Any]:
    """Named tuples, one a row. Their fields are `Any`: the stubs give each the union of all that pandas can hold."""
    return list(frame.itertuples())
