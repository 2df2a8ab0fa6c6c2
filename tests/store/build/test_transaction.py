"""A change to the database is there wholly or not at all, and what ended it is what is raised."""

import duckdb
import pytest

from backend.store.build.transaction import whole


@pytest.fixture
def table():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
        yield connection


def rows(connection):
    return [n for (n,) in connection.execute("SELECT n FROM t ORDER BY n").fetchall()]


def added(connection, number, then):
    """A row, then a statement that fails, or Ctrl-C behind it; all in one transaction."""
    with whole(connection):
        connection.execute("INSERT INTO t VALUES (?)", [number])
        connection.execute(then)
        raise KeyboardInterrupt


def test_a_block_is_kept_and_one_that_fails_leaves_nothing(table):
    with whole(table):
        table.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(duckdb.CatalogException, match="nowhere"):
        added(table, 2, "INSERT INTO nowhere VALUES (2)")
    assert rows(table) == [1]


@pytest.mark.parametrize("ended", ["COMMIT", "ROLLBACK"])
def test_ctrl_c_where_no_transaction_is_open_any_more_is_still_ctrl_c(table, ended):
    """Rolling back fails there, which was raised in its place: the import went on and named a sound file as damaged."""
    with pytest.raises(KeyboardInterrupt):
        added(table, 3, ended)
    assert rows(table) == ([3] if ended == "COMMIT" else [])
