"""Databases as earlier versions made them, from one of this version."""

import duckdb

from backend.store.build import schema


def to_tables_of_9(connection: duckdb.DuckDBPyConnection) -> None:
    """Everything in one file, as until schema 9: what are views now are tables with the same rows."""
    for table in schema.FORMER:
        name = table.split("(")[0].split()[-1]
        connection.execute(f"CREATE TEMP TABLE kept AS SELECT * FROM {name}")
        connection.execute(f"DROP VIEW {name}")
        connection.execute(table)
        connection.execute(f"INSERT INTO {name} SELECT * FROM kept")
        connection.execute("DROP TABLE kept")
    connection.execute("DROP TABLE files")
    connection.execute("ALTER TABLE items DROP COLUMN exchanged")
    connection.execute("UPDATE meta SET value = '9' WHERE key = 'schema'")
