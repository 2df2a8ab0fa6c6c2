"""`publish` as it is typed: in a process of its own, from results to a folder."""

import json

import pytest

from tests.pages import results
from tests.study.test_running import grid  # noqa: F401 - a fixture

pytestmark = pytest.mark.long


def test_a_site_is_written_and_told(flipside, flipside_cache, tmp_path):
    results.write(flipside_cache, results.world(20), "world~small")
    answer = flipside(
        "publish", "--out", tmp_path / "site", "--benchmark", "world~small", "--model", results.STRONG, "--json"
    )
    assert answer.code == 0, answer.err
    assert answer.json["benchmarks"][0]["models"] == [results.STRONG]
    assert (tmp_path / "site" / "index.html").is_file()
    site = (tmp_path / "site" / "data" / "site.js").read_text()
    assert json.loads(site[site.index(",") + 1 : site.rindex(")")])["benchmarks"][0]["name"] == "world~small"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--benchmark", "wrld"], "unknown benchmark 'wrld'. Did you mean world"),
        (["--run", "zz"], "--run zz: no run's id begins so"),
        (["--benchmark", "world~small", "--model", "fake:none"], "there is no run of model 'fake:none'"),
    ],
)
def test_what_is_not_there_is_wrong_use(flipside, flipside_cache, tmp_path, words, said, monkeypatch):
    results.write(flipside_cache, results.world(20), "world~small")
    answer = flipside("publish", "--out", tmp_path / "site", *words)
    assert answer.code == 2
    assert said.partition(". ")[0] in answer.err
    assert not (tmp_path / "site").exists()


@pytest.mark.usefixtures("flipside_cache")
def test_a_study_names_what_is_published(flipside, grid, tmp_path):  # noqa: F811 - the fixture
    site = tmp_path / "site"
    before = flipside("publish", grid, "--out", site)
    assert before.code == 1
    assert "none of its 4 cells is filled. Fill them first" in before.err
    grid.write_text('title = "Ours & theirs"\n' + grid.read_text().replace("limit = 2", "limit = 2\nsubset = 'x'", 1))
    assert flipside("study", grid).code == 1
    mixed = flipside("publish", grid, "--model", "One", "--out", site)
    assert mixed.code == 2
    assert "leave --benchmark, --model and --run out" in mixed.err
    grid.write_text(grid.read_text().replace('"One"', '"Uno, ours"'))  # the runs' records say One
    done = flipside("publish", grid, "--out", site, "--json")
    assert done.code == 1, done.err
    assert [sorted(each["models"]) for each in done.json["benchmarks"]] == [["fake:constant", "fake:ok"]]
    assert "2 of the study's 4 cells are not filled and so not published" in done.err
    assert "Ours &" in (site / "data" / "site.js").read_text()
    data = (site / "data" / "b0.js").read_text()
    assert ("Uno, ours" in data, '"One"' in data) == (True, False)
