"""Deleting tags, notes and saved views so that each can be brought back exactly, down to when it was made."""

from dataclasses import dataclass

from backend.errors import FlipsideError
from backend.store.failures import notes

#: Table -> the columns that name a row of it, and all of them in order.
_KEYS = {"tags": ("benchmark", "item_id", "tag"), "notes": ("benchmark", "item_id"), "views": ("page", "name")}
_WIDTH = {"tags": 4, "notes": 4, "views": 4}


@dataclass(frozen=True)
class Deleted:
    """What was deleted. table: tags, notes or views; rows: as they stood."""

    table: str
    rows: tuple[tuple[str, ...], ...]


def tag(benchmark: str, item_id: str, name: str) -> Deleted:
    """Take a tag off an item of a benchmark (hash)."""
    return _delete("tags", (benchmark, item_id, name.strip()))


def note(benchmark: str, item_id: str) -> Deleted:
    """Delete an item's note."""
    return _delete("notes", (benchmark, item_id))


def view(page: str, name: str) -> Deleted:
    """Forget a page's saved view."""
    return _delete("views", (page, name.strip()))


def restore(deleted: Deleted) -> None:
    """Bring back what was deleted. FlipsideError where something was written in its place since: that stays."""
    marks = ", ".join("?" * _WIDTH[deleted.table])
    with notes.connected() as connection:
        lost = [
            row
            for row in deleted.rows
            if not connection.execute(f"INSERT OR IGNORE INTO {deleted.table} VALUES ({marks})", row).rowcount
        ]
    if lost:
        raise FlipsideError(f"Not brought back: another {deleted.table[:-1]} was written in its place since.")


def _delete(table: str, key: tuple[str, ...]) -> Deleted:
    where = " AND ".join(f"{column} = ?" for column in _KEYS[table])
    with notes.connected() as connection:
        rows = connection.execute(f"SELECT * FROM {table} WHERE {where}", key).fetchall()
        connection.execute(f"DELETE FROM {table} WHERE {where}", key)
    return Deleted(table, tuple(tuple(row) for row in rows))
