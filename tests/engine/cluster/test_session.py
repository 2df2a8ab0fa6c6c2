import json
import threading
from contextlib import nullcontext

import pytest

from backend.engine import planned
from backend.engine.cluster import session as session_
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.engine.storage.ledger import Pace
from backend.errors import FlipsideError
from backend.models.fake import FakeModel
from tests.engine.cluster.fakes import FakeCluster
from tests.engine.samples import PARTS_OF_ALL, mixed, rows

EVERY = {"kinds": PARTS_OF_ALL, "priors": ["noise:2", "images:3"], "counterfactual": 2}


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(planned, "CELLS", 16)


@pytest.fixture
def benchmark(tmp_path):
    return mixed(tmp_path / "p", 5)


def whole(benchmark, tmp_path, **how):
    return run("fake:ok", benchmark, root=tmp_path / "whole", planned=True, **{**EVERY, **how})


def test_every_kind_has_the_rows_of_one_process(benchmark, tmp_path, monkeypatch):
    cluster = FakeCluster(monkeypatch, deliver=lambda results: (each() for each in reversed(results)))
    alone = whole(benchmark, tmp_path)
    found = run("fake:ok", benchmark, root=tmp_path / "many", cluster=cluster, **EVERY)
    assert len(cluster.shares) > 4
    assert rows(found.run_dir) == rows(alone.run_dir)
    assert (found.run_id, found.computed, found.asked) == (alone.run_id, alone.computed, alone.asked)
    assert found.exit_code == 0
    assert shards.read_manifest(found.run_dir)["parts"].keys() == shards.read_manifest(alone.run_dir)["parts"].keys()
    assert all(part["complete"] for part in shards.read_manifest(found.run_dir)["parts"].values())


def test_each_image_is_encoded_once(benchmark, tmp_path, monkeypatch):
    found = run("fake:ok", benchmark, ["itc"], root=tmp_path / "many", cluster=FakeCluster(monkeypatch))
    images = {image.key for item in benchmark for image in item.images}
    assert found.asked["images_encoded"] == found.asked["images_decoded"] == len(images)


def test_the_record_tells_of_the_cluster_and_nothing_else_changes(benchmark, tmp_path, monkeypatch):
    alone = whole(benchmark, tmp_path)
    found = run("fake:ok", benchmark, root=tmp_path / "many", cluster=FakeCluster(monkeypatch), **EVERY)
    mine, its = (files.read_json(each.run_dir / shards.RECORD) for each in (found, alone))
    assert mine["sessions"][-1]["ray"] == {"processes": 3, "machines": 2}
    assert mine["sessions"][-1]["planned"] == its["sessions"][-1]["planned"] == 16
    same = ("model", "benchmark", "selection", "priors", "n_selected", "counterfactual")
    assert {name: mine[name] for name in same} == {name: its[name] for name in same}


def test_what_batching_changes_is_measured_once_a_part(benchmark, tmp_path, monkeypatch):
    monkeypatch.setattr(FakeModel, "module", object())
    alone = whole(benchmark, tmp_path)
    found = run("fake:ok", benchmark, root=tmp_path / "many", cluster=FakeCluster(monkeypatch), **EVERY)
    mine, its = (files.read_json(each.run_dir / shards.RECORD)["batching"] for each in (found, alone))
    assert mine == its
    assert {"itc", "itm", "gen", "vqa", "t2t"} <= mine.keys()


def test_a_window_that_comes_twice_counts_once(benchmark, tmp_path, monkeypatch):
    cluster = FakeCluster(monkeypatch, deliver=lambda results: (each() for each in [*results, *results[:3]]))
    found = run("fake:ok", benchmark, root=tmp_path / "many", cluster=cluster, **EVERY)
    alone = whole(benchmark, tmp_path)
    assert rows(found.run_dir) == rows(alone.run_dir)
    assert found.computed == alone.computed


def test_windows_that_never_come_are_no_end(benchmark, tmp_path, monkeypatch):
    cluster = FakeCluster(monkeypatch, deliver=lambda results: (each() for each in results[:3]))
    with pytest.raises(FlipsideError, match=r"before \d+ windows were scored"):
        run("fake:ok", benchmark, root=tmp_path / "many", cluster=cluster, **EVERY)
    (folder,) = (tmp_path / "many" / "runs").iterdir()
    parts = shards.read_manifest(folder)["parts"]
    assert any(part["shards"] for part in parts.values())
    assert not any(part["complete"] for part in parts.values())
    again = run("fake:ok", benchmark, root=tmp_path / "many", cluster=FakeCluster(monkeypatch), **EVERY)
    assert rows(again.run_dir) == rows(whole(benchmark, tmp_path).run_dir)


def test_a_cluster_that_gives_up_is_told_in_a_sentence(benchmark, tmp_path, monkeypatch):
    def broken(results):
        yield results[0]()
        raise ConnectionError("the head is gone")

    with pytest.raises(FlipsideError, match="The cluster gave up: ConnectionError: the head is gone"):
        run("fake:ok", benchmark, root=tmp_path / "many", cluster=FakeCluster(monkeypatch, deliver=broken), **EVERY)
    (folder,) = (tmp_path / "many" / "runs").iterdir()
    assert shards.verify(folder) == []


