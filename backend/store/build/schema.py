"""The tables, their version, and the way from an older version to this one."""

from collections.abc import Mapping

import duckdb

from backend.errors import FlipsideError

#: Raised with every change of TABLES or of what fills them, together with an entry in MIGRATIONS or a rebuild from
#: shards (to 2: longer pools; to 3: classes, boundaries, and labels from edited editions; to 4: where runs are
#: from, and a run of a subset is not whole).
VERSION = 4

TABLES: tuple[str, ...] = (
    "CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR)",
    """CREATE TABLE benchmarks (
        hash VARCHAR, name VARCHAR, n_items INTEGER, n_images INTEGER, n_texts INTEGER,
        subsets VARCHAR, protocols VARCHAR, record VARCHAR, fingerprint VARCHAR)""",
    """CREATE TABLE items (
        benchmark VARCHAR, item_no INTEGER, item_id VARCHAR, subset VARCHAR, protocol VARCHAR, texts VARCHAR[],
        image_keys VARCHAR[], image_uris VARCHAR[], truth VARCHAR, tags VARCHAR, source VARCHAR,
        concepts VARCHAR[], perturbations VARCHAR[])""",
    """CREATE TABLE runs (
        run_id VARCHAR, model VARCHAR, benchmark VARCHAR, benchmark_name VARCHAR, split VARCHAR, subset VARCHAR,
        "limit" INTEGER, sample INTEGER, seed INTEGER, whole BOOLEAN, created VARCHAR, updated VARCHAR,
        record VARCHAR, origin VARCHAR, imported_from VARCHAR, imported_at VARCHAR)""",
    """CREATE TABLE run_parts (
        run_id VARCHAR, part VARCHAR, complete BOOLEAN, n_rows BIGINT, root VARCHAR, shards VARCHAR[])""",
    """CREATE TABLE scores (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, image_index SMALLINT, text_index INTEGER,
        text_index_b INTEGER, sample SMALLINT, value FLOAT, n_tokens SMALLINT)""",
    """CREATE TABLE tokens (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, image_index SMALLINT, text_index INTEGER, sample SMALLINT,
        tokens VARCHAR[], logprobs FLOAT[])""",
    """CREATE TABLE embeddings (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, "index" INTEGER, vector FLOAT[])""",
    """CREATE TABLE outcomes (
        run_id VARCHAR, kind VARCHAR, item_no INTEGER, query INTEGER, metric VARCHAR,
        correct BOOLEAN, margin DOUBLE, ties BOOLEAN)""",
    """CREATE TABLE diagnoses (
        benchmark VARCHAR, run_id VARCHAR, kind VARCHAR, item_no INTEGER, label VARCHAR, evidence VARCHAR)""",
    "CREATE TABLE problems (path VARCHAR, reason VARCHAR)",
)

#: From version k to k + 1, as SQL. A version that is missing here is rebuilt from shards.
MIGRATIONS: Mapping[int, tuple[str, ...]] = {}


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """All tables, empty, with their version."""
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('schema', ?)", [str(VERSION)])


def version_of(connection: duckdb.DuckDBPyConnection) -> int:
    """The schema's version; 0 where the file holds no Flipside tables."""
    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    except duckdb.CatalogException:
        return 0
    return int(row[0]) if row else 0


def refuse_newer(version: int, path: str) -> None:
    """One sentence for a database that a newer Flipside has made."""
    if version > VERSION:
        raise FlipsideError(
            f"{path}: made by a newer Flipside (schema {version}, this one reads {VERSION}). Update Flipside, or set "
            "FLIPSIDE_CACHE to another folder."
        )


def migrate(connection: duckdb.DuckDBPyConnection) -> bool:
    """Bring the tables to VERSION in place; False where no migration leads there and a rebuild is needed."""
    found = version_of(connection)
    if any(step not in MIGRATIONS for step in range(found, VERSION)):
        return False
    for step in range(found, VERSION):
        for statement in MIGRATIONS[step]:
            connection.execute(statement)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(VERSION)])
    return True
