"""In which orders items were asked, of written runs."""

from pathlib import Path

import numpy as np

from backend.store.build.reader import open_store
from backend.store.rates import same_orders
from tests.store import asked


def test_orders_are_those_that_each_item_was_asked_in(flipside_cache: Path) -> None:
    asked.write(flipside_cache)
    store = open_store(follow=False, wait=True)
    choices = np.array([number for number, item in enumerate(asked.items()) if item.protocol == "choice"])
    half = same_orders.of_items(store.run("2" * 16), choices)
    assert half.names.tolist() == ["ab, ba"] * asked.ALIKE + ["ab"] * (len(choices) - asked.ALIKE)
    assert half.times.tolist() == [2] * asked.ALIKE + [1] * (len(choices) - asked.ALIKE)
    once = same_orders.of_items(store.run("3" * 16), choices)
    assert set(once.names) == {""}
    assert set(once.times) == {1}
    twice = store.run("1" * 16)
    assert same_orders.otherwise((twice, store.run("3" * 16)), choices) is None, "no name, nothing known"
    found = same_orders.otherwise((twice, store.run("2" * 16)), choices)
    assert found == (len(choices) - asked.ALIKE, "in the orders ab, ba", "in the order ab")
