"""Trainings as folders and jobs: names that are taken, records that are garbage, deletion with a way back. No training
runs in here (tests/browser/test_teach.py, tests/verbs/test_teach.py)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from backend.errors import FlipsideError, UsageError
from backend.live.jobs import jobs, record, runner
from backend.live.jobs.record import Job
from backend.live.scoring import pool
from backend.live.teaching import trainings
from backend.live.teaching.words import Wish
from backend.live.uploads import trash
from backend.live.uploads.model_folders import taught_dir
from backend.teach.training import following

WISH = Wish("bundled:clip", "eqsim", fresh=40, concepts=("attribute",), steps=12)


@pytest.fixture(autouse=True)
def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs stay in the queue."""
    monkeypatch.setattr(jobs, "advance", lambda: None)
    monkeypatch.setattr(jobs, "_free", lambda _: 0)


def over(job: Job, state: str) -> Job:
    with record.locked():
        record.write(record.changed(job, state=state, started=record.now(), finished=record.now(), exit_code=1))
    return record.read(job.job_id)


def begun(folder: Path, recipe: str = "eqsim", steps: int = 12, lines: int = 0) -> Path:
    """What a training that has begun leaves in its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {"model": "bundled:clip", "recipe": {"name": recipe}, "series": folder.name, "plan": {"steps": steps}}
    following.write(folder, told)
    entries = [json.dumps({"step": n, "loss": 1.0 / n}) for n in range(1, lines + 1)]
    (folder / "log.jsonl").write_text("".join(f"{line}\n" for line in entries))
    return folder


def merged(folder: Path, steps: int = 12) -> None:
    (folder / "merged").mkdir()
    (folder / "merged" / "teach.json").write_text(json.dumps({"step": steps}))
    config = {"architectures": ["CLIPModel"], "model_type": "clip"}
    (folder / "merged" / "config.json").write_text(json.dumps(config))
    (folder / "merged" / "model.safetensors").write_bytes(b"weights")


def test_a_training_is_a_job_that_fills_a_folder_of_its_name() -> None:
    job = trainings.start(WISH, "mine", "Teach clip", b"")
    assert job.verb == "teach"
    assert job.state == record.QUEUED
    assert job.arguments[job.arguments.index("--out") + 1] == str(taught_dir().resolve() / "mine")
    (one,) = trainings.listing()
    assert (one.name, one.state, one.model, one.recipe, one.steps, one.done, one.spec) == (
        "mine", record.QUEUED, "bundled:clip", "eqsim", 12, 0, "",
    )  # fmt: skip
    begun(one.folder, lines=5)
    assert trainings.listing()[0].done == 5
    assert len(trainings.listing()[0].log()) == 5


def test_captions_go_along_as_a_file_of_the_job() -> None:
    job = trainings.start(WISH, "mine", "Teach clip", b'{"format": 1}\n')
    path = Path(job.arguments[job.arguments.index("--captions") + 1])
    assert path.read_bytes() == b'{"format": 1}\n'
    assert path.parent == job.folder.resolve() / "inputs"
    assert jobs.is_allowed("teach", job.arguments, job.folder.resolve() / "inputs")


@pytest.mark.parametrize(
    "name",
    ["", "../x", "a/b", "/etc", ".hidden", "-x", "🙂", "a b", "a\0", "n" * 61, "n" * 300, "ü", "a\n", "merged/.."],
)
def test_what_is_no_name_is_refused_and_leaves_nothing(name: str) -> None:
    with pytest.raises(UsageError, match="1 to 60 letters"):
        trainings.start(WISH, name, "t")
    assert not taught_dir().exists()
    assert jobs.listing() == []


def test_the_second_of_two_sessions_that_take_one_name_is_told() -> None:
    trainings.start(WISH, "mine", "t")
    with pytest.raises(UsageError, match="There is a training named mine already"):
        trainings.start(replace(WISH, recipe="binding"), "mine", "t")
    assert [one.recipe for one in trainings.listing()] == ["eqsim"]
    assert trainings.free_name("mine") == "mine-2"
    assert trainings.free_name("x" * 300) == "x" * 52
    assert trainings.free_name("...") == "training"


def test_a_name_between_look_and_start_is_claimed_by_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "refuse_name", lambda _: None)
    trainings.start(WISH, "mine", "t")
    with pytest.raises(UsageError, match="already"):
        trainings.start(WISH, "mine", "t")


def test_what_may_not_be_taught_leaves_no_folder() -> None:
    with pytest.raises(UsageError, match="From the browser only models that are offered"):
        trainings.start(replace(WISH, model="endpoint:http://10.0.0.1/v1#m"), "mine", "t")
    assert list(taught_dir().iterdir()) == []


def test_a_cache_that_cannot_be_written_is_said_in_a_sentence(flipside_cache: Path) -> None:
    (flipside_cache / "taught").write_text("a file in the way")
    with pytest.raises(FlipsideError, match="taught"):
        trainings.start(WISH, "mine", "t")


@pytest.mark.parametrize("garbage", [b"", b"{", b"[]", b"\xff\xfe", b'{"format": "flipside lesson", "version": 1}'])
def test_damaged_files_of_a_training_hide_nothing_else(garbage: bytes) -> None:
    trainings.start(WISH, "mine", "t")
    folder = begun(taught_dir() / "mine", lines=3)
    begun(taught_dir() / "other", "binding", lines=4)
    (folder / "lesson.json").write_bytes(garbage)
    (folder / "log.jsonl").write_bytes(garbage + b'\n{"step": 1, "loss": 0.5}\n{"step": "x"}\n{"step": 2, "lo')
    found = {one.name: one for one in trainings.listing()}
    assert found.keys() == {"mine", "other"}
    assert found["mine"].recipe == "eqsim"
    assert found["mine"].log() == [{"step": 1, "loss": 0.5}]
    assert found["other"].state == record.CANCELLED
    assert found["other"].done == 4


def test_a_folder_whose_job_is_gone_is_known_by_itself() -> None:
    job = over(trainings.start(WISH, "mine", "t"), record.FAILED)
    merged(begun(taught_dir() / "mine", lines=12))
    assert trainings.listing()[0].state == record.DONE  # its model is whole, whatever came afterwards
    jobs.delete(job.job_id)
    (one,) = trainings.listing()
    assert (one.job, one.state, one.spec) == (None, record.DONE, f"hf:{taught_dir().resolve()}/mine/merged")
    assert one.spec in pool.available()
    (one.folder / "merged" / "config.json").write_bytes(b"\xff{")
    assert one.spec not in pool.available()  # a page asks each of them what it gives


def test_a_killed_training_is_lost_and_the_same_command_goes_on() -> None:
    job = trainings.start(WISH, "mine", "t")
    with record.locked():
        record.write(record.changed(job, state=record.RUNNING, pid=1, pid_started="never", started=record.now()))
    assert trainings.listing()[0].state == record.LOST
    again = jobs.resume(job.job_id)
    assert (again.state, again.arguments) == (record.QUEUED, job.arguments)


def test_a_baseline_is_found_by_equal_settings_alone() -> None:
    plain = replace(WISH, recipe="baseline")
    assert trainings.baseline_for(WISH) is None
    trainings.start(replace(plain, steps=13), "longer", "t")
    trainings.start(plain, "with-captions", "t", b"x")
    assert trainings.baseline_for(WISH) is None
    trainings.start(plain, "plain", "t")
    one = trainings.start(WISH, "mine", "t")
    found = {each.name: each for each in trainings.listing()}
    assert one.arguments == found["mine"].job.arguments  # type: ignore[union-attr]
    assert trainings.baseline_of(found["mine"], list(found.values())) == found["plain"]
    assert trainings.baseline_for(WISH) == found["plain"]
    assert trainings.baseline_for(WISH, b"x") == found["with-captions"]
    assert trainings.baseline_of(found["plain"], list(found.values())) is None


def test_a_training_is_deleted_with_its_job_and_put_back() -> None:
    job = trainings.start(WISH, "mine", "t")
    begun(taught_dir() / "mine", lines=2)
    with pytest.raises(UsageError, match="stop it before"):
        trainings.delete(trainings.listing()[0])
    over(job, record.CANCELLED)
    gone = trainings.delete(trainings.listing()[0])
    assert gone.what == "training"
    assert trainings.listing() == []
    assert not (taught_dir() / "mine").exists()
    trash.restore(gone.key)
    (one,) = trainings.listing()
    assert (one.name, one.done, one.job and one.job.job_id) == ("mine", 2, job.job_id)
    trainings.delete(one)
    with pytest.raises(UsageError, match="not there any more"):
        trainings.delete(one)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--out", "/elsewhere/x"), ("--model", "py:os:system"), ("--captions", "/etc/passwd"), ("--fill-mask", "lm:x")],
)
def test_a_tampered_record_is_not_started(option: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = trainings.start(WISH, "mine", "t")
    words = list(job.arguments)
    if option in words:
        words[words.index(option) + 1] = value
    else:
        words[-1:] = [option, value, "--json"]
    with record.locked():
        record.write(record.changed(job, arguments=tuple(words), state=record.RUNNING, pid=4242))
    monkeypatch.setattr(runner.os, "getpid", lambda: 4242)
    monkeypatch.setattr(runner.signal, "signal", lambda *_: None)
    monkeypatch.setattr(runner.supervisor, "start_group", lambda *_: pytest.fail("it was started"))
    assert runner.main(job.job_id) == 1
    assert record.read(job.job_id).state == record.FAILED
    assert "its record asks for what no page starts" in (job.folder / "stderr").read_text()
