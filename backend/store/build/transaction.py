"""All of a change to the database, or nothing of it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb


@contextmanager
def whole(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """A transaction: all of the block, or nothing of it. What ended the block is raised, never what came of rolling
    back: after an error DuckDB may have closed the transaction itself, and Ctrl-C may fall behind the COMMIT."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise
