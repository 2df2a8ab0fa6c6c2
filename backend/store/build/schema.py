"""The tables, their version, and the way from an older version to this one."""

from collections.abc import Mapping
from pathlib import Path

import duckdb

from backend.benchmarks.winoground_stub import GATED
from backend.errors import FlipsideError
from backend.store.build import attached

#: Raised with every change of TABLES or of what fills them, together with an entry in MIGRATIONS or a rebuild from
#: shards (to 2: longer pools; to 3: classes, boundaries, and labels from edited editions; to 4: where runs are
#: from, and a run of a subset is not whole; to 5: scores under other images, cells and reasons and the numbers that
#: they rest on, clusters; to 6: what is said where other images may fit, and shares under images of other subsets;
#: to 7: a run whose limit or sample leaves nothing out is whole; to 8: items without captions have no concept; to 9:
#: rates, verdicts as bits and counts of items are kept, and all that is derived is made anew from the scores; to 10:
#: scores, outcomes and evidence lie in files beside the database, attached.py, and are views in it; to 11: intervals of
#: the rates that are kept, by the effective number of clusters).
VERSION = 11

UNDER_OTHERS: tuple[str, ...] = (
    """CREATE TABLE counterfactual_scores (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, image_item INTEGER, text_index INTEGER, value FLOAT,
        n_tokens SMALLINT)""",
    """CREATE TABLE counterfactual_vectors (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, "index" INTEGER, vector FLOAT[])""",
)

#: What is derived of a run's scores, all of it made anew where they change.
DERIVED: tuple[str, ...] = ("outcomes", "evidence", "cells", "judged", "verdict_bits", "rates")

#: What lay in the database itself before schema 10.
FORMER: tuple[str, ...] = (
    """CREATE TABLE scores (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, image_index SMALLINT, text_index INTEGER,
        text_index_b INTEGER, sample SMALLINT, value FLOAT, n_tokens SMALLINT)""",
    """CREATE TABLE outcomes (
        run_id VARCHAR, kind VARCHAR, item_no INTEGER, query INTEGER, metric VARCHAR,
        correct BOOLEAN, margin DOUBLE, ties BOOLEAN, cell VARCHAR, reason VARCHAR)""",
    """CREATE TABLE evidence (
        run_id VARCHAR, kind VARCHAR, protocol VARCHAR, item_no INTEGER, gamma DOUBLE, c DOUBLE, r DOUBLE,
        nested BOOLEAN, saturated INTEGER, m DOUBLE, b DOUBLE, g DOUBLE, s DOUBLE, z DOUBLE, b_error DOUBLE,
        n_other INTEGER, u DOUBLE, same INTEGER, preferred INTEGER, prefer INTEGER, others DOUBLE[], may_fit BOOLEAN,
        sources_agree BOOLEAN, cell VARCHAR, mirrored VARCHAR, reason VARCHAR, q DOUBLE, scale VARCHAR,
        least_low DOUBLE, least_high DOUBLE, elsewhere_low DOUBLE, elsewhere_high DOUBLE)""",
)

