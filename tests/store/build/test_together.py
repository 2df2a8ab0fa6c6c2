"""Several threads and processes at once: nobody waits, nobody reads wrong rows."""

import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from backend.store.build import generations, importer
from backend.store.build import store as store_module
from backend.store.build.reader import open_store
from tests.store import writer
from tests.store.conftest import ONE

NOTHING_SHIPPED = """
import pathlib, backend.store.build.sources
backend.store.build.sources.bundled_runs_dir = lambda: pathlib.Path("/nowhere")
"""


def other_process(code, **pipes):
    return subprocess.Popen([sys.executable, "-c", NOTHING_SHIPPED + textwrap.dedent(code)], text=True, **pipes)


@pytest.mark.slow
def test_threads_with_their_own_cursors_read_right_rows(store):
    def ask(n):
        rows = store.cursor().execute("SELECT item_no FROM items WHERE item_no = ?", [n % 60]).fetchall()
        return rows == [(n % 60,)]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(400)))


@pytest.mark.slow
def test_a_dashboard_moves_on_while_others_import(toy, store, items, monkeypatch):
    monkeypatch.setattr(store_module, "LOOK", 0.0)
    before = store.generation
    held = store.cursor()
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    done = other_process("from backend.store.build.reader import open_store; open_store()")
    assert done.wait(60) == 0
    assert store.generation != before
    assert store.cursor().execute("SELECT count(*) FROM runs").fetchone() == (4,)
    assert held.execute("SELECT count(*) FROM runs").fetchone() == (3,)  # a page that was under way ends as it began


@pytest.mark.slow
def test_a_dashboard_imports_by_itself(toy, store, items, monkeypatch):
    monkeypatch.setattr(store_module, "LOOK", 0.0)
    monkeypatch.setattr(store_module, "LOOK_FOR_SHARDS", 0.0)
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    end = time.monotonic() + 20
    while store.cursor().execute("SELECT count(*) FROM runs").fetchone() != (4,):
        assert time.monotonic() < end, "the new run never appeared"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_process_that_ends_waits_for_its_import(toy, store, items):
    """DuckDB torn down under a thread ends the process with an abort, and leaves half a generation."""
    before = generations.current()
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    code = """
        import threading, time
        from backend.store.build import importer, store
        from backend.store.build.reader import open_store
        real, importer.refresh = importer.refresh, lambda wait=False: True  # opened as it was before the new run
        opened = open_store()
        importer.refresh = lambda wait=False: (time.sleep(0.5), real(wait))[1]
        store.LOOK = store.LOOK_FOR_SHARDS = 0.0
        page = threading.Thread(target=opened.cursor, daemon=True)  # as those of Streamlit may be
        page.start()
        page.join()
    """
    done = other_process(code, stderr=subprocess.PIPE)
    assert done.communicate(timeout=60) == (None, "")
    assert done.returncode == 0
    assert generations.current() != before
    assert not list(generations.db_dir().glob(".building*"))


@pytest.mark.slow
def test_another_process_may_hold_a_generation_open_while_this_one_imports(toy, store, items):
    code = """
        from backend.store.build.reader import open_store
        cursor = open_store(follow=False).cursor()
        print(cursor.execute("SELECT count(*) FROM runs").fetchone()[0], flush=True)
        input()
        print(cursor.execute("SELECT count(*) FROM scores").fetchone()[0], flush=True)
    """
    other = other_process(code, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout.readline() == "3\n"
    rows = store.cursor().execute("SELECT count(*) FROM scores").fetchone()[0]
    for k in range(3):  # enough to remove the generation that it reads
        writer.write_run(toy, items, f"{k + 6}" * 16, ["itc"], model=f"fake:{k}")
        assert importer.refresh()
    out, _ = other.communicate("\n", timeout=60)
    assert out == f"{rows}\n"


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_where_the_lock_is_taken_the_last_generation_is_read(toy, items, capsys):
    code = """
        from backend.store.build import generations
        with generations.import_lock(wait=False) as held:
            print(held, flush=True)
            input()
    """
    other = other_process(code, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout.readline() == "True\n"
    open_store()
    assert capsys.readouterr().err == "", "there is nothing to import, so nobody imports"
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    begun = time.monotonic()
    found = open_store()
    assert time.monotonic() - begun < 2
    assert found.cursor().execute("SELECT count(*) FROM runs").fetchone() == (3,)
    assert "Another process is importing" in capsys.readouterr().err
    other.communicate("\n", timeout=60)


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_a_server_that_imports_beside_its_first_page_names_no_other_process(toy, items, capsys):
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    with generations.import_lock(wait=False) as held:
        assert held
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(open_store).result()
        assert found.cursor().execute("SELECT count(*) FROM runs").fetchone() == (3,)
    assert capsys.readouterr().err == ""
    assert not generations.imports_here()


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_who_comes_first_builds_and_the_others_wait_for_the_first_generation():
    code = """
        from backend.store.build.reader import open_store
        print(open_store().cursor().execute("SELECT count(*) FROM runs").fetchone()[0])
    """
    others = [other_process(code, stdout=subprocess.PIPE) for _ in range(3)]
    assert [other.communicate(timeout=60)[0] for other in others] == ["3\n"] * 3
    assert generations.current().name == "flipside-1.duckdb"


@pytest.mark.slow
def test_many_threads_opening_and_importing_at_once(toy, items):
    failures = []

    def use(k):
        try:
            if k % 3 == 0:
                writer.write_run(toy, items, f"{k:016d}", ["t2t"], model=f"fake:{k}")
            found = open_store()
            assert found.cursor().execute("SELECT count(*) FROM scores WHERE run_id = ?", [ONE]).fetchone()[0] > 0
        except Exception as error:  # noqa: BLE001 - collected for the main thread
            failures.append(error)

    threads = [threading.Thread(target=use, args=(k,)) for k in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert open_store(wait=True).cursor().execute("SELECT count(*) FROM runs").fetchone() == (6,)


@pytest.mark.slow
def test_what_is_cached_belongs_to_its_generation(toy, store, items, monkeypatch):
    monkeypatch.setattr(store_module, "LOOK", 0.0)
    made = []
    for _ in range(2):
        store.cached("key", lambda: made.append(1))
    assert len(made) == 1
    writer.write_run(toy, items, "9" * 16, ["itc"], model="fake:late")
    store.refresh()
    store.cached("key", lambda: made.append(1))
    assert len(made) == 2
