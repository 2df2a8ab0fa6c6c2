import io
import json
import os
from dataclasses import replace

import pytest
from rich.console import Console

from backend import items as items_
from backend.engine.inputs.selection import Selection
from backend.engine.reporting.progress import shown
from backend.engine.reporting.summary import Progress
from backend.engine.runner import run
from backend.engine.storage import identity, record, shards
from backend.models import load
from tests.engine.samples import mixed

DESCRIBED = {"weights_sha256": "w", "preprocessing": {"size": 224}, "dtype": "float32", "device": "cpu", "spec": "a"}


@pytest.mark.parametrize(
    "changed",
    [
        ({"weights_sha256": "v"}, "h", Selection()),
        ({"preprocessing": {"size": 336}}, "h", Selection()),
        ({"dtype": "float16"}, "h", Selection()),
        ({}, "g", Selection()),
        ({}, "h", Selection(split="test")),
        ({}, "h", Selection(subset="a")),
        ({}, "h", Selection(limit=5)),
        ({}, "h", Selection(sample=5)),
        ({}, "h", Selection(seed=1)),
    ],
    ids=str,
)
def test_whatever_changes_scores_changes_the_run_id(changed):
    described, content_hash, selection = changed
    assert record.run_id(DESCRIBED | described, content_hash, selection) != record.run_id(DESCRIBED, "h", Selection())


def test_the_format_enters_the_run_id(monkeypatch):
    before = record.run_id(DESCRIBED, "h", Selection())
    monkeypatch.setattr(identity, "FORMAT", 2)
    assert record.run_id(DESCRIBED, "h", Selection()) != before


def test_what_changes_no_score_changes_no_run_id():
    one = record.run_id(DESCRIBED, "h", Selection(subset="a, b", split="all"))
    two = record.run_id(DESCRIBED | {"device": "cuda", "spec": "elsewhere"}, "h", Selection(subset="b,a"))
    assert one == two
    assert len(one) == 16
    assert set(one) <= set("0123456789abcdef")


def test_the_record_holds_what_repeats_the_run(tmp_path):
    benchmark = replace(mixed(tmp_path / "p"), data_dir="/somewhere")
    run("fake:ok", benchmark, ["itc"], selection=Selection(limit=5, seed=7))
    summary = run("fake:ok", benchmark, ["prior"], selection=Selection(limit=5, seed=7), batch=3)
    document = json.loads((summary.run_dir / "run.json").read_text())
    assert document["model"] == load("fake:ok", seed=7).describe()
    assert document["benchmark"] == {
        "name": "mixed", "hash": benchmark.content_hash(), "n_items": 16, "data_dir": "/somewhere",
    }  # fmt: skip
    assert document["selection"] == {"split": None, "subset": None, "limit": 5, "sample": None, "seed": 7}
    assert document["priors"] == {"prior@noise:3": {"samples": 3, "seed": 7}}
    first, second = document["sessions"]
    assert (first["kinds"], second["kinds"], second["batch"]) == (["itc"], ["prior"], 3)
    assert first["cpu"]
    assert first["versions"]["numpy"]
    assert document["created"] <= document["updated"]
    assert os.uname().nodename not in json.dumps(document)


def test_items_are_written_once_with_their_hash(tmp_path):
    benchmark = mixed(tmp_path / "p")
    run("fake:ok", benchmark, ["t2t"], root=tmp_path / "root")
    folder = shards.benchmark_dir(tmp_path / "root", benchmark.content_hash())
    stamps = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert stamps.keys() == {"items.parquet", "benchmark.json"}
    run("fake:ok", benchmark, ["itc"], root=tmp_path / "root")
    assert stamps == {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "items.parquet").to_pylist()
    assert [row["item_id"] for row in table] == [item.item_id for item in benchmark]
    row, item = table[5], list(benchmark)[5]
    assert (row["item_no"], row["protocol"], row["subset"]) == (5, "quad", "quad")
    assert (row["texts"], row["image_keys"]) == (list(item.texts), [image.key for image in item.images])
    assert json.loads(row["truth"]) == [list(pair) for pair in item.truth]
    assert json.loads(row["tags"]) == {"split": ["a"]}
    assert not list((tmp_path / "root" / "benchmarks").glob(".aside*"))


def test_every_protocol_has_a_place_in_the_survey():
    from backend.intake.survey import PROTOCOLS

    assert set(PROTOCOLS) == set(items_.Protocol)


def test_progress_is_a_bar_on_a_terminal_and_nothing_when_quiet():
    screen = io.StringIO()
    with shown("m on b", console=Console(file=screen, force_terminal=True, width=100)) as tell:
        tell(Progress(50, 100, 2.0))
    assert "50/100" in screen.getvalue()
    assert "25 scores/s" in screen.getvalue()
    silent = io.StringIO()
    with shown("m on b", quiet=True, console=Console(file=silent, force_terminal=True)) as tell:
        tell(Progress(50, 100, 2.0))
    assert silent.getvalue() == ""


def test_progress_in_a_log_is_a_line_now_and_then(monkeypatch):
    from backend.engine.reporting import progress

    log = io.StringIO()
    with shown("m on b", console=Console(file=log, force_terminal=False)) as tell:
        tell(Progress(1, 100, 0.1))
        assert log.getvalue() == ""
        monkeypatch.setattr(progress, "INTERVAL", 0.0)
        tell(Progress(50, 100, 2.0))
    assert log.getvalue() == "m on b: 50 of 100 scores, 25 a second, 2 s left\n"
