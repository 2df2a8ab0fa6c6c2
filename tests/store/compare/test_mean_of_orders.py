"""Two systems by the share of each item's orders in which the truth was chosen."""

import numpy as np
import pytest

from backend.items import Kind
from backend.metrics.paired.signflip import sign_flip
from backend.store.build.reader import open_store
from backend.store.compare import mean_of_orders
from backend.store.compare.compare import Side
from backend.store.queries import Setting
from tests.store import asked

TWICE, HALF, ONCE = (Side(digit * 16, Setting(Kind.VERDICT)) for digit in "123")


@pytest.fixture
def store(flipside_cache):
    asked.write(flipside_cache)
    return open_store(follow=False, wait=True)


def test_all_items_compare_however_often_they_were_asked(store):
    twice = [np.mean([a == 1.0, b == 1.0]) for a, b in asked.OF_TWICE]  # neither in an order is not the truth
    half = [np.mean([a == 1.0, b == 1.0]) for a, b in asked.OF_HALF]
    gaps = [half[k % 4] - twice[k % 4] for k in range(asked.N)]
    found = mean_of_orders.paired(store, TWICE, HALF)
    assert found.n == asked.N
    assert found.difference == pytest.approx(np.mean(gaps))
    assert found.p == pytest.approx(sign_flip(np.rint(np.array(gaps) * 2)))


def test_of_a_subset_only_its_items(store):
    assert mean_of_orders.paired(store, TWICE, HALF, ("choice",)).n == asked.N
    assert mean_of_orders.paired(store, TWICE, HALF, ("relation",)).n == 0
