"""The pictures of a benchmark: each once, chosen by seed."""

from pathlib import Path

import pytest

from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.items.pictures import pictures
from tests.pages import results


@pytest.mark.long
def test_pictures_are_different_and_the_same_for_a_seed(flipside_cache: Path) -> None:
    results.write(flipside_cache)
    store = open_store()
    (benchmark,) = queries.benchmarks(store).query("name == 'small'")["hash"]
    everything = pictures(store, benchmark, 10_000)
    assert len({key for key, _ in everything}) == len(everything) > 3
    assert pictures(store, benchmark, 3) == everything[:3]
    assert pictures(store, benchmark, 3, seed=1) != everything[:3]
    assert pictures(store, "nothing", 3) == []
