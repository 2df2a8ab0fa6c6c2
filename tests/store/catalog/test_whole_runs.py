"""A limit that leaves nothing out is none: the run is that of all items, and earlier runs of the kind cover them."""

import json

import duckdb
import pytest

from backend.store.build import schema
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.catalog.default_run import choose_run
from backend.verbs.run import command
from tests.store import writer
from tests.store.older import to_tables_of_9
from tests.verbs.test_run_named import table


def test_a_limit_beyond_the_last_item_is_the_run_of_all_items(tmp_path, flipside_cache, capsys):
    folder = table(tmp_path / "a")
    for limit in (None, 500, 4, 3):
        command(model="fake:ok", benchmark="visla", kinds="t2t", data=folder, limit=limit)
    runs = sorted(
        json.loads(path.read_text())["selection"]["limit"] or 0 for path in flipside_cache.glob("runs/*/run.json")
    )
    assert runs == [0, 3]
    command(model="fake:constant", benchmark="visla", kinds="t2t", data=folder, limit=500)
    found = catalog.runs(open_store(follow=False, wait=True)).set_index("model")
    assert found["whole"]["fake:constant"]


@pytest.mark.parametrize("subset", [None, "choice"])
def test_an_earlier_run_whose_limit_left_nothing_out_covers_what_it_scored(flipside_cache, subset):
    items = writer.items()
    selection = {"split": None, "subset": subset, "limit": 500, "sample": None, "seed": 0}
    folder = writer.write_run(flipside_cache, items, "9" * 16, ["itc"], selection=selection)
    record = json.loads((folder / "run.json").read_text())
    record["benchmark"]["n_items"] = len(items)
    record["n_selected"] = len(items) if subset is None else 12
    (folder / "run.json").write_text(json.dumps(record))
    chosen = choose_run(open_store(follow=False, wait=True), "fake:ok", "toy", subset=subset)
    assert chosen.run_id == "9" * 16


def test_a_database_of_the_version_before_learns_it(tmp_path):
    connection = duckdb.connect()
    schema.create(connection, tmp_path / "flipside-1")
    to_tables_of_9(connection)
    record = json.dumps({"n_selected": 60, "benchmark": {"n_items": 60}})
    row = ["a", "m", "b", "b", None, None, 500, None, 0, False, "", "", record, "computed", None, None]
    connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * 16)})", row)
    connection.execute("UPDATE meta SET value = '6' WHERE key = 'schema'")
    assert schema.migrate(connection, tmp_path / "flipside-1")
    assert connection.execute('SELECT whole, "limit" FROM runs').fetchall() == [(True, None)]


def test_a_database_of_the_version_before_forgets_what_placeholders_are_about(tmp_path):
    connection = duckdb.connect()
    schema.create(connection, tmp_path / "flipside-1")
    to_tables_of_9(connection)
    for number, text in enumerate(("caption 0 of item 7 (gated, not here)", "a dog on a cat")):
        row = ["b", number, f"i/{number}", "test", "quad", [text], [], [], "[]", "{}", "", ["sentence"], ["swap"], ""]
        connection.execute(f"INSERT INTO items VALUES ({', '.join('?' * 14)})", row)
    connection.execute("UPDATE meta SET value = '7' WHERE key = 'schema'")
    assert schema.migrate(connection, tmp_path / "flipside-1")
    assert connection.execute("SELECT concepts, perturbations FROM items ORDER BY item_no").fetchall() == [
        ([], []), (["sentence"], ["swap"])
    ]  # fmt: skip
