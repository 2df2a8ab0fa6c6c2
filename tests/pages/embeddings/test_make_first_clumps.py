"""Set-up finds the clumps of the maps that Embeddings shows first, and what else it asks; a visit takes those."""

import numpy as np
import pytest
import streamlit as st

from backend.live.maps import clumped, maps
from backend.store.build import first
from backend.store.enrichment import clumps
from pages.embeddings import kept, make_first_clumps


@pytest.fixture(autouse=True)
def no_store_of_other_tests():
    """Nor one of this test for them."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.mark.slow
def test_what_set_up_has_found_is_taken(flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache))  # `make` sets another one
    monkeypatch.setattr(first, "folder", lambda: tmp_path)
    searched, known = [], clumps.labels_of

    def labels_of(places):
        searched.append(places)
        return known(places)

    monkeypatch.setattr(clumps, "labels_of", labels_of)
    made = make_first_clumps.make(most=2)
    clumps_made = [path for path in made if path.parent == tmp_path / clumped.FOLDER]
    assert len(clumps_made) == len(searched) == 2, "of the first map, and of another model's"
    told = [path for path in made if path.parent == tmp_path / kept.FOLDER]
    assert len(told) == len(made) - 2 == 2 + 2 + 2, "neighbours; clumps and wrong ones by its own verdicts"
    assert len(list(kept.set_up().glob("*.done"))) == 1
    monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache))
    assert np.array_equal(clumped.labels(searched[0]), known(searched[0]))
    assert len(searched) == 2, "taken, not found again"
    assert not (maps.folder() / clumped.FOLDER).exists()
    st.cache_resource.clear()  # another process
    again = make_first_clumps.make(most=2)  # as `make test` does after `make run`
    assert sorted(again) == sorted(made)
    assert all(path.is_file() for path in made)

    def refused(*_):
        raise OSError("no room")

    st.cache_resource.clear()
    monkeypatch.setattr(make_first_clumps, "answer", refused)
    with pytest.raises(OSError, match="no room"):
        make_first_clumps.make(most=2)
    assert all(path.is_file() for path in made), "what was there stays"
    assert sorted(path.name for path in tmp_path.iterdir()) == [first.LOCK, clumped.FOLDER, kept.FOLDER]
