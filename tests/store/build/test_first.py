"""An empty cache begins with what was imported at set-up, and only where that is what an import would make now."""

import contextlib
import errno
import shutil
from pathlib import Path

import pytest

from backend import locks
from backend.errors import FlipsideError
from backend.store.build import attached, first, generations, importer, loading, make_first, sources
from tests.store import writer
from tests.store.conftest import ONE


@pytest.fixture
def made(toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What ships, here the toy runs, imported as at set-up; the cache is empty."""
    monkeypatch.setattr(first, "folder", lambda: tmp_path / "share")
    shipped = tmp_path / "shipped"
    toy.rename(shipped)
    for name in ("first", "importer"):
        monkeypatch.setattr(f"backend.store.build.{name}.sources.bundled_runs_dir", lambda: shipped)
    cache = tmp_path / "cache"
    path = make_first.make()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(cache))
    return path


def tables(path: Path | None) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables but what names a build, and problems: an import names those of what it reads."""
    assert path is not None
    with contextlib.closing(importer.connect(path, read_only=True)) as connection:
        names = connection.execute(
            """SELECT table_name FROM duckdb_tables() WHERE table_name NOT IN ('meta', 'problems')
            UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"""
        ).fetchall()
        return {name: connection.execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for (name,) in names}


def test_a_cache_that_begins_with_it_holds_what_an_import_makes(
    made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert first.found() == made
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_insert", lambda *_: pytest.fail("a shard was imported"))
        importer.refresh()
    begun = tables(generations.current())
    assert len(begun["scores"]) > 100
    monkeypatch.setattr(first, "found", lambda: None)
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "other"))
    importer.refresh()
    assert tables(generations.current()) == begun


def test_it_counts_only_for_this_code_and_these_results(
    made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shipped = sources.roots()[0]
    manifest = next(shipped.glob("runs/*/manifest.json"))
    said = manifest.read_bytes()
    manifest.write_bytes(said + b" ")
    assert first.found() is None
    manifest.write_bytes(said)
    assert first.found() == made
    code = tmp_path / "code"
    code.mkdir()
    (code / "changed.py").write_text("x = 1\n")
    monkeypatch.setattr(first, "CODE", code)
    assert first.found() is None
    again = make_first.make()
    assert first.found() == again
    assert not made.exists()


def test_a_damaged_one_is_no_harm(made: Path) -> None:
    content = made.read_bytes()
    for damaged in (b"", content[:5000], b"x" * len(content)):
        made.write_bytes(damaged)
        importer.refresh()
        assert len(tables(generations.current())["scores"]) > 100
        shutil.rmtree(generations.db_dir())


def test_one_whose_rows_are_damaged_is_no_harm(made: Path) -> None:
    for path in attached.folder_of(made).glob("outcomes/*/*/*.parquet"):
        path.write_bytes(path.read_bytes()[:-9])
    importer.refresh()
    assert len(tables(generations.current())["outcomes"]) > 100


def test_one_that_was_damaged_in_place_is_not_used_and_stays_where_it_is(made: Path) -> None:
    """It belongs to the installation: no cache sets it aside."""
    for path in attached.folder_of(made).glob("scores/*/*/*.parquet"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 2
        path.unlink()
        path.write_bytes(bytes(data))
    assert importer.refresh(wait=True)
    assert made.is_file()
    assert not list(made.parent.glob("damaged*"))
    path = generations.current()
    assert path is not None
    with contextlib.closing(importer.connect(path, read_only=True)) as connection:
        assert not attached.wrong(connection, attached.folder_of(path), read=True)


def test_a_full_disk_ends_at_once(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known to fit is not imported a second time: that would need more room."""
    begun = []

    def no_room(connection, rows, judge_all):
        begun.append(rows)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(importer, "fill", no_room)
    with pytest.raises(FlipsideError, match="No space is left on the disk"):
        importer.refresh(wait=True)
    assert len(begun) == 1
    assert [path.name for path in generations.db_dir().iterdir()] == []


def test_what_is_in_the_cache_comes_on_top(made: Path, items: list[object]) -> None:
    assert first.found() == made
    writer.write_run(generations.cache_dir(), items, "9" * 16, ["itc"], model="fake:late")
    importer.refresh()
    runs = {row[0] for row in tables(generations.current())["runs"]}
    assert {"9" * 16, ONE} <= runs


def test_what_a_killed_set_up_has_left_goes(made: Path) -> None:
    left = first.folder() / f".{first.PREFIX}left"
    (left / "cache").mkdir(parents=True)
    with first.scratch() as scratch:
        assert scratch.is_dir()
        assert not left.exists()
        assert locks.is_held(first.folder() / first.LOCK), "a second set-up waits"
    assert not scratch.exists()
    assert made.is_file()
    assert make_first.make() == made, "and finds what the first has made"
