"""Jobs with real processes: started, queued, killed, cancelled, resumed, found again, and records that are garbage."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.errors import FlipsideError, UsageError
from backend.live import supervisor
from backend.live.jobs import jobs, output, record
from backend.live.jobs.record import Job
from backend.live.supervisor import is_alive, start_of

ROOT = Path(__file__).resolve().parents[3]
QUICK = ("run", ["--model", "fake:ok", "--benchmark", "world", "--kinds", "itc", "--limit", "20", "--json"])
#: A minute and more, with a commit now and then: to be stopped in the middle.
LONG = ("run", ["--model", "fake:slow", "--benchmark", "world", "--kinds", "itc", "--subset", "attribute", "--json"])
SECONDS = 60


@pytest.fixture(autouse=True)
def nothing_left_running(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("FLIPSIDE_JOBS_GRACE", "10")
    yield
    for job in record.every():
        for pid, started in ((job.pid, job.pid_started), (job.child, job.child_started)):
            if is_alive(pid, started):
                os.kill(pid, signal.SIGKILL)


def wait_for(job: Job, test: Callable[[Job], bool], seconds: float = SECONDS) -> Job:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        now = jobs.find(job.job_id)
        if test(now):
            return now
        time.sleep(0.1)
    pytest.fail(f"after {seconds} s the job is still {now.state}:\n{output.log_tail(now)}")


def made(state: str = record.DONE) -> Job:
    """A record of a job that is over, without any process."""
    job = Job(record.new_id(), *QUICK[:1], tuple(QUICK[1]), "made", state, *[record.now()] * 4, exit_code=0, attempts=1)
    job.folder.mkdir(parents=True)
    record.write(job)
    return job


def gone(pid: int, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while start_of(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not start_of(pid)


def over(job: Job) -> bool:
    return job.is_over


def scoring(job: Job) -> bool:
    found = output.progress(job)
    return found is not None and 0 < found.done < found.total


@pytest.mark.slow
def test_a_job_runs_a_real_verb_and_keeps_its_document_and_progress() -> None:
    job = jobs.start(*QUICK, title="fake on world")
    assert job.state == record.RUNNING
    assert start_of(job.pid) == job.pid_started != ""
    done = wait_for(job, over)
    assert (done.state, done.exit_code, done.title) == (record.DONE, 0, "fake on world")
    document = output.document(done)
    assert document["n_items"] == 20
    found = output.progress(done)
    assert found is not None
    assert (found.done, found.total, found.share, found.unit) == (80, 80, 1.0, "scores")
    assert "progress" not in output.log_tail(done)
    assert (flipside_run := Path(document["folder"])).is_dir()
    assert flipside_run.parent.parent == record.cache_dir()
    assert not list(record.cache_dir().glob("jobs/*/.aside*"))


@pytest.mark.slow
def test_a_bundled_model_is_scored_by_a_job() -> None:
    words = ["--model", "bundled:clip", "--benchmark", "world", "--kinds", "itc", "--limit", "20", "--json"]
    done = wait_for(jobs.start("run", words), over, 100)
    assert done.state == record.DONE, output.log_tail(done)
    assert output.document(done)["model"] == "bundled:clip"


def test_wrong_use_fails_with_the_verbs_own_sentence() -> None:
    words = ["--model", "fake:nobody", "--benchmark", "world", "--kinds", "itc", "--json"]
    failed = wait_for(jobs.start("run", words), over)
    assert (failed.state, failed.exit_code) == (record.FAILED, 2)
    assert "nobody" in output.reason(failed)
    assert output.document(failed) is None


@pytest.mark.slow
def test_a_cancelled_job_keeps_what_is_scored_and_resume_goes_on() -> None:
    job = wait_for(jobs.start(*LONG), scoring)
    jobs.cancel(job.job_id)
    stopped = wait_for(job, over)
    assert (stopped.state, stopped.exit_code) == (record.CANCELLED, 130)
    kept = output.document(stopped)["parts"]["itc"]["rows"]
    assert kept > 0
    assert "Resume" in output.reason(stopped)
    again = wait_for(jobs.resume(job.job_id), scoring)
    assert (again.attempts, again.job_id) == (2, job.job_id)
    assert not again.is_cancelling
    jobs.cancel(job.job_id)
    stopped = wait_for(job, over)
    entry = output.document(stopped)["parts"]["itc"]
    assert entry["rows"] == kept + entry["new_rows"]
    assert entry["new_rows"] > 0


@pytest.mark.slow
def test_a_killed_verb_is_a_failed_job_that_says_so() -> None:
    job = wait_for(jobs.start(*LONG), scoring)
    os.kill(jobs.find(job.job_id).child, signal.SIGKILL)
    failed = wait_for(job, over)
    assert (failed.state, failed.exit_code) == (record.FAILED, -9)
    assert "memory" in output.reason(failed)


@pytest.mark.slow
def test_a_job_whose_processes_are_gone_is_lost_and_can_be_resumed() -> None:
    job = wait_for(jobs.start(*LONG), scoring)
    os.kill(job.pid, signal.SIGKILL)
    assert jobs.find(job.job_id).state == record.RUNNING  # the verb itself still works
    os.kill(job.child, signal.SIGKILL)
    lost = wait_for(job, over)
    assert lost.state == record.LOST
    assert json.loads((job.folder / "job.json").read_text())["state"] == record.RUNNING
    assert "Resume" in output.reason(lost)
    assert wait_for(jobs.resume(job.job_id), scoring).attempts == 2


@pytest.mark.slow
def test_a_job_that_nobody_minds_can_still_be_stopped() -> None:
    job = wait_for(jobs.start(*LONG), scoring)
    os.kill(job.pid, signal.SIGKILL)
    gone(job.pid)
    jobs.cancel(job.job_id)
    assert wait_for(job, over).state == record.LOST
    assert json.loads((job.folder / "stdout").read_text())["interrupted"] is True


@pytest.mark.long
def test_whoever_looks_stops_what_nobody_minds_more_firmly_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('ready', flush=True)\ntime.sleep(60)"
    )
    stubborn = subprocess.Popen([sys.executable, "-c", code], process_group=0, stdout=subprocess.PIPE)
    assert stubborn.stdout is not None
    stubborn.stdout.readline()
    job = record.changed(
        made(), state=record.RUNNING, pid=2**22 + 1, pid_started="gone", child=stubborn.pid,
        child_started=start_of(stubborn.pid),
    )  # fmt: skip
    record.write(job)
    jobs.cancel(job.job_id)
    assert (job.folder / "cancel").read_text() == "SIGINT"
    jobs.listing()
    assert (job.folder / "cancel").read_text() == "SIGINT"  # it has its grace
    assert jobs.find(job.job_id).is_cancelling
    monkeypatch.setattr(supervisor, "GRACE", 0.0)
    jobs.listing()
    assert stubborn.wait(20) == -signal.SIGTERM
    assert jobs.find(job.job_id).state == record.LOST


def test_another_process_with_the_same_number_is_not_the_job() -> None:
    assert is_alive(os.getpid(), start_of(os.getpid()))
    assert not is_alive(os.getpid(), start_of(os.getppid()))
    assert not is_alive(os.getpid(), "")
    assert start_of(0) == start_of(2**22 + 1) == ""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # ended, and not waited for
    assert start_of(ended.pid) == ""  # a zombie is no process that works
    ended.wait()
    job = made()
    reused = record.changed(job, state=record.RUNNING, pid=os.getpid(), pid_started="another boot-1", child=0)
    record.write(reused)
    assert jobs.find(job.job_id).state == record.LOST


@pytest.mark.slow
def test_the_queue_runs_one_after_the_other_in_order() -> None:
    first, second, third = jobs.start(*LONG), jobs.start(*QUICK), jobs.start(*QUICK)
    assert [jobs.find(job.job_id).state for job in (first, second, third)] == ["running", "queued", "queued"]
    jobs.cancel(third.job_id)
    wait_for(first, scoring)
    jobs.cancel(first.job_id)
    done = wait_for(second, over)  # nobody looks at the listing: the first one's runner starts it
    assert done.state == record.DONE
    assert done.started > jobs.find(first.job_id).finished
    last = jobs.find(third.job_id)
    assert (last.state, last.attempts) == (record.CANCELLED, 0)
    assert [job.job_id for job in jobs.listing()] == [third.job_id, second.job_id, first.job_id]


@pytest.mark.slow
def test_several_at_once_where_the_owner_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_JOBS", "2")
    found = [jobs.start(*LONG), jobs.start(*QUICK), jobs.start(*QUICK)]
    assert [jobs.find(job.job_id).state for job in found] == ["running", "running", "queued"]
    monkeypatch.setenv("FLIPSIDE_JOBS", "many")
    with pytest.raises(UsageError, match="FLIPSIDE_JOBS=many: expected a whole number from 1"):
        jobs.at_once()


@pytest.mark.slow
def test_sessions_in_other_processes_share_the_jobs_and_outlive_each_other() -> None:
    code = f"from backend.live.jobs import jobs\nprint(jobs.start('run', {LONG[1]!r}).job_id)"
    dashboard = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    (job,) = jobs.listing()  # that dashboard has ended; its job has not
    assert job.job_id == dashboard.stdout.strip()
    wait_for(job, scoring)
    code = f"from backend.live.jobs import jobs\njobs.cancel({job.job_id!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert wait_for(job, over).state == record.CANCELLED


@pytest.mark.slow
def test_starts_from_many_processes_at_once_never_run_together() -> None:
    code = f"from backend.live.jobs import jobs\njobs.start('run', {QUICK[1]!r})"
    started = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(4)]
    assert [each.wait(60) for each in started] == [0] * 4
    found = jobs.listing()
    assert len(found) == 4
    ended = sorted((wait_for(job, over) for job in found), key=lambda job: job.started)
    assert [job.state for job in ended] == [record.DONE] * 4
    for before, after in itertools.pairwise(ended):
        assert before.finished <= after.started


GARBAGE = [
    b"", b"{", b"null", b"[]", b"\xff\xfe\x00", b'{"state": "running"}',
    b'{"job_id": "x", "verb": 1}',
]  # fmt: skip


@pytest.mark.parametrize("text", GARBAGE)
def test_a_garbage_record_is_a_lost_job_that_can_be_deleted(text: bytes) -> None:
    fine = made()
    job_id = record.new_id()
    (record.jobs_dir() / job_id).mkdir(parents=True)
    (record.jobs_dir() / job_id / "job.json").write_bytes(text)
    found = jobs.listing()
    assert found[0].job_id == job_id
    assert found[0].state == record.LOST
    assert "damaged" in output.reason(found[0])
    with pytest.raises(FlipsideError, match="damaged"):
        jobs.resume(job_id)
    jobs.delete(job_id)
    assert jobs.listing() == [fine]


@pytest.mark.parametrize(
    "change",
    [{"state": "flying"}, {"pid": "12"}, {"arguments": "--all"}, {"arguments": [1]}, {"started": "yesterday"},
     {"created": "2026-01-01T00:00:00"}, {"job_id": "20260101T000000000000-abcdef"}],
)  # fmt: skip
def test_a_record_with_one_wrong_value_is_damaged(change: dict[str, object]) -> None:
    job = made()
    path = job.folder / "job.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert "damaged" in jobs.find(job.job_id).problem


def test_a_folder_without_a_record_and_strange_files_do_no_harm() -> None:
    job = made()
    (job.folder / "job.json").unlink()
    (record.jobs_dir() / "notes.txt").write_text("mine")
    (found,) = jobs.listing()
    assert "missing" in found.problem
    jobs.delete(job.job_id)
    assert jobs.listing() == []
    assert (record.jobs_dir() / "notes.txt").exists()


@pytest.mark.parametrize("name", ["", "..", "../runs", "x/../../etc", "20260101T000000000000-abcdeg"])
def test_ids_from_a_link_lead_nowhere(name: str) -> None:
    for act in (jobs.find, jobs.cancel, jobs.resume, jobs.delete):
        with pytest.raises(UsageError, match="no job"):
            act(name)  # type: ignore[operator]


def test_only_known_verbs_start_and_never_through_a_shell(tmp_path: Path) -> None:
    for verb in ("sql", "--help", "world", "rm"):
        with pytest.raises(UsageError, match="cannot be started"):
            jobs.start(verb, [])
    with pytest.raises(UsageError, match="no command line"):
        jobs.start("run", ["--model", "a\0b"])
    trap = f"fake:$(touch {tmp_path}/made); touch {tmp_path}/made"
    job = jobs.start("run", ["--model", trap, "--benchmark", "world", "--kinds", "itc"])
    assert wait_for(job, over).state == record.FAILED
    assert not (tmp_path / "made").exists()
    assert jobs.command_line(job.verb, job.arguments).endswith("--benchmark world --kinds itc")


def test_uploaded_files_stay_inside_the_job(tmp_path: Path) -> None:
    name = jobs.plain_name("../../up\\ev\nil/.hidden.zip")
    assert name == "hidden.zip"
    job = jobs.start(
        "import-results", [f"{jobs.INPUT}{name}", "--json"], inputs={"../../up\\evil/.hidden.zip": b"no zip"}
    )
    assert (job.folder / "inputs" / "hidden.zip").read_bytes() == b"no zip"
    assert [path.name for path in (job.folder / "inputs").iterdir()] == ["hidden.zip"]
    failed = wait_for(job, over)
    assert failed.state == record.FAILED
    assert "hidden.zip" in output.reason(failed)
    jobs.delete(job.job_id)
    assert not job.folder.exists()


@pytest.mark.slow
def test_running_jobs_are_not_deleted_and_old_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    job = wait_for(jobs.start(*LONG), scoring)
    with pytest.raises(UsageError, match="stop it before"):
        jobs.delete(job.job_id)
    with pytest.raises(UsageError, match="already"):
        jobs.resume(job.job_id)
    monkeypatch.setattr(jobs, "KEPT", 1)
    waiting = [jobs.start(*QUICK) for _ in range(3)]
    for each in waiting:
        jobs.cancel(each.job_id)
    jobs.cancel(job.job_id)
    wait_for(job, over)
    newest = jobs.start(*QUICK)
    assert [each.job_id for each in jobs.listing()] == [newest.job_id, waiting[-1].job_id]


def test_a_log_is_read_from_its_end_and_broken_progress_is_skipped() -> None:
    job = made()
    good = '{"progress": {"title": "x", "done": 3, "total": 12, "seconds": 6.0, "unit": "items"}}'
    lines = [*(f"line {n} " + "x" * 100 for n in range(6000)), good, '{"progress": {"done": "many"}}', '{"progress": ']
    (job.folder / "stderr").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe broken bytes\nlast\n")
    found = output.progress(job)
    assert found is not None
    assert (found.done, found.share, found.seconds_left, found.unit) == (3, 0.25, 18.0, "items")
    tail = output.log_tail(job, 3).splitlines()
    assert tail[0].startswith("line 5999")
    assert tail[2] == "last"


def test_the_reason_is_the_last_attempts_own() -> None:
    job = made(record.FAILED)
    attempts = ("flipside: the first reason.", "flipside: the second reason.\nflipside: and a remark.")
    (job.folder / "stderr").write_text(
        "".join(f"{output.ATTEMPT}{n}, then\n{text}\n" for n, text in enumerate(attempts))
    )
    assert output.reason(job) == "the second reason."
    assert "the first reason" in output.log_tail(job)
    (job.folder / "stderr").write_text(f"{output.ATTEMPT}1, then\n")
    assert "said nothing" in output.reason(job)


@pytest.mark.long
def test_a_cache_that_cannot_be_written_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "file"))
    assert jobs.listing() == []
    with pytest.raises(FlipsideError, match="cannot be written"):
        jobs.start(*QUICK)


@pytest.mark.long
def test_a_button_that_is_pressed_twice_means_one_job() -> None:
    first = jobs.start_once(*LONG, title="one")
    again = jobs.start_once(*LONG, title="one")
    other = jobs.start_once(*QUICK)
    assert again.job_id == first.job_id != other.job_id
    assert len(jobs.listing()) == 2
    jobs.cancel(other.job_id)
    assert jobs.start_once(*QUICK).job_id != other.job_id  # that one is over
