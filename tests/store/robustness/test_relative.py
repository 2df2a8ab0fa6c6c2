"""The relative drop against a slow count of the same verdicts."""

import numpy as np
import pytest

from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.robustness import relative, robustness
from pages.robustness import relative as page
from tests.pages import results
from tests.store import edited_runs, writer

pytestmark = pytest.mark.slow


def test_relative_drops_are_those_of_a_slow_count(flipside_cache):
    items = results.world(40)
    writer.write_run(flipside_cache, items, "1" * 16, ["itc"], model=results.STRONG, skill=2.5, seed=1, name="small")
    kinds = [("character_swap", 0), ("shuffle_all_words", 0), ("negative_colour", 0)]
    edited_runs.write(flipside_cache, items, kinds, [{"model": results.STRONG, "parts": ["itc"], "skill": 1.0}])
    store = open_store()
    known = queries.benchmarks(store)
    parent = str(known[known["name"] == "small"]["hash"].iloc[0])
    assert relative.siblings(store, "small") == [("small", parent)]
    found = relative.drops(store, "small", parent)
    assert {drop.column for drop in found} == {"character_swap", "shuffle_all_words"}  # a foil has no before
    frame = robustness.verdicts(store, parent)
    for drop in found:
        before = after = n = 0
        for line in frame[frame["column"] == drop.column].itertuples():
            if not np.isnan(line.was) and not np.isnan(line.now):
                before, after, n = before + line.was, after + line.now, n + 1
        assert (drop.n, drop.before) == (n, pytest.approx(before / n))
        assert drop.relative == pytest.approx((before - after) / before)
        assert drop.ci95[0] < drop.relative < drop.ci95[1]
    drawn = page.spec(found, {"character_swap": "Character swap"})
    assert {row["edit"] for row in drawn["data"]["values"]} == {"Character swap", "shuffle_all_words"}


def test_a_release_stands_beside_its_original(flipside_cache):
    items = writer.items(6)
    for number, name in enumerate(("coco", "coco_fg")):
        part = [item for item in items if item.protocol == "retrieval"][number:]
        writer.write_run(flipside_cache, part, f"{number:016x}", ["itc"], name=name)
    store = open_store()
    assert [name for name, _ in relative.siblings(store, "coco_fg")] == ["coco", "coco_fg"]
