"""A generation with the example, made before it is asked for: to the byte what importing it gives, and used only where
nothing else has come since."""

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from backend import locks
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.store.build import attached, generations, importer
from backend.store.build.reader import open_store
from backend.store.examples import ahead, example, shown_once

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("shipped_imported")]
#: What tells two builds of the same content apart.
_OWN = {"stamp", "build"}


def content(generation: Path) -> tuple[dict[str, list[tuple[object, ...]]], dict[str, bytes]]:
    """(rows of all tables, the bytes of all files) of a generation."""
    with contextlib.closing(importer.connect(generation, read_only=True)) as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        rows = {name: connection.execute(f"SELECT * FROM {name} ORDER BY ALL").fetchall() for name in names}
    rows["meta"] = [row for row in rows["meta"] if row[0] not in _OWN]
    folder = attached.folder_of(generation)
    return rows, {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob("*/*/*/*.parquet")}


def in_cache(cache: Path) -> set[str]:
    return {path.relative_to(cache).as_posix() for top in ("runs", "benchmarks") for path in cache.glob(f"{top}/*/*")}


def made(few: Path) -> Path:
    importer.refresh(wait=True)
    path = ahead.make(few)
    assert path is not None
    return path


def test_it_holds_what_importing_the_example_gives(flipside_cache: Path, few: Path, tmp_path: Path) -> None:
    made(few)
    other = tmp_path / "other"
    shutil.copytree(flipside_cache, other)
    assert not in_cache(flipside_cache) & {f"runs/{run.name}/run.json" for run in shards.run_dirs(few)}
    assert ahead.take(few)
    taken, there = content(generations.current() or Path()), in_cache(flipside_cache)
    assert importer.is_current_now()
    before = generations.current()
    importer.refresh(wait=True)
    assert generations.current() == before  # nothing is left to be imported
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(other))
        shutil.rmtree(ahead.folder())
        assert not ahead.take(few)
        assert example.take_over(few) == 2
        importer.refresh(wait=True)
        rows, files = content(generations.current() or Path())
    roots = {"run_parts": (str(other), str(flipside_cache))}
    rows = {
        name: [tuple(roots[name][1] if cell == roots[name][0] else cell for cell in row) for row in of]
        if name in roots else of
        for name, of in rows.items()
    }  # fmt: skip
    assert taken[0].keys() == rows.keys()
    for name, of in rows.items():
        assert sorted(map(repr, taken[0][name])) == sorted(map(repr, of)), name
    assert taken[1] == files
    assert {path for path in there if not path.endswith("lock")} == {
        path for path in in_cache(other) if not path.endswith("lock")
    }


def test_a_store_moves_on_to_it(few: Path) -> None:
    store = open_store(wait=True)
    known = store.cursor().execute("SELECT count(*) FROM runs").fetchall()[0][0]
    made(few)
    assert store.cursor().execute("SELECT count(*) FROM runs").fetchall() == [(known,)]
    assert shown_once.is_new(few)
    assert shown_once.take_over(few) == 2
    store.refresh()
    rows = store.cursor().execute("SELECT origin FROM runs JOIN outcomes USING (run_id)").fetchall()
    assert {origin for (origin,) in rows} == {"shipped"}
    assert store.cursor().execute("SELECT count(*) FROM runs").fetchall() == [(known + 2,)]
    assert not shown_once.is_new(few)
    store.close()


