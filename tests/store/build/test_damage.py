"""Damaged databases are set aside and rebuilt, a full disk is said; nothing is left lying about, no note is deleted."""

import errno
import sqlite3
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from backend.durable import is_full, unwritable
from backend.errors import FlipsideError
from backend.store import queries
from backend.store.build import damage, generations, importer
from backend.store.build.reader import open_store
from backend.store.failures import notes
from tests.pages import results


@pytest.fixture
def built(flipside_cache):
    results.write(flipside_cache)
    importer.refresh(wait=True)
    return flipside_cache


def hurt(path: Path, how: str) -> None:
    data = path.read_bytes()
    pieces = {"empty": b"", "text": b"hello" * 9999, "half": data[: len(data) // 2]}
    # Every block: which of them a query reads first is DuckDB's business.
    step = 262_144
    torn = b"".join(
        data[at : at + 12_288] + b"\xff" * 64 + data[at + 12_352 : at + step] for at in range(0, len(data), step)
    )
    path.write_bytes(pieces.get(how, torn))


@pytest.mark.parametrize("how", ["empty", "text", "half", "torn"])
def test_a_damaged_database_is_set_aside_rebuilt_and_said(built, how, capfd):
    path = generations.current()
    hurt(path, how)
    with_runs = queries.runs(open_store(follow=False))
    assert len(with_runs)
    assert generations.current() != path
    (kept,) = damage.known()
    said = capfd.readouterr().err
    assert str(kept) in said
    assert "rebuilt from shards" in said


def test_damage_that_a_query_meets_is_mended_for_the_next_command(built, flipside, monkeypatch):
    path = generations.current()
    hurt(path, "torn")
    with monkeypatch.context() as patch:
        patch.setattr(importer, "_bring_up_to_date", lambda: None)  # as if what this reads were whole
        answer = flipside("sql", "select count(*) from runs")
    assert answer.code == 1
    assert "set aside" in answer.err
    assert "fault of the program" not in answer.err
    assert generations.current() != path
    assert flipside("sql", "select count(*) from runs").code == 0


def test_only_the_last_damaged_generation_is_kept(built):
    for _ in range(3):
        hurt(generations.current(), "text")
        importer.refresh(wait=True)
    assert len(damage.known()) == 1


@pytest.mark.parametrize("how", ["text", "torn"])
def test_damaged_notes_are_set_aside_and_never_deleted(flipside_cache, how, capfd):
    for n in range(400):
        notes.set_note("b", f"i{n}", "words " * 50)
    path = flipside_cache / "notes.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    path.write_bytes(b"hello" * 9999 if how == "text" else data[:4096] + b"\xff" * (len(data) - 4096))
    with suppress(FlipsideError):  # a damage in the middle is met after the file was opened, and said
        notes.set_note("b", "new", "word")
    notes.set_note("b", "new", "word")
    assert notes.note("b", "new") == "word"
    (kept,) = damage.known()
    assert kept.read_bytes()[:16] == (b"hellohellohelloh" if how == "text" else b"SQLite format 3\0")
    assert str(kept) in capfd.readouterr().err
    for _ in range(3):  # a second accident keeps the first file
        path.write_bytes(b"hello" * 9999)
        notes.tags("b")
    assert len(damage.known()) == 4


def no_room(*_args, **_more):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "where", ["shutil.copyfile", "backend.store.build.importer.fill", "backend.store.build.generations.sync_dir"]
)
def test_a_full_disk_is_one_sentence_and_leaves_nothing_half_built(built, monkeypatch, where, flipside):
    before = generations.current()
    results.write(built, name="another")
    with monkeypatch.context() as patch:
        patch.setattr(where, no_room)
        answer = flipside("sql", "select count(*) from runs")
    assert answer.code == 1
    assert "No space is left" in answer.err
    assert "FLIPSIDE_CACHE" in answer.err
    assert "fault of the program" not in answer.err
    assert not list(generations.db_dir().glob(".building-*"))
    assert generations.current() == before
    assert flipside("sql", "select count(*) from runs").code == 0


def test_what_a_killed_build_left_is_cleaned_up_even_where_nothing_is_new(built):
    left = generations.db_dir() / ".building-99999.duckdb"
    left.write_bytes(b"half")
    (generations.db_dir() / ".building-99999.duckdb.wal").write_bytes(b"half")
    importer.refresh(wait=True)
    assert not list(generations.db_dir().glob(".building-*"))


def test_notes_on_a_full_disk(flipside_cache, monkeypatch):
    def full(*_args, **_more):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("backend.store.failures.notes._opened", full)
    with pytest.raises(FlipsideError, match="No space is left"):
        notes.set_note("b", "i", "word")
    assert not damage.known()


def test_a_user_s_words_are_no_full_disk():
    assert not is_full(ValueError("“the disk is full of stars” is no caption"))
    hidden = RuntimeError("cannot rollback")
    hidden.__context__ = OSError(errno.ENOSPC, "No space left on device")
    assert is_full(hidden)
    assert is_full(OSError(errno.EDQUOT, "Disk quota exceeded"))


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.EFBIG, "File too large"), "/c: a file would be longer than your shell or this disk allows"),
        (OSError(errno.EROFS, "Read-only file system", "/x/a"), "/x/a: the disk of / is read-only"),
        (PermissionError(errno.EACCES, "Permission denied", "/x/a"), "/x/a: may not be read or written by you"),
        (duckdb.IOException('Could not write file "a": File too large'), "/c: a file would be longer"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space is left on the disk of /c"),
        (OSError(errno.EIO, "Input/output error"), ""),
        (ValueError("permission denied"), ""),
    ],
)
def test_what_keeps_a_file_from_being_written_is_a_sentence(error, says):
    said = unwritable(error, Path("/c"))
    assert said.startswith(says)
    assert bool(said) == bool(says)
