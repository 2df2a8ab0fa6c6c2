"""`flipside sql`: any question, and nothing but questions."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backend.store.build.reader import open_store


@pytest.mark.usefixtures("ready")
def test_a_question(flipside):
    answer = flipside("sql", "SELECT model, count(*) AS n FROM runs JOIN scores USING (run_id) GROUP BY 1 ORDER BY 1")
    assert answer.code == 0
    assert answer.out.splitlines()[0].split() == ["model", "n"]
    query = "SELECT item_id, texts, tags, 1 AS n, 2 AS n, NULL AS gap, 'nan'::FLOAT AS bad FROM items LIMIT 1"
    rows = flipside("sql", query, "--json").json
    assert rows[0]["texts"] == ["a red attribute 1", "a blue attribute 1"]
    assert (rows[0]["n"], rows[0]["n_2"], rows[0]["gap"], rows[0]["bad"]) == (1, 2, None, None)


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE scores",
        "CREATE TABLE x (i INT)",
        "COPY runs TO '/tmp/flipside-test.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "ATTACH '/tmp/flipside-test.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT 1; DROP TABLE scores",
        "SELECT * FROM nowhere",
        "SELEKT 1",
        "",
        "/* nothing */",
    ],
)
def test_what_is_refused(flipside, query):
    answer = flipside("sql", query)
    assert answer.code == 2
    assert answer.err.startswith("flipside:")
    assert answer.err.count("\n") == 1
    assert answer.out == ""
    assert open_store().cursor().execute("SELECT count(*) FROM runs").fetchone() == (3,)


@pytest.mark.usefixtures("ready")
def test_the_view_has_the_joins_done(flipside):
    by_hand = """SELECT r.model, i.item_id, o.metric, o.kind, o.correct, o.reason FROM outcomes o
        JOIN runs r USING (run_id) JOIN items i ON i.benchmark = r.benchmark AND i.item_no = o.item_no ORDER BY ALL"""
    from_view = "SELECT model, item_id, metric, kind, correct, reason FROM verdicts ORDER BY ALL"
    rows = flipside("sql", from_view, "--json").json
    assert rows == flipside("sql", by_hand, "--json").json
    assert len(rows) > 100
    from backend import results

    frame = results.open().sql("SELECT count(*) AS n FROM verdicts")
    assert int(frame["n"][0]) == len(rows)


@pytest.mark.usefixtures("ready")
def test_all_rows_as_csv_and_what_there_is(flipside):
    query = "SELECT item_id, texts, NULL AS gap FROM items ORDER BY item_no"
    lines = list(csv.reader(io.StringIO(flipside("sql", query, "--csv").out)))
    rows = flipside("sql", query, "--json").json
    assert lines[0] == ["item_id", "texts", "gap"]
    assert [(line[0], json.loads(line[1]), line[2]) for line in lines[1:]] == [
        (row["item_id"], row["texts"], "") for row in rows
    ]
    tables = {table["table"]: table for table in flipside("sql", "--schema", "--json").json}
    assert next(iter(tables)) == "verdicts"
    assert {"model", "item_id", "reason"} <= {column["name"] for column in tables["verdicts"]["columns"]}
    assert {name for name, table in tables.items() if not table["about"]} == set()
    wrong = ([], ["SELECT 1", "--schema"], ["SELECT 1", "--csv", "--json"])
    assert [flipside("sql", *words).code for words in wrong] == [2, 2, 2]


@pytest.mark.long
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("after", [0, 3, 12])
def test_a_signal_stops_the_query_whenever_it_comes(flipside_cache, number, code, after):
    """While what ships is imported, or in the query itself, which would take days."""
    query = "SELECT count(*) FROM range(100000000000) a, range(1000) b"
    script = (
        # A shell that starts the tests in the background has them ignore SIGINT, which child processes inherit.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        f"import sys; sys.argv[1:] = ['sql', {query!r}]; from backend.cli import run; sys.exit(run())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "FLIPSIDE_CACHE": str(flipside_cache)},
    ) as asking:  # fmt: skip
        try:
            until = time.monotonic() + 60
            while not any(flipside_cache.glob("db/**/*.duckdb")) and time.monotonic() < until:
                time.sleep(0.1)  # the import has begun
            time.sleep(after)
            asking.send_signal(number)
            out, said = asking.communicate(timeout=60)
        finally:
            asking.kill()  # the query would take both cores for days
    assert (asking.returncode, out) == (code, "")
    assert "stopping; it only reads, so nothing is changed.\n" in said
    assert "Traceback" not in said
    assert "fault of the program" not in said


@pytest.mark.long
def test_the_example_of_the_docs_gives_the_rates_of_report(flipside, no_shipped_results):
    """A limited run's items were counted beside the whole one's, and twice."""
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text("utf-8")
    (query,) = re.findall(r'^flipside sql "(.*)"$', page, flags=re.M)
    asked = ("--benchmark", "world", "--kinds", "itc")
    assert flipside("run", "--model", "fake:ok", *asked).code == 0
    assert flipside("run", "--model", "fake:ok", *asked, "--subset", "relation", "--limit", 5).code == 0
    rows = flipside("sql", query, "--json").json
    found = {row["metric"]: (row["rate"], row["n"]) for row in rows}
    assert len(found) == len(rows), "each metric once"
    report = flipside("report", "--model", "fake:ok", "--benchmark", "world", "--subset", "relation", "--json").json
    assert {row["run_id"] for row in rows} == {report["run"]}
    assert found == {
        name: (pytest.approx(entry["value"]), entry["n"]) for name, entry in report["metrics"].items() if entry["n"]
    }
