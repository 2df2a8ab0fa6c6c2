"""Stub editions whose full edition is here: runs on the stub are shown on the whole items, by item id.

The run's record keeps the stub's hash, and its shards stay as they are: scores are neither copied nor hashed anew.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

COMPLETES = "completes.json"
_PATTERN = f"benchmarks/*/{COMPLETES}"


def declared(root: Path) -> list[Path]:
    """The files in which an import here has noted that an edition completes a stub."""
    return sorted(root.glob(_PATTERN))


@dataclass(frozen=True)
class Completions:
    """Stub -> the edition that completes it, both as the first 16 hex digits of their hashes."""

    full_of: Mapping[str, str]

    def shown_on(self, stub: str) -> str:
        """The benchmark on which a run of this benchmark is shown: its completion, else itself."""
        return self.full_of.get(stub, stub)

    def numbers(self, connection: "duckdb.DuckDBPyConnection", stub: str) -> None:
        """Make the table `moved` (old, new): the number of each item of a stub, and of its completion's by item id."""
        connection.execute("DROP TABLE IF EXISTS moved")
        connection.execute(
            """CREATE TEMP TABLE moved AS SELECT s.item_no AS old, f.item_no AS new
            FROM items s JOIN items f ON f.item_id = s.item_id WHERE s.benchmark = ? AND f.benchmark = ?""",
            [stub, self.full_of[stub]],
        )


def usable(connection: "duckdb.DuckDBPyConnection", said: Iterable[Mapping[str, Any]]) -> Completions:
    """The completions of which both editions are in the tables and every item of the stub has its like.

    said: what the files say; of several that complete one stub, the last one counts.
    """
    found: dict[str, str] = {}
    for each in said:
        stub, full = (str(each.get(key) or "")[:16] for key in ("stub", "benchmark"))
        rows = connection.execute(
            """SELECT count(*), count(f.item_id) FROM items s LEFT JOIN items f
                ON f.benchmark = ? AND f.item_id = s.item_id AND f.protocol = s.protocol
                AND len(f.texts) = len(s.texts) AND len(f.image_keys) = len(s.image_keys)
            WHERE s.benchmark = ?""",
            [full, stub],
        ).fetchall()
        if stub != full and rows[0][0] and rows[0][0] == rows[0][1]:
            found[stub] = full
    return Completions(found)
