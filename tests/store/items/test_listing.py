"""Items of a benchmark as such: in its order, by subset and by a word of a caption."""

from backend.store.build.reader import open_store
from backend.store.items import listing
from tests.store.writer import items, write_benchmark


def test_items_are_listed_by_subset_and_word_without_a_run(flipside_cache):
    written = items(5)
    benchmark = write_benchmark(flipside_cache, written)
    store = open_store()
    assert listing.item_ids(store, benchmark) == [item.item_id for item in written]
    assert listing.item_ids(store, benchmark, "choice") == [f"choice/{k}" for k in range(1, 6)]
    assert listing.item_ids(store, benchmark, "choice", " THREE ") == [f"choice/{k}" for k in range(1, 6)]
    assert listing.item_ids(store, benchmark, text="a ring left of star 3") == ["triplet/3"]
    assert listing.item_ids(store, benchmark, "no such subset") == []
    assert listing.item_ids(store, benchmark, text="' OR 1=1 --") == []
