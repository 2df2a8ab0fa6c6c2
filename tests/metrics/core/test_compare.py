"""The one comparison gives the same to the bit, whichever way it goes over its columns."""

import numpy as np
import pytest

from backend.metrics.core import compare as module
from backend.metrics.core.compare import compare

ODD = [0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, np.inf, -np.inf, np.nan, 0.1, 0.1 + 2**-55]


@pytest.mark.parametrize("columns", [1, 2, 3, 16])
def test_column_by_column_is_row_by_row(columns, monkeypatch):
    rng = np.random.default_rng(columns)
    won, lost = (rng.choice(ODD, size=(20_000, columns)) for _ in range(2))
    quick = compare(won, lost)
    monkeypatch.setattr(module, "_FEW", 0)
    slow = compare(won, lost)
    for name in ("correct", "ties", "defined"):
        assert getattr(quick, name).tolist() == getattr(slow, name).tolist()
    assert quick.margin.tobytes() == slow.margin.tobytes()
