"""Sets of items that somebody picked, on a chart or in a list: kept under a name made of their content, so that an
address of a few characters reopens thousands of items.

They live with notes, tags and views, in `<cache>/notes.sqlite` (see `notes`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from backend.errors import UsageError
from backend.items import set_digest
from backend.store.failures import notes

#: So many items may be kept under one name.
MOST = 200_000
TITLE_LENGTH = 120


@dataclass(frozen=True)
class PickedSet:
    """Picked items. key: what addresses name; benchmark: its hash; title: where they are from, in words."""

    key: str
    benchmark: str
    item_ids: tuple[str, ...]
    title: str


def keep(benchmark: str, item_ids: Sequence[str], title: str) -> PickedSet:
    """Keep a set of a benchmark's (hash) items. The same items under the same title are kept once.

    UsageError where there are none, or more than `MOST`; FlipsideError where it cannot be written.
    """
    ids = tuple(dict.fromkeys(item_ids))
    if not 1 <= len(ids) <= MOST:
        raise UsageError(f"a selection has 1 to {MOST:,} items, not {len(ids):,}. Pick others.")
    title = " ".join(title.split())[:TITLE_LENGTH]
    key = sha256(json.dumps([benchmark, title, sorted(ids)]).encode()).hexdigest()[:12]
    with notes.connected() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO selections VALUES (?, ?, ?, ?, ?)",
            (key, benchmark, json.dumps(ids), title, notes.now()),
        )
    return PickedSet(key, benchmark, ids, title)


def find(key: str) -> PickedSet | None:
    """What is kept under a key; None where nothing is."""
    with notes.connected() as connection:
        row = connection.execute(
            "SELECT key, benchmark, item_ids, title FROM selections WHERE key = ?", (key,)
        ).fetchone()
    return PickedSet(row[0], row[1], tuple(json.loads(row[2])), row[3]) if row else None


def of_digest(benchmark: str, sha256: str) -> PickedSet | None:
    """The latest set of a benchmark's (hash) items of this digest (`items.set_digest`); None where none is kept."""
    with notes.connected() as connection:
        rows = connection.execute(
            "SELECT key, item_ids, title FROM selections WHERE benchmark = ? ORDER BY made DESC", (benchmark,)
        ).fetchall()
    found = (PickedSet(key, benchmark, tuple(json.loads(ids)), title) for key, ids, title in rows)
    return next((each for each in found if set_digest(each.item_ids) == sha256), None)
