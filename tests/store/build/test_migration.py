"""An older database keeps all that it holds: of schema 9 as it is, of schema 8 judged anew from its scores. No shard is
needed."""

import contextlib
import json
import shutil

import duckdb
import pytest

from backend.store.build import attached, generations, importer, loading, schema, score_shards
from backend.store.build.reader import open_store
from tests.store.conftest import ONE
from tests.store.older import to_tables_of_9

#: Table -> the columns that schema 8 had, too.
SAME = {
    "scores": "*",
    "outcomes": "*",
    "cells": "run_id, kind, protocol, subset, cell, items, mirrored, n, plus, minus, low, high, scale",
    "evidence": "run_id, kind, protocol, item_no, gamma, c, r, m, b, g, z, cell, mirrored, reason, q, scale",
}
#: What schema 9 had, too, in which form whatever.
SAME_AS_9 = {
    "scores": "*", "outcomes": "*", "evidence": "*", "cells": "*", "judged": "*", "verdict_bits": "*", "rates": "*",
    "items": "*", "runs": "*", "run_parts": "*", "benchmarks": "*", "embeddings": "*", "tokens": "*",
    "counterfactual_scores": "*", "counterfactual_vectors": "*",
}  # fmt: skip


def to_schema_9(path) -> None:
    """What the last version before would have made of the same scores: everything in one file."""
    with contextlib.closing(importer.connect(path, read_only=False)) as connection:
        to_tables_of_9(connection)
    shutil.rmtree(attached.folder_of(path))


def to_schema_8(path) -> None:
    """What the last version before would have made of the same scores."""
    to_schema_9(path)
    with duckdb.connect(str(path)) as connection:
        for name in ("judged", "verdict_bits", "rates"):
            connection.execute(f"DROP TABLE {name}")
        for name in ("certified", "least_q", "n_other", "agree"):
            connection.execute(f"ALTER TABLE cells DROP COLUMN {name}")
        connection.execute("ALTER TABLE evidence ADD COLUMN cluster VARCHAR")
        connection.execute("UPDATE meta SET value = '8' WHERE key = 'schema'")


def rows(store, same=SAME):
    ask = store.cursor().execute
    return {name: ask(f"SELECT {of} FROM {name} ORDER BY ALL").fetchall() for name, of in same.items()}


def kinds(store):
    """The types of all columns."""
    return {name: store.cursor().execute(f"DESCRIBE {name}").fetchall() for name in SAME_AS_9}


def forbid_reading_shards(monkeypatch):
    """From here on no shard is read: the scores are there."""

    def forbidden(*_):
        raise AssertionError("the results are there")

    monkeypatch.setattr(loading, "_insert", forbidden)
    monkeypatch.setattr(score_shards, "read", forbidden)


def test_schema_9_keeps_every_result(toy, monkeypatch):
    store = open_store()
    before, types, order = (
        rows(store, SAME_AS_9),
        kinds(store),
        store.cursor().execute("SELECT * FROM scores").fetchall(),
    )
    store.close()
    former = generations.current()
    to_schema_9(former)
    wide = former.stat().st_size
    for shard in (toy / "runs").glob("*/itc-*.parquet"):
        shard.write_bytes(b"gone")
    forbid_reading_shards(monkeypatch)
    after = open_store()
    assert schema.version_of(after.cursor()) == schema.VERSION
    assert generations.current() != former
    assert sum(map(bool, before.values())) > 10
    for name, known in rows(after, SAME_AS_9).items():
        assert repr(known) == repr(before[name]), name
    assert kinds(after) == types
    assert sorted(after.cursor().execute("SELECT * FROM scores").fetchall(), key=repr) == sorted(order, key=repr)
    assert generations.current().stat().st_size < wide  # and leaves no room for what is elsewhere now
    after.close()


def test_what_schema_9_held_of_a_part_is_extended(toy, items):
    """Its shards are told apart no longer, so they stay together beside the new ones."""
    whole = open_store()
    before = whole.cursor().execute("SELECT * FROM scores ORDER BY ALL").fetchall()
    whole.close()
    shutil.rmtree(toy / "db")
    manifest = toy / "runs" / ONE / "manifest.json"
    said = json.loads(manifest.read_text())
    assert len(said["parts"]["itc"]["shards"]) > 1
    half = json.loads(manifest.read_text())
    half["parts"]["itc"]["shards"] = said["parts"]["itc"]["shards"][:1]
    manifest.write_text(json.dumps(half))
    open_store().close()
    to_schema_9(generations.current())
    manifest.write_text(json.dumps(said))
    store = open_store()
    assert store.cursor().execute("SELECT * FROM scores ORDER BY ALL").fetchall() == before
    store.close()


def test_schema_8_keeps_every_result(toy, monkeypatch):
    store = open_store()
    before = rows(store)
    made = store.cursor().execute("SELECT * FROM rates ORDER BY ALL").fetchall()
    store.close()
    to_schema_8(generations.current())
    next((toy / "runs").glob("*/itc-*.parquet")).write_bytes(b"gone")

    def no_shard(*_):
        raise AssertionError("the scores are there")

    monkeypatch.setattr(loading, "_insert", no_shard)
    monkeypatch.setattr(score_shards, "read", no_shard)
    after = open_store()
    assert schema.version_of(after.cursor()) == schema.VERSION
    assert all(before.values())
    for name, known in before.items():
        assert repr(rows(after)[name]) == repr(known), name
    assert repr(after.cursor().execute("SELECT * FROM rates ORDER BY ALL").fetchall()) == repr(made)
    after.close()


def test_schema_10_gets_the_intervals_of_today(toy, monkeypatch):
    """Rates are kept at import; since schema 11 their intervals are by the effective number of clusters."""
    store = open_store()
    made = store.cursor().execute("SELECT * FROM rates ORDER BY ALL").fetchall()
    before = rows(store)
    store.close()
    with duckdb.connect(str(generations.current())) as connection:
        connection.execute("UPDATE rates SET lo = 0.123")
        connection.execute("UPDATE meta SET value = '10' WHERE key = 'schema'")
    forbid_reading_shards(monkeypatch)
    after = open_store()
    assert schema.version_of(after.cursor()) == schema.VERSION
    assert repr(after.cursor().execute("SELECT * FROM rates ORDER BY ALL").fetchall()) == repr(made)
    assert repr(rows(after)) == repr(before)
    after.close()


def test_every_table_that_is_derived_can_be_made_anew():
    """Whoever adds one to DERIVED finds it dropped and created by the step that judges anew."""
    steps = " ".join(schema.MIGRATIONS[8])
    for name in schema.DERIVED:
        assert f"DROP TABLE IF EXISTS {name}" in steps
        assert f"CREATE TABLE {name} " in steps


@pytest.mark.parametrize("table", schema.DERIVED)
def test_a_run_that_is_gone_leaves_nothing(toy, table):
    import shutil

    store = open_store()
    assert store.cursor().execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    store.close()
    for folder in (toy / "runs").iterdir():
        shutil.rmtree(folder)
    store = open_store()
    assert store.cursor().execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    store.close()
