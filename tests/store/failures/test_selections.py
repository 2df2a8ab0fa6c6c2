"""Picked items are kept under a name of their content, and Failures lists just them."""

import pytest

from backend.errors import UsageError
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.failures import selections
from backend.store.queries import FailureFilter, Setting
from tests.pages import results


def test_the_same_items_have_the_same_key_and_come_back(flipside_cache):
    first = selections.keep("b", ["x/2", "x/1", "x/2"], "lasso")
    again = selections.keep("b", ["x/1", "x/2"], "lasso")
    assert first.key == again.key
    assert selections.find(first.key).item_ids == ("x/2", "x/1")
    assert selections.keep("c", ["x/1", "x/2"], "lasso").key != first.key
    assert selections.find("nothing") is None


def test_an_empty_selection_is_refused(flipside_cache):
    with pytest.raises(UsageError, match="1 to"):
        selections.keep("b", [], "lasso")


@pytest.mark.long
def test_failures_lists_only_the_picked_items(flipside_cache, monkeypatch, tmp_path):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    results.write(flipside_cache)
    store = open_store()
    try:
        every = FailureFilter("1" * 16, Setting("itc"), correct=None, limit=1000)
        ids = list(dict.fromkeys(queries.failures(store, every).rows["item_id"]))
        picked = (ids[3], ids[11], "nothing/like this")
        found = queries.failures(store, FailureFilter("1" * 16, Setting("itc"), correct=None, only=picked))
        assert set(found.rows["item_id"]) == {ids[3], ids[11]}
        assert sum(found.facets["subset"].values()) == found.total
        assert queries.failures(store, FailureFilter("1" * 16, Setting("itc"), correct=None, only=())).total == 0
    finally:
        store.close()