def test_what_was_made_ahead_is_read_without_another_import(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(wait=True)
    known = store.cursor().execute("SELECT count(*) FROM runs").fetchall()[0][0]
    assert not shown_once.take_ahead(few)  # it was not made
    assert shown_once.is_new(few)
    made(few)

    def refused(*_: object) -> None:
        raise AssertionError("it is imported again")

    monkeypatch.setattr(store._source, "refresh", refused)
    monkeypatch.setattr(store._source, "refresh_quietly", refused)
    assert shown_once.take_ahead(few)
    store.move_on()
    assert store.reading.startswith(str(generations.current().stem))  # type: ignore[union-attr]
    assert store.cursor().execute("SELECT count(*) FROM runs").fetchall() == [(known + 2,)]
    assert store.ahead() == ""
    assert not shown_once.is_new(few)
    store.close()


def test_it_is_made_once(few: Path) -> None:
    path = made(few)
    first = path.stat().st_ino
    assert ahead.make(few) == path
    assert path.stat().st_ino == first


def test_nothing_is_taken_once_something_else_has_come(flipside_cache: Path, few: Path) -> None:
    made(few)
    there = in_cache(flipside_cache)
    one = shards.run_dirs(few)[0]
    shutil.copytree(one, flipside_cache / "runs" / one.name)
    before = generations.current()
    assert ahead.found(few) is None
    assert not ahead.take(few)
    assert generations.current() == before
    assert in_cache(flipside_cache) == there | {f"runs/{one.name}/{path.name}" for path in one.iterdir()}
    assert ahead.make(few) is None  # it is not imported yet, and has a name of the example's


def test_nothing_is_taken_of_an_older_generation(few: Path) -> None:
    made(few)
    aside = generations.begin(generations.current())
    generations.publish(aside)  # the same content as a newer one
    before = generations.current()
    assert not ahead.take(few)
    assert generations.current() == before
    assert made(few).name != before.name


def test_an_import_between_leaves_it_where_it_lies(few: Path) -> None:
    path = made(few)
    with generations.import_lock(wait=True):
        generations.sweep()
    assert ahead.found(few) == path


def left(cache: Path) -> set[str]:
    return {path.relative_to(cache).as_posix() for path in (cache / "db" / "ahead").rglob("*")}


def test_what_is_ended_in_the_middle_leaves_nothing(
    flipside_cache: Path, few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    importer.refresh(wait=True)
    there: set[str] = set()

    def ended(*_: object, **__: object) -> None:
        there.update(left(flipside_cache))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(importer, "fill", ended)
        with pytest.raises(KeyboardInterrupt):
            ahead.make(few)
    assert any(generations.ASIDE in name for name in there)
    assert left(flipside_cache) == {"db/ahead/lock"}


def test_what_a_killed_process_left_goes_at_the_next_look(flipside_cache: Path, few: Path) -> None:
    path = made(few)
    importer.refresh(wait=True)
    assert ahead.found(few) == path  # what is whole stays
    (ahead.folder() / ahead.NOTE).unlink()
    (ahead.folder() / f"{generations.ASIDE}{path.name}").write_bytes(b"half")
    with locks.held(ahead.folder() / generations.AHEAD_LOCK):  # somebody makes it
        importer.refresh(wait=True)
        assert path.exists()
    importer.refresh(wait=True)
    assert left(flipside_cache) == {"db/ahead/lock"}


def test_a_damaged_example_is_said_and_nothing_of_it_is_used(few: Path) -> None:
    importer.refresh(wait=True)
    shard = next((shards.run_dirs(few)[0]).glob("*.parquet"))
    shard.write_bytes(b"damaged")
    with pytest.raises(FlipsideError, match="the example cannot be taken over"):
        ahead.make(few)
    assert ahead.found(few) is None
    assert not ahead.take(few)


def test_of_a_damaged_example_nothing_is_taken_over_at_all(flipside_cache: Path, few: Path) -> None:
    """The runs before the damaged one were, and passed for the whole example from then on."""
    before = in_cache(flipside_cache)
    damage(next(shards.run_dirs(few)[-1].glob("*.parquet")))
    for take in (example.take_over, shown_once.take_over):
        with pytest.raises(FlipsideError, match=r"nothing of it was taken over .*Restore that folder with git"):
            take(few)
        assert in_cache(flipside_cache) == before
    assert shown_once.is_new(few)


def test_where_the_lock_cannot_be_written_it_is_said(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is read-only: a traceback in the terminal."""
    made(few)
    monkeypatch.setattr(generations, "AHEAD_LOCK", "no such folder/lock")
    with pytest.raises(FlipsideError, match="no such folder/lock"):
        ahead.take(few)


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.unlink()  # a file of the database may be the one of an older generation, too
    path.write_bytes(data)


def link(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def drop(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [damage, link, drop])
@pytest.mark.parametrize(
    "of", ["coming/runs/*/*.parquet", "coming/benchmarks/*/items.parquet", "flipside-*/*/*/*/*.parquet"]
)
def test_what_was_changed_since_it_was_made_is_not_taken(
    change: Callable[[Path], None], of: str, flipside_cache: Path, few: Path
) -> None:
    """Damaged shards, and links to elsewhere, came into the cache and into the database's folder."""
    made(few)
    before, there = generations.current(), in_cache(flipside_cache)
    change(sorted(ahead.folder().glob(of))[-1])
    assert not ahead.take(few)
    assert (generations.current(), in_cache(flipside_cache)) == (before, there)
    assert left(flipside_cache) == {"db/ahead/lock"}
    assert shown_once.take_over(few) == 2  # as it ships
    importer.refresh(wait=True)
    assert all(shards.verify(flipside_cache / "runs" / run.name) == [] for run in shards.run_dirs(few))


def test_a_cache_that_is_not_up_to_date_waits(flipside_cache: Path, few: Path) -> None:
    importer.refresh(wait=True)
    (flipside_cache / "benchmarks" / "0123456789abcdef").mkdir(parents=True)
    (flipside_cache / "benchmarks" / "0123456789abcdef" / "benchmark.json").write_text("{}")
    assert ahead.make(few) is None


def test_what_was_made_goes_with_the_generation_that_it_was_made_on(flipside_cache: Path, few: Path) -> None:
    """Its files would else keep on the disk what was deleted since."""
    made(few)
    generations.publish(generations.begin(generations.current()))
    assert [path.name for path in ahead.folder().iterdir()] == [generations.AHEAD_LOCK]
