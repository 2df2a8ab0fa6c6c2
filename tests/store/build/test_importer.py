"""Shards become a generation: idempotent, by what is new, and without ever losing what is there."""

import contextlib
import json
import shutil

import duckdb
import pytest

from backend import recorded
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.store.build import generations, importer, schema
from backend.store.build.reader import open_last, open_store
from tests.store import writer
from tests.store.conftest import ONE, TWO


def count(store, table, run_id=ONE):
    return store.cursor().execute(f"SELECT count(*) FROM {table} WHERE run_id = ?", [run_id]).fetchone()[0]


def a_shard(root, part, number=0):
    run_dir = root / "runs" / ONE
    return run_dir / shards.read_manifest(run_dir)["parts"][part]["shards"][number]["file"]


def test_every_row_of_every_shard_is_there(toy, store):
    for part in ("itc", "t2t", "gen", "prior@noise:3"):
        rows = shards.read_part(toy / "runs" / ONE, part)
        found = (
            store.cursor()
            .execute("SELECT count(*), sum(value) FROM scores WHERE run_id = ? AND part = ?", [ONE, part])
            .fetchone()
        )
        assert found[0] == rows.num_rows
        assert found[1] == pytest.approx(sum(rows["value"].to_pylist()), rel=1e-5)
    assert store.cursor().execute("SELECT count(*) FROM scores WHERE text_index = -1").fetchone() == (0,)


@pytest.mark.usefixtures("store")
def test_importing_again_changes_nothing():
    before = generations.current()
    assert importer.refresh()
    assert generations.current() == before


@pytest.mark.usefixtures("store")
def test_a_page_that_looks_at_what_is_recorded_causes_no_import(toy):
    before = generations.current()
    (toy / recorded.FOLDER / recorded.BEGUN).unlink(missing_ok=True)
    recorded.begin(toy)
    assert (toy / recorded.FOLDER / recorded.BEGUN).is_file()
    assert importer.refresh()
    assert generations.current() == before


@pytest.mark.usefixtures("store")
def test_a_process_that_is_told_to_end_takes_what_it_is_building_with_it():
    there = {path.name for path in generations.db_dir().iterdir()}
    base = generations.current()
    aside = generations.begin(base)
    aside.with_name(f"{aside.name}.wal").touch()
    others = aside.with_name(f"{generations.ASIDE}1-99{generations.SUFFIX}")
    others.touch()
    generations.abandon()
    assert {path.name for path in generations.db_dir().iterdir()} == there | {others.name}
    with pytest.raises(FileNotFoundError):  # so it is never published by a thread that has not ended yet
        generations.publish(aside)
    assert generations.current() == base
    published = generations.publish(generations.begin(base))
    generations.abandon()
    assert (generations.current(), generations.lease(published) is not None) == (published, True)


def test_the_last_generation_is_read_without_an_import(toy, store, items):
    """A process that works ahead gives way to all others, and must not hold the import lock."""
    before = generations.current()
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    last = open_last()
    assert count(last, "scores") == count(store, "scores") > 0
    assert count(last, "scores", "9" * 16) == 0
    assert generations.current() == before
    last.close()


def test_new_shards_extend_the_last_generation(toy, store, items):
    rows, before = count(store, "scores"), store.generation
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    later = open_store()
    assert later.generation != before
    assert count(later, "scores") == rows
    assert count(later, "scores", "9" * 16) > 0


def test_another_part_of_a_run_is_added_to_it(toy, store, items):
    rows = count(store, "scores", TWO)
    writer.write_run(toy, items, TWO, ["t2t"], model="fake:collapsed")
    later = open_store()
    assert count(later, "scores", TWO) == rows + 36
    assert (
        "t2t"
        in later.cursor().execute("SELECT list(DISTINCT kind) FROM outcomes WHERE run_id = ?", [TWO]).fetchone()[0]
    )


