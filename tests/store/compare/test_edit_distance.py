"""Edit distances and accuracy over their gap, by a slow Levenshtein distance and a slow count."""

from functools import cache

import numpy as np
import pytest

from backend.items import ImageRef, Item, Protocol
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare import edit_distance
from pages.compare import edit_distance as page
from tests.store import writer

RUN = "a" * 16


@cache
def distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))


def triplets():
    rng = np.random.default_rng(0)
    found = []
    for k in range(50):
        texts = tuple("".join(rng.choice(list("abc "), int(rng.integers(2, 9)))) + str(k) for _ in range(3))
        image = (ImageRef(f"{k}.png", ""),)
        found.append(Item(f"t/{k}", "t", Protocol.TRIPLET, image, texts, ((0, 0), (0, 1)), {}, f"w:{k}"))
    return found


@pytest.mark.long
def test_gaps_and_rates_are_those_of_a_slow_count(flipside_cache):
    items = triplets()
    writer.write_run(flipside_cache, items, RUN, ["itc", "t2t"], skill=1.0)
    store = open_store()
    hash_ = q.benchmarks(store)["hash"].iloc[0]
    gap = edit_distance.gaps(store, hash_)["gap"].tolist()
    assert gap == [
        distance(i.texts[0], i.texts[1]) - min(distance(i.texts[k], i.texts[2]) for k in (0, 1)) for i in items
    ]
    (line,) = edit_distance.lines(store, hash_)
    frame = q.outcomes(store, RUN, q.Setting("t2t"))
    frame = frame[frame["metric"] == "t2t_accuracy"]
    right = dict(zip(frame["item_id"], frame["correct"].astype(bool), strict=True))
    seen = 0
    for part in line.parts:
        mine = [right[item.item_id] for item, value in zip(items, gap, strict=True) if part.low <= value <= part.high]
        assert part.accuracy.n == len(mine)
        assert part.accuracy.value == pytest.approx(np.mean(mine))
        seen += len(mine)
    assert seen == len(items)
    assert len(page.spec([line])["data"]["values"]) == len(line.parts) >= 3


@pytest.mark.parametrize(
    ("gap", "cuts"), [([5] * 9, [(5, 5)]), ([1, 2, 3, 4, 5], [(k, k) for k in range(1, 6)]), ([2, 1], [(1, 1), (2, 2)])]
)
def test_equal_gaps_stay_together(gap, cuts):
    assert edit_distance.cuts(np.array(gap)) == cuts
