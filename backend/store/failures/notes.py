"""What people write: tags, notes and saved views, in `<cache>/notes.sqlite`; safe for threads and processes.

Every call opens its own connection (WAL, a busy timeout), so that nothing is shared and nothing is held.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from backend.durable import unwritable
from backend.errors import FlipsideError, UsageError
from backend.paths import cache_dir
from backend.store.build import damage

VERSION = 2
#: Characters that a tag, a name of a view, and a note may have.
TAG_LENGTH, NOTE_LENGTH = 64, 20_000

_TABLES = """
CREATE TABLE IF NOT EXISTS tags (
    benchmark TEXT, item_id TEXT, tag TEXT, made TEXT, PRIMARY KEY (benchmark, item_id, tag));
CREATE TABLE IF NOT EXISTS notes (
    benchmark TEXT, item_id TEXT, text TEXT, made TEXT, PRIMARY KEY (benchmark, item_id));
CREATE TABLE IF NOT EXISTS views (page TEXT, name TEXT, state TEXT, made TEXT, PRIMARY KEY (page, name));
CREATE TABLE IF NOT EXISTS selections (key TEXT PRIMARY KEY, benchmark TEXT, item_ids TEXT, title TEXT, made TEXT);
"""


@contextmanager
def connected() -> Iterator[sqlite3.Connection]:
    """A connection with all tables in place, committed at the end; FlipsideError where the file cannot be used."""
    path = cache_dir() / "notes.sqlite"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(_opened(path)) as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found > VERSION:
                raise FlipsideError(f"{path}: made by a newer Flipside; update Flipside to read your notes.")
            if found < VERSION:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(f"{_TABLES} PRAGMA user_version = {VERSION};")
            with connection:
                yield connection
    except (sqlite3.Error, OSError) as error:
        if said := unwritable(error, path.parent):
            raise FlipsideError(said) from error
        if damage.is_damage(error):  # in the middle of the file: nothing was written
            _replaced(path)
            raise FlipsideError("The notes were damaged and set aside; a new file was begun. Try again.") from error
        # Of the disk, the folder or another process, not of what is in the file.
        if isinstance(error, sqlite3.OperationalError | OSError):
            raise FlipsideError(
                f"{path}: notes cannot be read or written just now ({error}). What is in the file stays as it is: "
                "load the page again; if it says the same, make room on its disk, or its folder writable."
            ) from error
        raise FlipsideError(f"{path}: notes cannot be read or written ({error}). Restore or move the file.") from error


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to the notes; where the file is none of SQLite's, it is set aside and a new one is begun."""
    connection = sqlite3.connect(path, timeout=30)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        if not damage.is_damage(error):
            raise
        _replaced(path)
        return sqlite3.connect(path, timeout=30)
    return connection


def _replaced(path: Path) -> None:
    """Set the file aside unless somebody else has done so meanwhile."""
    with damage.one_at_a_time(path):
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection:
                fine = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        except sqlite3.DatabaseError as error:
            fine = not damage.is_damage(error)
        if not fine:
            damage.set_aside(path)


def add_tag(benchmark: str, item_id: str, tag: str) -> None:
    """Tag an item of a benchmark (hash); a tag that is there stays once."""
    with connected() as connection:
        row = (benchmark, item_id, _name(tag, "a tag"), now())
        connection.execute("INSERT OR IGNORE INTO tags VALUES (?, ?, ?, ?)", row)


def remove_tag(benchmark: str, item_id: str, tag: str) -> None:
    """Take a tag away; nothing happens where it is not there."""
    with connected() as connection:
        connection.execute(
            "DELETE FROM tags WHERE benchmark = ? AND item_id = ? AND tag = ?", (benchmark, item_id, tag.strip())
        )


def tags(benchmark: str, item_id: str | None = None) -> dict[str, list[str]]:
    """Item id -> its tags, for one item or for all that have any."""
    with connected() as connection:
        rows = connection.execute(
            "SELECT item_id, tag FROM tags WHERE benchmark = ? AND (? IS NULL OR item_id = ?) ORDER BY item_id, tag",
            (benchmark, item_id, item_id),
        ).fetchall()
    found: dict[str, list[str]] = {}
    for name, tag in rows:
        found.setdefault(name, []).append(tag)
    return found


