"""Where the rows of some items are: looked up in a list where they lie close together, else searched."""

import numpy as np
import pandas as pd
import pytest

from backend.store.scores import matrices


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_every_number_is_found_in_its_place(step, monkeypatch):
    rng = np.random.default_rng(step)
    known = 7 + step * np.sort(rng.choice(500, 60, replace=False))
    items = pd.DataFrame({"item_no": known.astype(np.int32)})
    asked = rng.integers(-5, 520 * step, 3000).astype(np.int32)
    asked[:60] = known
    place = {int(number): at for at, number in enumerate(known)}
    wanted = [place.get(int(number), -1) for number in asked]
    assert matrices._rows(items, asked).tolist() == wanted
    monkeypatch.setattr(matrices, "_SPREAD", 0)
    assert matrices._rows(items, asked).tolist() == wanted


def test_of_no_items_none_is_found():
    assert matrices._rows(pd.DataFrame({"item_no": []}), np.array([1, 2])).tolist() == [-1, -1]
