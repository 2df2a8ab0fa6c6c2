"""Verdicts of one's own on items, in `<cache>/notes.sqlite` beside tags and notes: what a person says of an item.

One verdict an item, without an author, with the moment it was given. The table comes with the first verdict, and no
number of the file's version with it: an earlier Flipside reads the same file and leaves the table alone.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from backend.errors import FlipsideError, UsageError
from backend.store.failures import notes

#: Word -> (what it is called, what it says), in the order of the keys 1, 2 and 3.
VERDICTS = {
    "model_wrong": ("model wrong", "the item is sound, and a model that misses it is at fault"),
    "label_wrong": ("label wrong", "what the benchmark counts as true is not, or not alone"),
    "ambiguous": ("ambiguous", "more than one answer can be defended"),
}
#: Stands for items without one wherever they are counted or filtered.
NONE = "none"
_TABLE = """CREATE TABLE IF NOT EXISTS own_verdicts (
    benchmark TEXT, item_id TEXT, verdict TEXT, made TEXT, PRIMARY KEY (benchmark, item_id))"""


@dataclass(frozen=True)
class OwnVerdict:
    """verdict: a word of `VERDICTS`; made: when, in UTC (ISO 8601)."""

    verdict: str
    made: str

    @property
    def title(self) -> str:
        """What it is called.

        >>> OwnVerdict("label_wrong", "2026-01-01T00:00:00+00:00").title
        'label wrong'
        """
        return title(self.verdict)


def title(word: str) -> str:
    """What a verdict is called; that of a later version by its word."""
    return VERDICTS[word][0] if word in VERDICTS else word.replace("_", " ")


def give(benchmark: str, item_id: str, verdict: str, seen: str | None = None) -> None:
    """Judge an item of a benchmark (hash), in place of what was said of it before; "" takes the verdict away.

    seen: what whoever judges believes to stand there ("" for nothing); where it is another one by now, it stands, and
    that is an error. UsageError for another word; FlipsideError where it cannot be written: then what stood there
    stands.
    """
    _checked(verdict)
    with notes.connected() as connection:
        connection.execute("BEGIN IMMEDIATE")  # nobody writes between the look and the answer to it
        found = _find(connection, benchmark, item_id)
        now = found.verdict if found is not None else ""
        if seen is not None and now not in (seen, verdict):
            raise FlipsideError(
                f"{item_id}: another window judged it meanwhile"
                f"{f' (“{title(now)}”)' if now else ', and took its verdict away'}. Nothing was changed; judge again."
            )
        _put(connection, benchmark, item_id, verdict)


def switch(benchmark: str, item_id: str, verdict: str) -> str:
    """Give a verdict, or take it away where the item has this very one; returns the verdict that it has now. Errors as
    of `give`."""
    _checked(verdict)
    with notes.connected() as connection:
        connection.execute("BEGIN IMMEDIATE")  # nobody writes between the look and the answer to it
        found = _find(connection, benchmark, item_id)
        now = "" if found is not None and found.verdict == verdict else verdict
        _put(connection, benchmark, item_id, now)
    return now


def of_item(benchmark: str, item_id: str) -> OwnVerdict | None:
    """An item's verdict; None where nobody judged it."""
    with notes.connected() as connection:
        return _find(connection, benchmark, item_id)


def of(benchmarks: Sequence[str]) -> dict[tuple[str, str], OwnVerdict]:
    """(benchmark hash, item id) -> verdict, of all items of these benchmarks that have one, the latest first."""
    with notes.connected() as connection:
        if not _there(connection):
            return {}
        marks = ", ".join("?" * len(dict.fromkeys(benchmarks)))
        rows = connection.execute(
            f"""SELECT benchmark, item_id, verdict, made FROM own_verdicts WHERE benchmark IN ({marks})
            ORDER BY made DESC, item_id""",
            list(dict.fromkeys(benchmarks)),
        ).fetchall()
    return {(str(b), str(item)): OwnVerdict(str(verdict), str(made)) for b, item, verdict, made in rows}


def as_set(benchmarks: Sequence[str], names: dict[str, str] | None = None) -> pd.DataFrame:
    """All verdicts as a set to hand on: item_id, human_verdict (what it is called), human_date, note, tags joined by
    `|`; with names (hash -> name) first the column `benchmark`. No author is kept, so none is in it."""
    found = of(benchmarks)
    tags = {b: notes.tags(b) for b in dict.fromkeys(b for b, _ in found)}
    written: dict[str, dict[str, str]] = {
        b: {str(item): str(text) for item, text in notes.notes(b)[["item_id", "text"]].itertuples(index=False)}
        for b in tags
    }
    rows = [
        {"benchmark": (names or {}).get(b, b), "item_id": item, "human_verdict": each.title, "human_date": each.made,
         "note": written[b].get(item, ""), "tags": "|".join(tags[b].get(item, []))}
        for (b, item), each in found.items()
    ]  # fmt: skip
    columns = ["benchmark", "item_id", "human_verdict", "human_date", "note", "tags"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame if names else frame.drop(columns="benchmark")


def _checked(verdict: str) -> None:
    if verdict and verdict not in VERDICTS:
        raise UsageError(f"{verdict[:40]!r} is no verdict on an item; there are {', '.join(VERDICTS)}.")


def _put(connection: sqlite3.Connection, benchmark: str, item_id: str, verdict: str) -> None:
    if verdict:
        connection.execute(_TABLE)
        row = (benchmark, item_id, verdict, notes.now())
        connection.execute("INSERT OR REPLACE INTO own_verdicts VALUES (?, ?, ?, ?)", row)
    elif _there(connection):
        connection.execute("DELETE FROM own_verdicts WHERE benchmark = ? AND item_id = ?", (benchmark, item_id))


def _find(connection: sqlite3.Connection, benchmark: str, item_id: str) -> OwnVerdict | None:
    if not _there(connection):
        return None
    row = connection.execute(
        "SELECT verdict, made FROM own_verdicts WHERE benchmark = ? AND item_id = ?", (benchmark, item_id)
    ).fetchone()
    return OwnVerdict(str(row[0]), str(row[1])) if row else None


def _there(connection: sqlite3.Connection) -> bool:
    asked = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'own_verdicts'"
    return connection.execute(asked).fetchone() is not None