@pytest.mark.slow
def test_a_part_that_was_computed_anew_replaces_the_old_one(toy, store, items):
    rows = count(store, "scores", TWO)
    writer.write_run(toy, items, TWO, ["itc"], model="fake:collapsed", seed=77)
    assert count(open_store(), "scores", TWO) == rows


@pytest.mark.usefixtures("store")
def test_a_run_that_was_deleted_is_gone(toy):
    shutil.rmtree(toy / "runs" / TWO)
    later = open_store()
    for table in ("scores", "outcomes", "runs", "run_parts"):
        assert count(later, table, TWO) == 0
    assert count(later, "scores") > 0


def test_a_record_in_another_run_s_folder_is_left_out_and_named(toy):
    other = "a" * 16
    shutil.copytree(toy / "runs" / TWO, toy / "runs" / other)
    store = open_store()
    assert count(store, "scores", other) == 0
    assert count(store, "scores", TWO) > 0
    path, reason = store.cursor().execute("SELECT path, reason FROM problems").fetchone()
    assert path.endswith(other)
    assert f"it is the record of run '{TWO}'" in reason


def test_a_damaged_shard_is_named_and_left_out(toy, capsys):
    shard = a_shard(toy, "itc", 1)
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 0xFF
    shard.write_bytes(data)
    store = open_store()
    assert shard.name in capsys.readouterr().err
    parts = dict(store.cursor().execute("SELECT part, complete FROM run_parts WHERE run_id = ?", [ONE]).fetchall())
    assert parts["itc"] is False
    assert parts["t2t"] is True
    assert (
        store.cursor().execute("SELECT count(*) FROM scores WHERE part = 'itc' AND run_id = ?", [ONE]).fetchone()[0] > 0
    )
    assert store.cursor().execute("SELECT path FROM problems").fetchone()[0] == str(shard)
    # The same damage is no news, so the next start is fast.
    before = generations.current()
    open_store()
    assert generations.current() == before


@pytest.mark.slow
def test_damage_after_the_import_destroys_nothing(toy, store, items):
    rows = count(store, "scores")
    a_shard(toy, "itc").write_bytes(b"no parquet")
    (toy / "runs" / TWO / "manifest.json").write_text("{")
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    later = open_store()
    assert count(later, "scores") == rows
    assert count(later, "scores", TWO) > 0


def test_a_mended_shard_is_imported(toy):
    shard = a_shard(toy, "itc")
    whole = shard.read_bytes()
    shard.unlink()
    rows = count(open_store(), "scores")
    shard.write_bytes(whole)
    assert count(open_store(), "scores") > rows


def test_a_file_that_is_no_shard_of_its_part_is_left_out(toy):
    run_dir = toy / "runs" / ONE
    manifest = shards.read_manifest(run_dir)
    manifest["parts"]["itm"]["shards"][0] = manifest["parts"]["embeddings:image"]["shards"][0]
    shards.write_manifest(run_dir, manifest)
    store = open_store()
    assert "not a shard of part itm" in store.cursor().execute("SELECT reason FROM problems").fetchone()[0]


def test_a_manifest_cannot_name_files_elsewhere(toy):
    path = toy / "runs" / ONE / "manifest.json"
    path.write_text(path.read_text().replace("itc-0", "../itc-0", 1))
    store = open_store()
    assert "outside its run" in store.cursor().execute("SELECT reason FROM problems").fetchone()[0]


def test_what_ships_is_imported_and_counts_first(toy, items, monkeypatch, tmp_path):
    shipped = tmp_path / "shipped"
    writer.write_run(shipped, items, ONE, ["itc", "vqa"], seed=9)
    writer.write_run(shipped, items, "8" * 16, ["itc"], model="bundled:clip")
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: shipped)
    store = open_store()
    roots = dict(store.cursor().execute("SELECT part, root FROM run_parts WHERE run_id = ?", [ONE]).fetchall())
    assert roots["itc"] == str(shipped)
    assert roots["itm"] == str(toy)
    assert roots["vqa"] == str(shipped)
    assert count(store, "scores", "8" * 16) > 0


