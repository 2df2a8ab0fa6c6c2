"""The view `verdicts` of `flipside sql` and `Results.sql`: one row a verdict, with its run, item and words joined."""

from typing import Final

import duckdb

NAME: Final = "verdicts"
#: One row a verdict of each run's default settings. name: of the model, by its latest own run that says one.
SELECT: Final = """
    WITH called AS (
        SELECT model, arg_max(json_extract_string(record, '$.name'), (origin <> 'imported', updated, run_id)) AS name
        FROM runs WHERE json_extract_string(record, '$.name') IS NOT NULL GROUP BY model)
    SELECT r.model, coalesce(c.name, '') AS name, r.benchmark_name AS benchmark, i.subset, i.item_id, i.protocol,
        o.kind, o.metric, o.query, o.correct, o.margin, o.ties, o.cell, o.reason, i.concepts, i.perturbations,
        i.texts, i.image_keys AS images, i.cluster, i.source, r.run_id, r.benchmark AS benchmark_hash, r.whole,
        r.origin, r.updated, o.item_no
    FROM outcomes o JOIN runs r USING (run_id)
    JOIN items i ON i.benchmark = r.benchmark AND i.item_no = o.item_no LEFT JOIN called c ON c.model = r.model
"""


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the view for this connection; nothing is written into the database."""
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {NAME} AS {SELECT}")
