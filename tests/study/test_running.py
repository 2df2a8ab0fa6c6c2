"""A study runs, stops, goes on, keeps what is finished, and names what is missing."""

import csv
import io
import json
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from backend import models
from backend.engine.cache import Memory
from backend.engine.runner import run
from backend.items import Benchmark, ImageRef, Protocol
from backend.study import state as state_
from tests.engine.samples import Counting, item


def table(folder, n=3):
    """VISLA's lines, without their images."""
    folder.mkdir(exist_ok=True)
    lines = [f"{k}.jpg\tone {k}\tthe one {k}\tnot {k}" for k in range(n)]
    (folder / "Generic_VISLA.tsv").write_text(
        "\n".join(["filename\tcaption\tsecond positive\tnegative_caption", *lines]) + "\n"
    )
    return folder


GRID = """\
kinds = ["t2t"]
[settings]
counterfactual = 0
[[models]]
spec = "fake:ok"
name = "One"
[[models]]
spec = "fake:constant"
[[benchmarks]]
name = "visla"
data = "a"
[[benchmarks]]
name = "visla"
data = "a"
limit = 2
"""


@pytest.fixture
def grid(tmp_path):
    table(tmp_path / "a")
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    return path


@pytest.fixture
def loads(monkeypatch):
    found = Counter()
    original = models.load
    monkeypatch.setattr(models, "load", lambda spec, *a, **k: (found.update([spec]), original(spec, *a, **k))[1])
    return found


def test_each_cell_is_scored_once_and_each_model_loaded_once(flipside, grid, loads):
    done = flipside("study", grid, "--json")
    assert done.code == 0, done.err
    assert done.json["counts"] == {"waiting": 0, "running": 0, "done": 4, "missing": 0}
    assert loads == {"fake:ok": 1, "fake:constant": 1}
    again = flipside("study", grid, "--json").json
    assert again["loaded"] == 0
    assert all(cell["kept"] for cell in again["cells"])
    assert loads.total() == 2
    assert [cell["run"] for cell in again["cells"]] == [cell["run"] for cell in done.json["cells"]]
    assert flipside("report", "--model", "One", "--benchmark", "visla", "--json").json["model"] == "fake:ok"


def test_an_edited_file_keeps_what_it_has_not_changed(flipside, grid, loads, flipside_cache):
    first = flipside("study", grid, "--json").json
    grid.write_text(GRID.replace("limit = 2", "limit = 1").replace('name = "One"', 'name = "Uno"'))
    second = flipside("study", grid, "--json").json
    assert [cell["kept"] for cell in second["cells"]] == [True, False, True, False]
    assert second["cells"][0]["run"] == first["cells"][0]["run"]
    record = json.loads((flipside_cache / "runs" / first["cells"][0]["run"] / "run.json").read_text())
    assert record["name"] == "Uno"
    grid.write_text(GRID)  # back again: the cells of before are still there
    assert all(cell["kept"] for cell in flipside("study", grid, "--json").json["cells"])
    (grid.parent / "a" / "Generic_VISLA.tsv").write_text(
        (grid.parent / "a" / "Generic_VISLA.tsv").read_text().replace("one 0", "uno 0")
    )
    assert not any(cell["kept"] for cell in flipside("study", grid, "--json").json["cells"])


def test_what_is_missing_is_named_and_the_rest_is_done(flipside, grid):
    grid.write_text(GRID.replace("fake:constant", "fake:nan") + '[[benchmarks]]\nname = "winoground"\n')
    done = flipside("study", grid)
    assert done.code == 1
    assert "2 of 6 cells are there" in done.out
    assert 'winoground needs data = "DIR"' in done.out
    assert "t2t stopped at item" in done.out
    state = state_.listing()[0]
    assert state.counts() == {"waiting": 0, "running": 0, "done": 2, "missing": 4}
    assert not state.is_running


def test_a_model_that_nobody_knows_is_named_by_its_line(flipside, grid):
    """The cell was named, and not where in the file to mend it."""
    grid.write_text(GRID.replace("fake:constant", "fake:constnt"))
    line = 1 + grid.read_text()[: grid.read_text().index("fake:constnt")].count("\n")
    done = flipside("study", grid)
    assert done.code == 1
    assert f"missing: {grid.name}, line {line}: " in done.out
    dry = flipside("study", grid, "--dry-run", "--json").json
    assert {cell["why"].partition(": ")[0] for cell in dry["cells"] if cell["state"] == "missing"} == {
        f"{grid.name}, line {line}"
    }


def test_a_cell_whose_run_was_deleted_is_scored_again(flipside, grid):
    first = flipside("study", grid, "--json").json
    flipside("runs", first["cells"][0]["run"], "--delete")
    again = flipside("study", grid, "--json").json
    assert [cell["kept"] for cell in again["cells"]] == [False, True, True, True]


def test_stopped_it_goes_on_with_what_is_left(flipside, grid, monkeypatch):
    from backend.study import running

    original, calls = running.run, Counter()

    def stopped(spec, *arguments, **options):
        calls["run"] += 1
        if calls["run"] == 2:
            raise KeyboardInterrupt
        return original(spec, *arguments, **options)

    monkeypatch.setattr(running, "run", stopped)
    done = flipside("study", grid, "--json")
    assert (done.code, done.json["interrupted"], done.json["counts"]["done"]) == (130, True, 1)
    monkeypatch.setattr(running, "run", original)
    again = flipside("study", grid, "--json")
    assert (again.code, [cell["kept"] for cell in again.json["cells"]]) == (0, [True, False, False, False])