def test_nothing_at_all_is_an_empty_store():
    assert open_store().cursor().execute("SELECT count(*) FROM runs").fetchone() == (0,)


@pytest.mark.slow
def test_the_database_can_be_deleted_at_any_time(toy, store):
    rows = count(store, "scores")
    shutil.rmtree(toy / "db")
    assert count(open_store(), "scores") == rows


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_old_generations_and_remains_are_removed(toy, items):
    (toy / "db" / ".building-1.duckdb").write_bytes(b"killed")
    for k in range(4):
        writer.write_run(toy, items, f"{k}" * 16, ["itc"], model=f"fake:{k}")
        open_store()
    files = sorted(path.name for path in (toy / "db").iterdir() if path.is_file())
    assert len([name for name in files if name.endswith(".duckdb")]) == generations.KEPT
    assert not [name for name in files if name.startswith(".building")]


@pytest.mark.slow
def test_a_damaged_database_is_rebuilt(store, capsys):
    rows = count(store, "scores")
    store.close()
    generations.current().write_bytes(b"garbage" * 4096)
    assert count(open_store(), "scores") == rows
    assert "rebuilt from shards" in capsys.readouterr().err


@pytest.mark.slow
def test_an_older_schema_is_migrated_or_rebuilt(store, monkeypatch):
    rows = count(store, "scores")
    store.close()
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", {schema.VERSION - 1: ("ALTER TABLE run_parts ADD COLUMN note VARCHAR",)})
    migrated = open_store()
    assert count(migrated, "scores") == rows
    assert "note" in [c[0] for c in migrated.cursor().execute("SELECT * FROM run_parts LIMIT 0").description]
    migrated.close()
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", {})
    rebuilt = open_store()
    assert count(rebuilt, "scores") == rows
    assert "note" not in [c[0] for c in rebuilt.cursor().execute("SELECT * FROM run_parts LIMIT 0").description]


def test_a_newer_schema_is_refused_in_one_sentence(store):
    store.close()
    path = generations.current()
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(FlipsideError, match=r"made by a newer Flipside .schema 99"):
        open_store()
    assert path.is_file()


def test_a_file_of_another_duckdb_is_explained(store, monkeypatch):
    store.close()

    def refuse(*_args, **_kwargs):
        raise duckdb.IOException("IO Error: Trying to read a database file with version number 99")

    monkeypatch.setattr(duckdb, "connect", refuse)
    with pytest.raises(FlipsideError, match=r"cannot be opened by DuckDB .* cannot be read by 1.x"):
        open_store()


def test_a_cache_that_cannot_be_written_is_explained(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(FlipsideError, match="FLIPSIDE_CACHE"):
        open_store()


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_a_killed_import_leaves_the_last_generation(toy, items, monkeypatch):
    before = generations.current()
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")

    def die(_path):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generations, "publish", die)
        with pytest.raises(KeyboardInterrupt):
            importer.refresh()
    assert generations.current() == before
    assert count(open_store(), "scores", "9" * 16) > 0


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_records_are_followed(toy):
    path = toy / "runs" / ONE / "run.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"updated": "2027-01-01T00:00:00+00:00"}))
    assert open_store().cursor().execute("SELECT max(updated) FROM runs").fetchone()[0].startswith("2027")


def test_what_the_database_has_freed_goes_back_to_the_system(flipside_cache, tmp_path):
    """jemalloc, DuckDB's allocator on Linux, else keeps it for threads that may never ask again."""
    duckdb.connect(str(tmp_path / "one.duckdb")).close()
    with contextlib.closing(importer.connect(tmp_path / "one.duckdb", read_only=True)) as connection:
        found = connection.execute("SELECT current_setting('allocator_background_threads')").fetchone()
    assert found == (True,)
