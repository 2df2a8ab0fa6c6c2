"""The files of a generation: shared with the next one, kept while somebody reads them, missed when they are gone."""

import shutil

import pytest

from backend.store.build import attached, damage, generations, importer
from backend.store.build.reader import open_store
from tests.store import writer
from tests.store.conftest import ONE, TWO

TABLES = tuple(attached.FORMS)


def rows(store, table, run_id=None):
    which = "" if run_id is None else f" WHERE run_id = '{run_id}'"
    return store.cursor().execute(f"SELECT * FROM {table}{which} ORDER BY ALL").fetchall()


def files(generation):
    folder = attached.folder_of(generation)
    return {path.relative_to(folder).as_posix(): path.stat().st_ino for path in folder.glob("*/*/*/*.parquet")}


def test_adding_a_run_writes_only_its_own_files(toy, store, items):
    before = files(generations.current())
    known = {table: rows(store, table) for table in TABLES}
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    later = open_store()
    after = files(generations.current())
    assert before
    assert {name: after[name] for name in before} == before  # the very same files, not copies
    assert {name.split("/")[1] for name in after.keys() - before.keys()} == {f"run_id={'9' * 16}"}
    for table in TABLES:
        assert known[table]
        assert [row for row in rows(later, table) if row[0] != "9" * 16] == known[table]


def test_a_run_that_changes_leaves_the_files_of_the_last_generation_as_they_are(toy, store, items):
    old, first = generations.current(), rows(store, "scores", TWO)
    content = {path: path.read_bytes() for path in attached.folder_of(old).glob("*/*/*/*.parquet")}
    writer.write_run(toy, items, TWO, ["itc"], model="fake:collapsed", seed=77)
    assert rows(open_store(), "scores", TWO) != first
    assert {path: path.read_bytes() for path in content} == content


def test_a_shard_in_order_is_kept_as_it_is(toy, store):
    """Nothing is packed anew that need not be."""
    assert rows(store, "scores", ONE)
    shards = {path.read_bytes() for path in (toy / "runs" / ONE).glob("itc-*.parquet")}
    where = attached.place(attached.folder_of(generations.current()), "scores", ONE, "itc")
    assert {path.read_bytes() for path in where.iterdir()} == shards


def test_the_files_of_a_generation_stay_while_it_is_read(toy, store, items):
    first = generations.current()
    held = generations.lease(first)
    for k in range(3):
        writer.write_run(toy, items, f"{k + 6}" * 16, ["itc"], model=f"fake:{k}")
        assert importer.refresh()
    store.close()
    importer.refresh()
    assert not first.exists()
    assert attached.folder_of(first).is_dir()
    held.close()
    importer.refresh()
    assert not attached.folder_of(first).exists()


@pytest.mark.parametrize("how", ["gone", "short"])
@pytest.mark.parametrize("table", TABLES)
def test_a_generation_that_lacks_rows_is_rebuilt(toy, store, items, capsys, table, how):
    whole = rows(store, table)
    store.close()
    path = next(attached.folder_of(generations.current()).glob(f"{table}/*/*/*.parquet"))
    path.unlink() if how == "gone" else path.write_bytes(path.read_bytes()[:-1])
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    later = open_store()
    assert [row for row in rows(later, table) if row[0] != "9" * 16] == whole
    assert "rebuilt from shards" in capsys.readouterr().err


def flipped(path):
    """The same file with some bits the other way round, as a disk may hand it back: Parquet's readers do not notice."""
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 4, len(data) // 2, 3):
        data[at] ^= 2
    path.unlink()  # never through a link to what another generation has
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("table", TABLES)
def test_a_file_that_was_damaged_in_place_is_no_number(toy, store, flipside, table):
    """Failed before: every command gave the wrong numbers and said nothing."""
    whole = flipside("sql", f"SELECT count(*), max(hash(t)) FROM {table} t")
    store.close()
    for path in attached.folder_of(generations.current()).glob(f"{table}/*/*/*.parquet"):
        flipped(path)
    checked = {check["name"]: check for check in flipside("doctor", "--json").json["checks"]}
    assert checked["database"]["status"] == "failed"
    assert "is damaged" in checked["database"]["detail"]
    said = flipside("sql", f"SELECT count(*), max(hash(t)) FROM {table} t")
    assert (said.code, said.out) == (0, whole.out)
    assert "rebuilt from shards" in said.err
    assert damage.known()


def test_nothing_is_built_on_files_that_were_damaged_in_place(toy, store, items, capsys, monkeypatch):
    """Of very large generations, whose checksums not every process compares."""
    monkeypatch.setattr(importer, "CHECKED", -1)
    whole = rows(store, "outcomes")
    store.close()
    flipped(next(attached.folder_of(generations.current()).glob("scores/*/*/*.parquet")))
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    assert [row for row in rows(open_store(), "outcomes") if row[0] != "9" * 16] == whole
    assert "rebuilt from shards" in capsys.readouterr().err


def test_what_lies_elsewhere_cannot_be_read_by_sql(toy, flipside):
    (toy / "secret.parquet").write_bytes(next((toy / "runs" / ONE).glob("itc-*.parquet")).read_bytes())
    for where in (toy / "secret.parquet", "secret.parquet", "/etc/passwd"):
        said = flipside("sql", f"SELECT * FROM read_text('{where}')")
        assert said.code == 2
        assert "disabled by configuration" in said.err
    assert flipside("sql", "SELECT count(*) FROM scores").code == 0


def test_odd_names_of_parts_come_back_as_they_were(tmp_path):
    import duckdb
    import pyarrow as pa

    names = ["prior@lm:org/model-1.5b", "a b'c", "100 %", "..", "ü"]
    folder = tmp_path / "flipside-1"
    for number, name in enumerate(names):
        row = {"item_no": [number], "image_index": [-1], "text_index": [2], "text_index_b": [-1], "sample": [-1],
               "value": [0.5], "n_tokens": [-1]}  # fmt: skip
        attached.write(folder, "scores", "ab", name, pa.table(row))
    with duckdb.connect(config={"file_search_path": str(tmp_path)}) as connection:
        attached.views(connection, folder)
        found = connection.execute(
            "SELECT run_id, part, image_index, text_index FROM scores ORDER BY item_no"
        ).fetchall()
        assert found == [("ab", name, None, 2) for name in names]
        attached.remove(folder, "scores", "ab", names[0])
        attached.views(connection, folder)
        assert connection.execute("SELECT count(*) FROM scores WHERE part = ?", names[:1]).fetchall() == [(0,)]
    shutil.rmtree(folder)


def test_the_rows_of_some_runs_are_those_of_the_view(store):
    for table in TABLES:
        for runs in ([ONE], [ONE, TWO], [], ["no such run"]):
            sql = store.rows_of(table, runs)
            assert all((f"run_id={run}" in sql) == (run in runs) for run in (ONE, TWO))
            found = store.cursor().execute(f"SELECT * FROM ({sql}) ORDER BY ALL").fetchall()
            assert found == [row for row in rows(store, table) if row[0] in runs]
