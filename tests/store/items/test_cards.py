"""The items of a gallery are the same as each item asked for alone, but for scores and tokens."""

from pathlib import Path

import pandas as pd
import pytest

from backend.store import queries
from backend.store.build.reader import open_store
from tests.pages import results


@pytest.mark.slow
def test_cards_hold_what_the_items_hold(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    results.write(flipside_cache)
    store = open_store()
    try:
        benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
        ids = ["triplet/3", "relation/2", "retrieval/1", "choice/1"]
        found = queries.card_items(store, benchmark, [*ids, "no/such", ids[0]])
        known = [item_id for item_id in ids if item_id in found]
        assert len(known) >= 3
        for item_id in known:
            alone = queries.item(store, benchmark, item_id)
            assert found[item_id].texts == alone.texts
            assert found[item_id].truth == alone.truth
            assert found[item_id].tags == alone.tags
            assert found[item_id].image_uris == alone.image_uris
            pd.testing.assert_frame_equal(found[item_id].outcomes, alone.outcomes)
            pd.testing.assert_frame_equal(found[item_id].evidence, alone.evidence, check_dtype=False)
            assert len(alone.evidence) or not item_id.startswith("relation/")
            assert found[item_id].scores.empty
    finally:
        store.close()
