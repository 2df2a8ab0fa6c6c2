"""Set-up finds the clumps of the map that Embeddings shows first, and a visit takes those."""

import numpy as np
import pytest

from backend.live.maps import clumped, maps
from backend.store.build import first
from backend.store.enrichment import clumps
from pages.embeddings import make_first_clumps


@pytest.mark.slow
def test_what_set_up_has_found_is_taken(flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache))  # `make` sets another one
    monkeypatch.setattr(first, "folder", lambda: tmp_path)
    searched, known = [], clumps.labels_of

    def labels_of(places):
        searched.append(places)
        return known(places)

    monkeypatch.setattr(clumps, "labels_of", labels_of)
    made = make_first_clumps.make()
    assert len(made) == len(searched) == 1
    assert made[0].parent == tmp_path / clumped.FOLDER
    monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache))
    assert np.array_equal(clumped.labels(searched[0]), known(searched[0]))
    assert len(searched) == 1, "taken, not found again"
    assert not (maps.folder() / clumped.FOLDER).exists()
