"""A study's table has each cell's own reason, and a file that was copied finds the runs of its cells."""

import csv
import io
import shutil

import pytest

from backend.study.grid import read
from backend.verbs import study
from tests.study.test_running import GRID, grid  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("flipside_cache")


def cells(flipside, path, *more):
    """The rows of a study's table, which exits 1 where a cell is missing."""
    done = flipside("table", path, "--format", "csv", *more)
    found = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == int(any(row["missing"] for row in found)), done.err
    return found


def test_a_missing_cell_has_its_own_reason_and_its_benchmark_a_column(flipside, grid):  # noqa: F811
    grid.write_text(GRID.replace("fake:constant", "fake:nan") + '[[benchmarks]]\nname = "winoground"\n')
    assert flipside("study", grid).code == 1
    why = {(row["model"], row["benchmark"]): row["missing"] for row in cells(flipside, grid) if row["missing"]}
    assert "t2t stopped at item" in why["fake:nan", "visla"]
    assert 'line 16: winoground needs data = "DIR"' in why["fake:ok", "winoground"]
    lines = flipside("table", grid).out.splitlines()
    assert "| winoground |" in lines[0]
    assert lines[2].startswith("| One (t2t)")


def test_a_copied_file_finds_the_runs_of_its_cells(flipside, grid):  # noqa: F811
    assert flipside("study", grid).code == 0
    before = cells(flipside, grid)
    copy = shutil.copy(grid, grid.with_name("other.toml"))
    assert cells(flipside, copy) == before
    assert len({row["run"] for row in before}) == 4
    grid.with_name("third.toml").write_text(GRID.replace("limit = 2", "limit = 1"))
    missing = [row["missing"] for row in cells(flipside, grid.with_name("third.toml")) if row["missing"]]
    assert len(missing) == 2
    assert all(said.startswith("it has not been scored yet: `flipside study") for said in missing)


def test_a_limit_beyond_the_last_item_is_found_as_the_whole(flipside, grid):  # noqa: F811
    assert flipside("study", grid).code == 0
    wide = grid.with_name("wide.toml")
    wide.write_text(GRID.replace("limit = 2", "limit = 500"))
    assert not any(row["missing"] for row in cells(flipside, wide))
    assert flipside("report", "--model", "One", "--benchmark", "visla", "--json").json["n_items"] == 3


@pytest.mark.long
def test_publish_takes_names(flipside, grid, tmp_path):  # noqa: F811
    assert flipside("study", grid).code == 0
    done = flipside("publish", "--benchmark", "visla", "--model", "One", "--out", tmp_path / "site", "--json")
    assert done.code == 0, done.err
    assert len(done.json["benchmarks"][0]["models"]) == 1


def test_a_spec_in_two_dtypes_has_two_rows(flipside, grid):  # noqa: F811
    twice = GRID.replace('spec = "fake:constant"', 'spec = "fake:ok"\nname = "Half"\ndtype = "float16"')
    grid.write_text(twice.replace('name = "Half"\n', "").replace('name = "One"\n', ""))
    refused = flipside("study", grid)
    assert refused.code == 2
    assert "line 7: fake:ok is called 'fake:ok', too; give one of them another name" in refused.err
    grid.write_text(twice)
    assert flipside("study", grid).code == 0
    found = cells(flipside, grid)
    assert {row["name"] for row in found} == {"One", "Half"}
    assert {row["model"] for row in found} == {"fake:ok"}


def test_a_name_that_only_the_study_shows_is_said(grid):  # noqa: F811
    grid.write_text(GRID.replace('spec = "fake:ok"', 'spec = "bundled:clip"'))
    assert study._own_names(read(grid))[0].startswith("One (bundled:clip): called so in the study's table and site")
    grid.write_text(GRID)  # kept in the runs' records, so every verb shows it
    assert study._own_names(read(grid)) == []
