"""Pools that fit into no memory are named, not tried; and pools of more texts than a small integer counts."""

import duckdb
import pytest

from backend.store.build import schema
from backend.store.build.reader import open_store
from backend.store.scores import pools
from tests.store import writer
from tests.store.conftest import MODEL, ONE


@pytest.fixture
def pooled(flipside_cache, items):
    writer.write_run(flipside_cache, items, ONE, ["itc"])
    return items


@pytest.mark.long
def test_a_pool_that_is_too_large_is_left_out_with_the_reason(pooled, flipside, monkeypatch):
    monkeypatch.setattr(pools, "MOST_CELLS", 12 * 24 - 1)
    store = open_store(follow=False)
    assert pools.pools(store.run(ONE), "itc") == []
    (reason,) = pools.too_large(store.run(ONE))
    assert reason.startswith("retrieval: a pool of 12 images x 24 texts is not judged (more than 287 cells)")
    found = flipside("report", "--model", MODEL, "--benchmark", "toy", "--json")
    assert reason in found.json["notes"]
    assert "i2t_recall_at_1" not in found.json["metrics"]
    assert "group_score" in found.json["metrics"]


def test_a_pool_that_fits_is_judged(pooled, monkeypatch):
    monkeypatch.setattr(pools, "MOST_CELLS", 12 * 24)
    store = open_store(follow=False)
    assert pools.too_large(store.run(ONE)) == []
    assert [pool.scores.shape for pool in pools.pools(store.run(ONE), "itc")] == [(12, 24)]


def test_outcomes_count_texts_further_than_a_small_integer_and_older_databases_are_built_anew(tmp_path):
    with duckdb.connect(str(tmp_path / "new.duckdb")) as connection:
        schema.create(connection, tmp_path / "new")
        kinds = {name: str(kind) for name, kind, *_ in connection.execute("DESCRIBE outcomes").fetchall()}
        assert kinds["query"] == "INTEGER"  # 566,747 texts of Flickr's pools fit
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")
        assert not schema.migrate(connection, tmp_path / "new")  # test_importer: such a database is built from shards
