"""Scales of Vega-Lite charts, told with the chart: Streamlit sends a chart without its rows first, and Vega, which
looks for the ends of a scale in them, writes into the console that they are infinite."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any


def scale(rows: Iterable[Mapping[str, Any]], *fields: str, zero: bool = False, nice: bool = True) -> dict[str, Any]:
    """A scale over what some fields of a chart's rows hold, without those that are None or not finite; from 0 to 1
    where nothing is left. zero: whether 0 is in it; nice: whether its ends are rounded outwards.

    >>> scale([{"a": 2.0, "b": 3}, {"a": 1.0, "b": None}], "a", "b"), scale([{"a": 2}], "a", zero=True, nice=False)
    ({'domain': [1.0, 3.0], 'nice': True, 'zero': False}, {'domain': [0.0, 2.0], 'nice': False, 'zero': True})
    """
    found = [float(row[field]) for row in rows for field in fields if row.get(field) is not None]
    found = [value for value in found if isfinite(value)] or [0.0, 1.0]
    low, high = (min(found), max(found)) if not zero else (min(0.0, *found), max(0.0, *found))
    return {"domain": [low, high if high > low else low + 1], "nice": nice, "zero": zero}
