"""Rows of a frame as pages walk them."""

import numpy as np
import pandas as pd

from pages.shared.data.frames import RowAt, lines_of

FRAME = pd.DataFrame(
    {
        "model": ["a", "b", None], "n": np.arange(3), "x": [0.5, np.nan, 2.0], "own tag": ["q", "r", "s"],
        "right": pd.array([True, None, False], dtype="boolean"), "listed": [[1], [], [2, 3]],
        "kind": pd.Categorical(["itc", "gen", "itc"]),
    },
    index=[7, 3, 9],
)  # fmt: skip


def test_rows_are_those_that_pandas_gives():
    """In plain Python values, where pandas gives numpy's own of nullable columns."""
    found, known = lines_of(FRAME), list(FRAME.itertuples())
    plain = [line._replace(right=line.right if line.right is pd.NA else bool(line.right)) for line in known]
    assert repr(found) == repr(plain)
    assert [tuple(map(type, line)) for line in found] == [tuple(map(type, line)) for line in plain]
    assert lines_of(FRAME.iloc[:0]) == []
    assert lines_of(pd.DataFrame()) == []
    numbers = pd.DataFrame({"n": [2**53 + 1, 2], "x": [0.5, np.nan], "m": pd.array([1, None], dtype="Int64")})
    assert repr(lines_of(numbers)) == repr(list(numbers.itertuples())).replace(
        "np.int64(1)", "1"
    )  # none becomes a float


def test_one_row_is_that_of_the_records():
    for at, record in enumerate(FRAME.to_dict("records")):
        found = dict(RowAt(FRAME, at))
        assert len(RowAt(FRAME, at)) == len(found)
        assert repr(found) == repr(record)
        assert list(map(type, found.values())) == list(map(type, record.values()))