def test_whoever_asks_to_stop_gets_what_is_being_scored_and_goes_on_later(benchmark, tmp_path, monkeypatch):
    asked, stopped = threading.Event(), threading.Event()

    def until_asked(results):
        yield results[0]()
        asked.set()
        assert stopped.wait(20)
        yield from (each() for each in results[1:])

    class Board(session_.Board):
        def stop(self):
            super().stop()
            stopped.set()

    monkeypatch.setattr(session_, "Board", Board)
    monkeypatch.setattr(session_, "batch_by_batch", lambda: nullcontext(asked.is_set))
    cluster = FakeCluster(monkeypatch, deliver=until_asked)
    first = run("fake:ok", benchmark, root=tmp_path / "many", cluster=cluster, pace=Pace(rows=1), **EVERY)
    assert first.interrupted
    assert first.exit_code == 130
    assert first.computed > 0
    again = run("fake:ok", benchmark, root=tmp_path / "many", planned=True, **EVERY)
    alone = whole(benchmark, tmp_path)
    assert again.computed == alone.computed - first.computed
    assert rows(again.run_dir) == rows(alone.run_dir)


def test_whoever_asks_to_stop_while_the_last_ones_are_scored_has_stopped_nothing(benchmark, tmp_path, monkeypatch):
    """All rows were there, and the run was “in part” until somebody gave the same command again."""
    asked = threading.Event()

    def after_all(results):
        done = [each() for each in results]
        asked.set()
        yield from done

    monkeypatch.setattr(session_, "batch_by_batch", lambda: nullcontext(asked.is_set))
    cluster = FakeCluster(monkeypatch, deliver=after_all)
    found = run("fake:ok", benchmark, root=tmp_path / "many", cluster=cluster, **EVERY)
    assert not found.interrupted
    assert found.exit_code == 0
    assert rows(found.run_dir) == rows(whole(benchmark, tmp_path).run_dir)


def test_a_stage_that_fails_is_asked_for_no_more_and_the_others_are_done(benchmark, tmp_path, monkeypatch):
    calls = []

    def failing(self, images, texts):
        calls.append(len(texts))
        raise ValueError("no head")

    monkeypatch.setattr(FakeModel, "itm_logits", failing)
    cluster = FakeCluster(monkeypatch)
    found = run("fake:ok", benchmark, ["itc", "itm"], root=tmp_path / "many", cluster=cluster)
    assert "no head" in found.failed["itm"]
    assert found.parts["itc"]["complete"]
    assert not found.parts["itm"]["rows"]
    assert calls[-1] == 1  # narrowed down to one input
    assert len(calls) < 2 * len(cluster.shares)
    assert "ValueError: no head" in (found.run_dir / "errors.log").read_text()


def test_other_weights_on_a_machine_are_refused(benchmark, tmp_path, monkeypatch):
    told = iter(range(100))
    original = FakeModel.describe
    monkeypatch.setattr(
        FakeModel, "describe", lambda self: original(self) | {"weights_sha256": "a" if next(told) < 1 else "b"}
    )
    with pytest.raises(FlipsideError, match="differs from the one that the run was begun with in weights_sha256"):
        run("fake:ok", benchmark, ["itc"], root=tmp_path / "many", cluster=FakeCluster(monkeypatch))


def test_progress_is_of_the_whole(benchmark, tmp_path, monkeypatch):
    told, said = [], []
    run("fake:ok", benchmark, ["itc", "itm"], root=tmp_path / "many", cluster=FakeCluster(monkeypatch),
        progress=told.append, tell=said.append)  # fmt: skip
    assert [report.done for report in told] == sorted(report.done for report in told)
    assert told[-1].done == told[-1].total == told[0].total > 0
    assert any("windows of work for 3 processes on 2 machines, each with 1 CPU" in line for line in said)


def test_what_is_known_is_taken_and_the_rest_is_scored(benchmark, tmp_path, monkeypatch):
    root = tmp_path / "one"
    first = run("fake:ok", benchmark, ["itm"], root=root, selection=Selection(subset="quad"))
    found = run("fake:ok", benchmark, ["itm"], root=root, cluster=FakeCluster(monkeypatch))
    assert sum(found.taken[first.run_id].values()) == first.computed
    assert rows(found.run_dir) == rows(run("fake:ok", benchmark, ["itm"], root=tmp_path / "w", planned=True).run_dir)


def test_nothing_pending_starts_no_process(benchmark, tmp_path, monkeypatch):
    run("fake:ok", benchmark, ["itc"], root=tmp_path / "one", planned=True)
    cluster = FakeCluster(monkeypatch)
    found = run("fake:ok", benchmark, ["itc"], root=tmp_path / "one", cluster=cluster)
    assert (found.computed, found.exit_code, cluster.places) == (0, 0, None)


def test_the_documents_of_both_are_alike(benchmark, tmp_path, monkeypatch):
    found = run("fake:ok", benchmark, ["itc"], root=tmp_path / "many", cluster=FakeCluster(monkeypatch))
    alone = run("fake:ok", benchmark, ["itc"], root=tmp_path / "one", planned=True)
    mine, its = (json.loads(json.dumps(each.document())) for each in (found, alone))
    assert mine.keys() == its.keys()
    assert mine["parts"] == its["parts"]
