"""A database of schema 8 is judged anew from the scores that it holds: nothing is lost, and no shard is needed."""

import duckdb
import pytest

from backend.store.build import generations, loading, schema
from backend.store.build.reader import open_store

#: Table -> the columns that schema 8 had, too.
SAME = {
    "scores": "*",
    "outcomes": "*",
    "cells": "run_id, kind, protocol, subset, cell, items, mirrored, n, plus, minus, low, high, scale",
    "evidence": "run_id, kind, protocol, item_no, gamma, c, r, m, b, g, z, cell, mirrored, reason, q, scale",
}


def to_schema_8(path) -> None:
    """What the last version before would have made of the same scores."""
    with duckdb.connect(str(path)) as connection:
        for name in ("judged", "verdict_bits", "rates"):
            connection.execute(f"DROP TABLE {name}")
        for name in ("certified", "least_q", "n_other", "agree"):
            connection.execute(f"ALTER TABLE cells DROP COLUMN {name}")
        connection.execute("ALTER TABLE evidence ADD COLUMN cluster VARCHAR")
        connection.execute("UPDATE meta SET value = '8' WHERE key = 'schema'")


def rows(store):
    ask = store.cursor().execute
    return {name: ask(f"SELECT {of} FROM {name} ORDER BY ALL").fetchall() for name, of in SAME.items()}


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
    after = open_store()
    assert schema.version_of(after.cursor()) == schema.VERSION
    assert all(before.values())
    for name, known in before.items():
        assert repr(rows(after)[name]) == repr(known), name
    assert repr(after.cursor().execute("SELECT * FROM rates ORDER BY ALL").fetchall()) == repr(made)
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