def test_dry_run_counts_and_measures_and_keeps_nothing(flipside, grid, flipside_cache):
    grid.write_text(GRID + '[[benchmarks]]\nname = "winoground"\n')
    told = flipside("study", grid, "--dry-run", "--json")
    assert told.code == 1
    cells = {(cell["model"], cell["benchmark"]): cell for cell in told.json["cells"]}
    assert cells["One", "visla"]["scores"] == 9
    assert cells["One", "visla"]["seconds"] >= 0
    assert cells["One", "winoground"]["state"] == "missing"
    assert told.json["bytes"] > 1_000_000
    assert not [*flipside_cache.glob("runs/*")]
    assert told.json["benchmarks"][0]["n_images_missing"] == 3


def test_a_damaged_state_is_no_state(flipside_cache):
    folder = flipside_cache / "studies" / "x"
    folder.mkdir(parents=True)
    for text in ("{", "{}", '{"cells": [[{"state": "gone"}]], "models": ["a"], "benchmarks": ["b"]}'):
        (folder / "state.json").write_text(text)
        assert state_.read("x") is None
    assert state_.listing() == []


def pictures(folder, names):
    """A benchmark of one image and two texts an item, whose image keys are as given: key -> pixels."""
    folder.mkdir()

    def items():
        for k, (key, seed) in enumerate(names.items()):
            path = folder / f"{key}.png"
            pixels = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(path)
            yield item(f"c/{k}", Protocol.CHOICE, [ImageRef(path.name, str(path))], (f"one {k}", "a foil"), {})

    return Benchmark(folder.name, items)


def test_images_and_texts_are_encoded_once_across_benchmarks(tmp_path):
    first, second = pictures(tmp_path / "a", {"p": 1, "q": 2}), pictures(tmp_path / "b", {"r": 1, "q": 3})
    alone = Counting()
    expected = run(alone.model, second, ["itc"], root=tmp_path / "alone", reuse=False)
    counting, memory = Counting(), Memory()
    run(counting.model, first, ["itc"], root=tmp_path / "cache", memory=memory)
    found = run(counting.model, second, ["itc"], root=tmp_path / "cache", memory=memory)
    assert set(counting.inputs["encode_images"].values()) == {1}
    assert len(counting.inputs["encode_images"]) == 3  # q is another picture in the second benchmark
    assert set(counting.inputs["encode_texts"].values()) == {1}
    assert found.asked["images_encoded"] == 1
    from tests.engine.samples import rows

    assert rows(found.run_dir) == rows(expected.run_dir)
    seen = dict(json.loads(line) for line in (found.run_dir / "images.jsonl").read_text().splitlines())
    assert set(seen) == {"r.png", "q.png"}


def test_the_table_of_a_study_shows_its_cells(flipside, grid):
    first = flipside("study", grid, "--json").json
    told = flipside("table", grid, "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(told.out)) if row["metric"] == "t2t_accuracy"]
    assert {(row["model"], row["benchmark"], row["run"]) for row in rows} == {
        (spec, cell["benchmark"], cell["run"])
        for spec, cell in zip(["fake:ok"] * 2 + ["fake:constant"] * 2, first["cells"], strict=True)
    }
    assert {row["benchmark"]: row["n"] for row in rows} == {"visla": "3", "visla (first 2)": "2"}
    grid.write_text(GRID + '[[benchmarks]]\nname = "winoground"\n')
    assert "winoground is missing: it has not been scored yet" in flipside("table", grid).err
    assert flipside("table", grid, "--benchmarks", "visla").code == 2


@pytest.mark.long
def test_a_cell_with_a_damaged_file_is_not_done_and_scored_again(flipside, grid, flipside_cache):
    grid.write_text(GRID.rpartition("[[benchmarks]]")[0])  # a site has one run of a model on a benchmark
    first = flipside("study", grid, "--json").json
    run = first["cells"][0]["run"]
    shard = next((flipside_cache / "runs" / run).glob("t2t-0-*.parquet"))
    sound = shard.read_bytes()
    shard.write_bytes(sound[:40] + b"\0\0\0\0" + sound[44:])
    damaged = shard.read_bytes()
    told = flipside("table", grid)
    assert (told.code, "a file of its run cannot be used" in told.err) == (1, True)
    shown = flipside("failures", "--model", "fake:ok", "--benchmark", "visla", "--run", run)
    assert (shown.code, "has no verdicts from t2t scores" in shown.err) == (1, True)
    assert str(shard) in shown.err
    left_out = next(check for check in flipside("doctor", "--json").json["checks"] if check["name"] == "left out")
    assert f"`flipside runs {run}` shows that command" in left_out["detail"]
    site = flipside("publish", grid, "--out", grid.parent / "site", "--json")
    assert site.code == 1
    assert "1 of the study's 2 cells are not filled" in site.err
    again = flipside("study", grid, "--json")
    assert again.code == 0
    assert [cell["kept"] for cell in again.json["cells"]] == [False, True]
    assert "was damaged: it was set aside as" in again.err
    assert (shard.read_bytes(), shard.with_name(f"{shard.name}.damaged").read_bytes()) == (sound, damaged)
    assert flipside("table", grid).code == 0
