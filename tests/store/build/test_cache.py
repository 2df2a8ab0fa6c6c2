import threading
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from backend.store.build.cache import Cache, size_of


@dataclass(frozen=True)
class Page:
    rows: pd.DataFrame
    counts: dict[str, dict[str, int]]
    total: int = 1


def changed_frame(value):
    value.loc[0, "a"] = 99
    value["more"] = 1


def changed_page(value):
    value.rows.loc[0, "a"] = 99
    value.counts["concept"]["colour"] = 99
    value.counts["other"] = {}


@pytest.mark.parametrize(
    ("make", "change", "said"),
    [
        (lambda: pd.DataFrame({"a": [1, 2]}), changed_frame, lambda v: v.to_dict("list") == {"a": [1, 2]}),
        (lambda: pd.Series([1, 2]), lambda v: v.__setitem__(0, 99), lambda v: v.tolist() == [1, 2]),
        (lambda: [1, [2]], lambda v: v[1].append(3), lambda v: v == [1, [2]]),
        (lambda: (1, {"x": [2]}), lambda v: v[1]["x"].append(3), lambda v: v == (1, {"x": [2]})),
        (lambda: {1, 2}, lambda v: v.add(3), lambda v: v == {1, 2}),
        (
            lambda: Page(pd.DataFrame({"a": [1]}), {"concept": {"colour": 2}}),
            changed_page,
            lambda v: v.rows.to_dict("list") == {"a": [1]} and v.counts == {"concept": {"colour": 2}},
        ),
    ],
)  # fmt: skip
def test_callers_change_their_own_copy(make, change, said):
    cache = Cache()
    change(cache.get("key", make))  # the one that had it made is given a copy, too
    change(cache.get("key", make))
    assert said(cache.get("key", pytest.fail))


def test_arrays_are_read_only():
    cache = Cache()
    found = cache.get("key", lambda: {"scores": [np.zeros(3)]})["scores"][0]
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_the_least_recently_used_goes_first():
    cache = Cache(most_bytes=3 * size_of(np.zeros(1000)) + 500)
    for key in ("first", "second", "third"):
        cache.get(key, lambda: np.zeros(1000))
    cache.get("first", pytest.fail)
    cache.get("fourth", lambda: np.zeros(1000))
    cache.get("first", pytest.fail)
    made = []
    cache.get("second", lambda: made.append(1))
    assert made == [1]
    assert cache.bytes <= cache.most_bytes


def test_one_that_is_too_large_stays_alone():
    cache = Cache(most_bytes=1000)
    cache.get("small", lambda: 1)
    cache.get("large", lambda: np.zeros(10_000))
    cache.get("large", pytest.fail)
    assert len(cache) == 1


def test_small_values_are_bounded_by_their_number():
    cache = Cache(most_values=10)
    for number in range(100):
        cache.get(number, lambda: None)
    assert len(cache) == 10


def test_a_value_is_made_once_for_all_threads():
    cache, made, found = Cache(), [], []

    def make():
        made.append(1)
        time.sleep(0.2)
        return [7]

    threads = [threading.Thread(target=lambda: found.append(cache.get("key", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert found == [[7]] * 8


def test_an_error_is_not_kept():
    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 // 0)
    assert cache.get("key", lambda: 5) == 5


@pytest.mark.parametrize(
    ("value", "least"),
    [
        (pd.DataFrame({"a": np.zeros(1000)}), 8000),
        (pd.DataFrame({"a": pd.Series([["x" * 1000]] * 50, dtype=object)}), 1000),
        ([f"{number:0100d}" for number in range(5000)], 500_000),
        ({number: np.zeros(100) for number in range(1000)}, 800_000),
        (Page(pd.DataFrame({"a": np.zeros(1000)}), {}), 8000),
    ],
)
def test_what_a_value_takes(value, least):
    assert least < size_of(value) < 4 * least
