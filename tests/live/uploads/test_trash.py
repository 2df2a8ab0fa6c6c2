"""Deleting with a way back."""

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from backend import locks, paths
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.live.jobs import jobs
from backend.live.jobs import record as jobs_record
from backend.live.uploads import trash
from backend.store import queries
from backend.store.build import generations, sources
from backend.store.build.reader import open_store
from tests.pages import results
from tests.store.writer import write_run


def tree(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below a folder: its inode, time and content."""
    return {
        str(path.relative_to(root)): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def run(flipside_cache: Path) -> Path:
    folder = flipside_cache / "runs" / ("a" * 16)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    (folder / "itc-1.parquet").write_bytes(os.urandom(500))
    return folder


def test_undo_puts_back_exactly_what_was_there(run: Path) -> None:
    before = tree(run)
    entry = trash.discard_run(run.name, "fake:ok on world")
    assert not run.exists()
    assert [found.title for found in trash.listing()] == ["fake:ok on world"]
    assert trash.restore(entry.key) == entry
    assert tree(run) == before
    assert trash.listing() == []
    with pytest.raises(UsageError, match="not there any more"):
        trash.restore(entry.key)


def test_several_places_move_together_or_not_at_all(flipside_cache: Path, run: Path, monkeypatch) -> None:
    own = flipside_cache / "own" / "custom:mine"
    own.mkdir(parents=True)
    (own / "benchmark.json").write_text("{}")
    entry = trash.discard("benchmark", "custom:mine", [own, run])
    assert not own.exists()
    assert not run.exists()
    trash.restore(entry.key)
    before = tree(flipside_cache / "own") | tree(run)
    real = Path.replace

    def fails_at_the_second(self: Path, target: Path) -> Path:
        if self == run.resolve():
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fails_at_the_second)
    with pytest.raises(FlipsideError, match="nothing was changed"):
        trash.discard("benchmark", "custom:mine", [own, run])
    monkeypatch.undo()
    assert tree(flipside_cache / "own") | tree(run) == before
    assert trash.listing() == []


def test_what_came_in_its_place_is_not_overwritten(run: Path) -> None:
    entry = trash.discard_run(run.name, "old")
    run.mkdir()
    (run / "run.json").write_text('{"new": 1}')
    with pytest.raises(UsageError, match="there is a new"):
        trash.restore(entry.key)
    assert (run / "run.json").read_text() == '{"new": 1}'
    assert len(trash.listing()) == 1


def test_a_run_that_is_being_written_stays(run: Path) -> None:
    with (run / "lock").open("w") as held:
        flock(held, LOCK_EX)
        with pytest.raises(UsageError, match="being computed"):
            trash.discard_run(run.name, "busy")
    assert run.is_dir()


def test_a_run_that_ships_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "shipped" / "runs" / ("b" * 16)
    there.mkdir(parents=True)
    monkeypatch.setattr(paths, "bundled_runs_dir", lambda: tmp_path / "shipped")
    with pytest.raises(UsageError, match="ships with Flipside"):
        trash.discard_run(there.name, "bundled:clip on world")
    assert there.is_dir()


def test_a_run_that_is_gone_is_said_to_be_gone(run: Path) -> None:
    trash.discard_run(run.name, "mine")
    with pytest.raises(UsageError, match="mine is not here any more"):
        trash.discard_run(run.name, "mine")


@pytest.mark.parametrize("where", ["outside", "link"])
def test_only_what_lies_in_the_cache_is_moved(flipside_cache: Path, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    place = outside
    if where == "link":
        place = flipside_cache / "uploads"
        flipside_cache.mkdir(exist_ok=True)
        place.symlink_to(outside)
    with pytest.raises(UsageError, match="does not lie in this cache"):
        trash.discard("uploads", "x", [place])
    assert outside.is_dir()


def test_old_entries_are_removed_for_good_when_something_else_is_deleted(run: Path) -> None:
    others = [run.parent / name for name in ("one", "two")]
    for other in others:
        other.mkdir()
    entry = trash.discard_run(run.name, "old")
    trash.discard("uploads", "one", others[:1])
    assert entry.folder.exists()
    record = entry.folder / trash.RECORD
    long_ago = (datetime.now(UTC) - timedelta(days=trash.KEPT + 1)).isoformat(timespec="seconds")
    record.write_text(record.read_text().replace(entry.made, long_ago))
    trash.discard("uploads", "two", others[1:])
    assert not entry.folder.exists()


def test_a_record_that_leads_out_is_not_followed(run: Path, tmp_path: Path) -> None:
    entry = trash.discard_run(run.name, "x")
    record = entry.folder / trash.RECORD
    record.write_text(record.read_text().replace(f"runs/{run.name}", "../../etc"))
    assert trash.listing() == []
    with pytest.raises(UsageError, match="damaged"):
        trash.restore(entry.key)


@pytest.mark.long
def test_a_job_comes_back_with_its_log(flipside_cache: Path) -> None:
    at = jobs_record.now()
    job = jobs_record.Job(jobs_record.new_id(), "run", ("--model", "x"), "a job", "done", at, at, at, at, 0, 1)
    files.make_dir(job.folder)
    jobs_record.write(job)
    (job.folder / jobs_record.LOG).write_text("said")
    entry = jobs.delete(job.job_id)
    assert jobs.listing() == []
    trash.restore(entry.key)
    assert jobs.find(job.job_id) == job
    assert (job.folder / jobs_record.LOG).read_text() == "said"


@pytest.mark.slow
def test_the_next_generation_follows(flipside_cache: Path, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    results.write(flipside_cache, results.world(24))
    store = open_store()
    before, stamp = queries.runs(store), sources.stamp()
    entry = trash.discard_run("1" * 16, "strong")
    store.refresh()
    assert set(before["run_id"]) - set(queries.runs(store)["run_id"]) == {"1" * 16}
    trash.restore(entry.key)
    store.refresh()
    assert sources.stamp() == stamp
    assert queries.runs(store).astype(str).equals(before.astype(str))


@pytest.mark.parametrize("root", ["runs", "imported/runs"])
def test_a_run_is_deleted_and_put_back_where_no_record_can_be_written(flipside_cache: Path, monkeypatch, root) -> None:
    folder = flipside_cache / root / ("b" * 16)
    folder.mkdir(parents=True)
    record = {"run": folder.name, "model": {"spec": "fake:ok"}, "benchmark": {"name": "world"}}
    (folder / "run.json").write_text(json.dumps(record))
    before = tree(folder)

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(files, "write_synced", full)
    entry = trash.discard("run", "fake:ok on world", [folder])
    assert not folder.exists()
    assert [(each.key, each.title, each.paths) for each in trash.listing()] == [
        (entry.key, "fake:ok on world", (f"{root}/{folder.name}",))
    ]
    assert trash.restore(entry.key).title == "fake:ok on world"
    assert tree(folder) == before
    assert trash.listing() == []


@pytest.mark.slow
def test_a_run_is_deleted_by_its_id_where_the_database_cannot_be_written(flipside, flipside_cache, monkeypatch) -> None:
    results.write(flipside_cache, results.world(24))

    def full(wait: bool) -> None:
        try:
            raise OSError(28, "No space left on device")  # noqa: TRY301
        except OSError as error:
            raise generations.unwritable(error) from None

    monkeypatch.setattr(generations, "import_lock", full)
    assert flipside("runs").code == 1
    done = flipside("runs", "1111", "--delete")
    assert (done.code, (flipside_cache / "runs" / ("1" * 16)).exists()) == (0, False), done.err
    assert f"rm -r {trash.listing()[0].folder}" in done.err
    assert flipside("runs", "1111", "--delete").code == 2


@pytest.mark.slow
def test_a_cache_that_may_not_be_written_is_read_as_it_is(flipside_cache, monkeypatch, capsys) -> None:
    items = results.world(24)
    results.write(flipside_cache, items)
    before = set(queries.runs(open_store(follow=False))["run_id"])

    def refuses(path, wait=True, refused=None):
        raise refused(OSError(30, "Read-only file system", str(path)))

    monkeypatch.setattr(locks, "held", refuses)
    assert set(queries.runs(open_store(follow=False))["run_id"]) == before
    assert capsys.readouterr().err == ""
    write_run(flipside_cache, items, "9" * 16, ["itc"], model="fake:late")
    assert set(queries.runs(open_store(follow=False))["run_id"]) == before
    assert "What is new is not imported, this reads the last generation" in capsys.readouterr().err
    shutil.rmtree(flipside_cache / "db")
    with pytest.raises(FlipsideError, match=r"import\.lock: the disk of .* is read-only"):
        open_store(follow=False)
