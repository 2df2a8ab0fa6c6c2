"""What a page reads of trainings, from whole folders and from damaged ones, without torch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backend import locks
from backend.errors import FlipsideError
from backend.teach.training import following, log

ROOT = Path(__file__).resolve().parents[3]
LESSON = {"model": "bundled:clip", "recipe": {"name": "eqsim"}, "series": "mine", "plan": {"steps": 5}}


@pytest.fixture
def begun(tmp_path):
    folder = tmp_path / "all" / "mine"
    following.write(folder, LESSON)
    return folder


def merged(folder, step=5, family="hf"):
    (folder / "merged").mkdir(exist_ok=True)
    (folder / "merged" / "teach.json").write_text(json.dumps({"step": step}))
    if family == "openclip":
        (folder / "merged" / "open_clip_config.json").write_text("{}")


def test_from_its_beginning_to_its_end(begun):
    (found,) = following.trainings(begun.parent)
    assert (found.model, found.recipe, found.series, found.steps) == ("bundled:clip", "eqsim", "mine", 5)
    assert (found.done, found.finished, found.running, found.merged, found.log()) == (0, False, False, "", [])
    log.judged(begun, 0, {"gamma": 0.5})
    for step in range(1, 6):
        assert following.training(begun).done == step - 1
        log.write(begun, {"step": step, "loss": 1.0})
    assert not following.training(begun).finished  # not saved yet
    merged(begun, step=4)
    assert not following.training(begun).finished  # what lies there is of another training
    merged(begun)
    found = following.training(begun)
    assert (found.done, found.finished, found.merged) == (5, True, f"hf:{begun / 'merged'}")
    assert [entry["step"] for entry in found.log()] == [0, 1, 2, 3, 4, 5]
    merged(begun, family="openclip")
    assert following.training(begun).merged == f"openclip:{begun / 'merged'}"


def test_it_runs_as_long_as_its_lock_is_held(begun):
    lock = begun / following.LOCK
    with locks.signed(lock, lambda: lock.open("a+"), FlipsideError):
        assert following.training(begun).running
    assert not following.training(begun).running


def test_the_newest_comes_first_and_other_folders_are_left_out(begun):
    for name, created in (("old", "2020-01-01T00:00:00+00:00"), ("new", "2999-01-01T00:00:00+00:00")):
        following.write(begun.parent / name, LESSON | {"created": created})
    (begun.parent / "empty").mkdir()
    (begun.parent / ".hidden").mkdir()
    (begun.parent / "file").write_text("{}")
    assert [each.folder.name for each in following.trainings(begun.parent)] == ["new", "mine", "old"]
    assert following.trainings(begun.parent / "nowhere") == []


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "[" * 9999, '{"a": NaN}', "\x00", "x" * (following.MOST + 1), '{"format": 1}',
        {"version": 2}, {"plan": []}, {"plan": {"steps": "5"}}, {"plan": {"steps": 0}}, {"plan": {"steps": True}},
        {"recipe": "eqsim"}, {"model": 5}, {"series": None}, {"created": "yesterday"}, {"created": 7},
    ],
    ids=range(19),
)  # fmt: skip
def test_a_damaged_lesson_is_left_out(begun, text):
    path = begun / following.FILE
    path.write_text(text if isinstance(text, str) else json.dumps(json.loads(path.read_text()) | text))
    assert following.trainings(begun.parent) == []


def test_what_is_no_file_is_left_out(begun):
    (begun / following.FILE).unlink()
    os.mkfifo(begun / following.FILE)  # opening it would wait for ever
    assert following.trainings(begun.parent) == []
    (begun / following.FILE).unlink()
    following.write(begun, LESSON)
    os.mkfifo(begun / log.FILE)
    (begun / "merged").mkdir()
    os.mkfifo(begun / "merged" / "teach.json")
    found = following.training(begun)
    assert (found.done, found.log(), found.merged) == (0, [], "")


def test_lines_that_are_none_of_a_log_are_left_out(begun):
    good = '{"step": 1, "loss": 2.0, "gamma": null, "held_out": {"gamma": 0.5}}'
    bad = ("{", "[]", "7", '{"step": "2"}', '{"step": -2}', '{"step": true}', '{"loss": 1}', '{"step": 2, "loss": "x"}',
           '{"step": 2, "loss": NaN}', '{"step": 2, "loss": []}', '{"step": 2, "held_out": {"gamma": "<b>"}}',
           '{"step": 2, "held_out": 1}', "[" * 9999, '{"step": 1, "loss": 9}', '{"step": 0}',
           '{"step": 2, "loss": 1' + "0" * log.LONGEST + "}")  # fmt: skip
    cut_short = '{"step": 3, "lo'
    text = "\n".join([good, *bad, '{"step": 2, "loss": 1.0}', cut_short])
    (begun / log.FILE).write_bytes(b"\xff\xfe\n" + text.encode())
    assert [entry["step"] for entry in log.read(begun)] == [1, 2]
    assert log.read(begun, 1) == [json.loads(good)]
    assert (log.last_step(begun), following.training(begun).done) == (2, 2)
    log.cut(begun, 1)
    assert (begun / log.FILE).read_text() == good + "\n"


def test_a_log_of_more_steps_than_the_plan_has_says_no_more_than_all(begun):
    log.write(begun, {"step": 2**40, "loss": 1.0})
    assert following.training(begun).done == 5


def test_a_log_larger_than_any_is_not_read(begun, monkeypatch):
    log.write(begun, {"step": 1, "loss": 1.0})
    monkeypatch.setattr(log, "MOST", 10)
    with pytest.raises(FlipsideError, match="is no log of a training"):
        log.read(begun)
    assert following.training(begun).log() == []


def test_what_is_no_number_is_written_as_null(begun):
    log.write(begun, {"step": 1, "loss": float("nan"), "held_out": {"gamma": float("inf")}})
    assert log.read(begun) == [{"step": 1, "loss": None, "held_out": {"gamma": None}}]


def test_judged_later_stands_where_it_would_have_stood(begun):
    log.judged(begun, 0, {"gamma": 1.0})
    log.write(begun, {"step": 1, "loss": 1.0})
    assert log.is_judged(begun, 1) is False
    log.judged(begun, 1, {"gamma": 2.0})
    assert log.is_judged(begun, 1) is True
    assert log.read(begun) == [
        {"step": 0, "held_out": {"gamma": 1.0}}, {"step": 1, "loss": 1.0, "held_out": {"gamma": 2.0}}
    ]  # fmt: skip


def test_no_torch_is_needed():
    asked = "import sys, backend.teach.training.following; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], cwd=ROOT, check=False).returncode == 0