def tag_names(benchmark: str) -> dict[str, int]:
    """Tag -> how many items carry it, the most frequent first."""
    with connected() as connection:
        rows = connection.execute(
            "SELECT tag, count(*) FROM tags WHERE benchmark = ? GROUP BY tag ORDER BY 2 DESC, 1", (benchmark,)
        )
        return dict(rows.fetchall())


def set_note(benchmark: str, item_id: str, text: str, seen: str | None = None) -> str:
    """Write an item's note; an empty one removes it. Returns what is kept.

    seen: the note that whoever writes believes to stand there. Where it is another one by now, both are kept, the other
    one first: nobody's words are lost. UsageError for a note that is too long; then what stood there stands.
    """
    text = text.strip()
    with connected() as connection:
        connection.execute("BEGIN IMMEDIATE")  # nobody writes between the look and the answer to it
        now_there = _find_note(connection, benchmark, item_id)
        if seen is not None and now_there not in ("", seen.strip(), text):
            text = f"{now_there}\n{text}".strip()
        if len(text) > NOTE_LENGTH:
            raise UsageError(f"a note has at most {NOTE_LENGTH:,} characters; this one has {len(text):,}.")
        connection.execute("DELETE FROM notes WHERE benchmark = ? AND item_id = ?", (benchmark, item_id))
        if text:
            connection.execute("INSERT INTO notes VALUES (?, ?, ?, ?)", (benchmark, item_id, text, now()))
    return text


def note(benchmark: str, item_id: str) -> str:
    """An item's note; "" where there is none."""
    with connected() as connection:
        return _find_note(connection, benchmark, item_id)


def _find_note(connection: sqlite3.Connection, benchmark: str, item_id: str) -> str:
    row = connection.execute(
        "SELECT text FROM notes WHERE benchmark = ? AND item_id = ?", (benchmark, item_id)
    ).fetchone()
    return str(row[0]) if row else ""


def notes(benchmark: str) -> pd.DataFrame:
    """All notes on a benchmark: item_id, text, made."""
    with connected() as connection:
        rows = connection.execute(
            "SELECT item_id, text, made FROM notes WHERE benchmark = ? ORDER BY made DESC", (benchmark,)
        ).fetchall()
    return pd.DataFrame(rows, columns=["item_id", "text", "made"])


def marks(benchmarks: Sequence[str]) -> list[tuple[str, str, list[str], bool]]:
    """(benchmark, item id, its tags, whether it has a note) of every item that somebody tagged or wrote about."""
    found: dict[tuple[str, str], tuple[list[str], bool]] = {}
    with connected() as connection:
        for benchmark in dict.fromkeys(benchmarks):
            for item_id, tag in connection.execute(
                "SELECT item_id, tag FROM tags WHERE benchmark = ? ORDER BY item_id, tag", (benchmark,)
            ):
                found.setdefault((benchmark, item_id), ([], False))[0].append(tag)
            for (item_id,) in connection.execute("SELECT item_id FROM notes WHERE benchmark = ?", (benchmark,)):
                found[benchmark, item_id] = (found.get((benchmark, item_id), ([], False))[0], True)
    return [(benchmark, item_id, tags, noted) for (benchmark, item_id), (tags, noted) in found.items()]


def version() -> str:
    """Changes with every write of any process: a part of the key of whatever is cached and depends on notes."""
    said = []
    for name in ("notes.sqlite", "notes.sqlite-wal"):
        with contextlib.suppress(OSError):
            stat = (cache_dir() / name).stat()
            said.append(f"{stat.st_mtime_ns}/{stat.st_size}" if stat.st_size else "")
    return " ".join(said)


def save_view(page: str, name: str, state: dict[str, Any]) -> None:
    """Keep a page's state (what its address holds) under a name; the same name replaces it."""
    with connected() as connection:
        row = (page, _name(name, "a view's name"), json.dumps(state, ensure_ascii=False), now())
        connection.execute("INSERT OR REPLACE INTO views VALUES (?, ?, ?, ?)", row)


def views(page: str) -> dict[str, dict[str, Any]]:
    """Name -> state of a page's saved views, by name."""
    with connected() as connection:
        rows = connection.execute("SELECT name, state FROM views WHERE page = ? ORDER BY name", (page,)).fetchall()
    return {name: json.loads(state) for name, state in rows}


def _name(text: str, what: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > TAG_LENGTH:
        raise UsageError(f"{what} has 1 to {TAG_LENGTH} characters, not {len(name)}.")
    return name


def now() -> str:
    """The present moment in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
