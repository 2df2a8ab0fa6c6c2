"""`flipside sql`: any question, and nothing but questions."""

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