TABLES: tuple[str, ...] = (
    "CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR)",
    """CREATE TABLE benchmarks (
        hash VARCHAR, name VARCHAR, n_items INTEGER, n_images INTEGER, n_texts INTEGER,
        subsets VARCHAR, protocols VARCHAR, record VARCHAR, fingerprint VARCHAR)""",
    """CREATE TABLE items (
        benchmark VARCHAR, item_no INTEGER, item_id VARCHAR, subset VARCHAR, protocol VARCHAR, texts VARCHAR[],
        image_keys VARCHAR[], image_uris VARCHAR[], truth VARCHAR, tags VARCHAR, source VARCHAR,
        concepts VARCHAR[], perturbations VARCHAR[], cluster VARCHAR, exchanged BOOLEAN)""",
    """CREATE TABLE runs (
        run_id VARCHAR, model VARCHAR, benchmark VARCHAR, benchmark_name VARCHAR, split VARCHAR, subset VARCHAR,
        "limit" INTEGER, sample INTEGER, seed INTEGER, whole BOOLEAN, created VARCHAR, updated VARCHAR,
        record VARCHAR, origin VARCHAR, imported_from VARCHAR, imported_at VARCHAR)""",
    """CREATE TABLE run_parts (
        run_id VARCHAR, part VARCHAR, complete BOOLEAN, n_rows BIGINT, root VARCHAR, shards VARCHAR[])""",
    """CREATE TABLE tokens (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, image_index SMALLINT, text_index INTEGER, sample SMALLINT,
        tokens VARCHAR[], logprobs FLOAT[])""",
    """CREATE TABLE embeddings (
        run_id VARCHAR, part VARCHAR, item_no INTEGER, "index" INTEGER, vector FLOAT[])""",
    """CREATE TABLE judged (run_id VARCHAR, kind VARCHAR, items INTEGER)""",
    """CREATE TABLE verdict_bits (
        run_id VARCHAR, kind VARCHAR, metric VARCHAR, first_item INTEGER, n INTEGER, there BLOB, judged BLOB,
        correct BLOB, reason BLOB, words VARCHAR[])""",
    """CREATE TABLE rates (
        run_id VARCHAR, kind VARCHAR, "by" VARCHAR, metric VARCHAR, "group" VARCHAR, value DOUBLE, n INTEGER,
        ties INTEGER, lo DOUBLE, hi DOUBLE, chance DOUBLE, within_noise INTEGER, lowest DOUBLE, highest DOUBLE)""",
    """CREATE TABLE cells (
        run_id VARCHAR, kind VARCHAR, protocol VARCHAR, subset VARCHAR, cell VARCHAR, items INTEGER, mirrored INTEGER,
        n INTEGER, plus INTEGER, minus INTEGER, low DOUBLE, high DOUBLE, scale VARCHAR, certified INTEGER,
        least_q DOUBLE, n_other INTEGER, agree BOOLEAN)""",
    "CREATE TABLE problems (path VARCHAR, reason VARCHAR)",
    "CREATE TABLE files (path VARCHAR, bytes BIGINT, sha256 VARCHAR)",
    *UNDER_OTHERS,
)

#: `items.exchanged`: whether an item's first two captions have the same words; missing where its pictures or captions
#: are not here, or are too many to be read at a glance.
EXCHANGED = f"""CASE WHEN NOT list_contains(image_uris, '') AND len(image_uris) > 0 AND len(texts) BETWEEN 2 AND 8
    AND NOT ends_with(texts[1], '{GATED}')
    THEN list_sort(string_split(lower(texts[1]), ' ')) = list_sort(string_split(lower(texts[2]), ' ')) END"""

#: From version k to k + 1, as SQL. A version that is missing here is rebuilt from shards.
MIGRATIONS: Mapping[int, tuple[str, ...]] = {
    6: (
        """UPDATE runs SET whole = true, "limit" = NULL, sample = NULL
            WHERE try_cast(json_extract_string(record, '$.n_selected') AS INTEGER)
                = try_cast(json_extract_string(record, '$.benchmark.n_items') AS INTEGER)""",
    ),
    7: (
        f"""UPDATE items SET concepts = [], perturbations = [] WHERE len(texts) > 0
            AND list_bool_and(list_transform(texts, lambda text: ends_with(text, '{GATED}')))""",
    ),
    9: (
        "CREATE TABLE files (path VARCHAR, bytes BIGINT, sha256 VARCHAR)",  # and attached.take_out
        "ALTER TABLE items ADD COLUMN exchanged BOOLEAN",
        f"UPDATE items SET exchanged = {EXCHANGED}",
    ),
    8: (
        *(f"DROP TABLE IF EXISTS {name}" for name in DERIVED),
        *(table for table in (*FORMER, *TABLES) if table.split("(")[0].split()[-1] in DERIVED),
    ),
    10: (),  # all runs are judged anew
}


#: The versions from before these are judged anew when they are brought up to date, from the scores that they hold.
JUDGED_SINCE = 11


def create(connection: duckdb.DuckDBPyConnection, rows: Path) -> None:
    """All tables, empty, with their version. rows: the folder of what lies in files."""
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('schema', ?)", [str(VERSION)])
    attached.views(connection, rows)


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


def migrate(connection: duckdb.DuckDBPyConnection, rows: Path) -> bool:
    """Bring the tables to VERSION in place; False where no migration leads there and a rebuild is needed. Of a version
    before JUDGED_SINCE all runs have to be judged anew then. rows: the folder of what lies in files."""
    found = version_of(connection)
    if any(step not in MIGRATIONS for step in range(found, VERSION)):
        return False
    for step in range(found, VERSION):
        for statement in MIGRATIONS[step]:
            connection.execute(statement)
        if step == attached.SINCE - 1:
            attached.take_out(connection, rows)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(VERSION)])
    attached.views(connection, rows)
    return True
