"""Clusters of many items by number, without a Python word an item."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def of_items(clusters: pd.Series) -> NDArray[np.intp] | None:
    """The same as `resampling.where_shared` of a column of words, (n,), in a quarter of the time.

    >>> of_items(pd.Series(["b", "a", "b"])).tolist(), of_items(pd.Series(["a", "b"])) is None
    ([1, 0, 1], True)
    """
    codes, names = pd.factorize(clusters)
    if len(names) == len(codes):
        return None
    place = np.empty(len(names), dtype=np.intp)
    place[sorted(range(len(names)), key=list(names).__getitem__)] = np.arange(len(names))
    return place[codes]
