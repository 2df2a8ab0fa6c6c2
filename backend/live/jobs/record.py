"""A job's record: `$FLIPSIDE_CACHE/jobs/<id>/job.json`, written atomically and read with suspicion."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend import locks, moments, plain_json
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.live.supervisor import is_alive
from backend.paths import cache_dir

RECORD, OUT, LOG, CANCEL, INPUTS = "job.json", "stdout", "stderr", "cancel", "inputs"
QUEUED, RUNNING, DONE, FAILED, CANCELLED, LOST = "queued", "running", "done", "failed", "cancelled", "lost"
STATES = (QUEUED, RUNNING, DONE, FAILED, CANCELLED, LOST)
ID = re.compile(r"\d{8}T\d{12}-[0-9a-f]{6}")


@dataclass(frozen=True)
class Job:
    """One job. verb, arguments: what stands after `python -m backend`. title: what it does, for people.

    created, queued, started, finished: UTC, ISO 8601, "" where not yet; queued is when it was last put into the queue.
    pid, pid_started: the process that minds it; child, child_started: the verb's own. attempts: how often it was
    started. exit_code: the verb's; negative: the signal that ended it. problem: what is wrong with the record itself.
    """

    job_id: str
    verb: str
    arguments: tuple[str, ...]
    title: str = ""
    state: str = QUEUED
    created: str = ""
    queued: str = ""
    started: str = ""
    finished: str = ""
    exit_code: int | None = None
    attempts: int = 0
    pid: int = 0
    pid_started: str = ""
    child: int = 0
    child_started: str = ""
    problem: str = ""

    @property
    def folder(self) -> Path:
        return folder_of(self.job_id)

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen to it by itself any more."""
        return self.state not in (QUEUED, RUNNING)

    @property
    def is_cancelling(self) -> bool:
        """Whether somebody has asked a running job to stop."""
        return self.state == RUNNING and (self.folder / CANCEL).exists()

    @property
    def seconds(self) -> float | None:
        """How long its last attempt has taken so far, or took."""
        if not self.started:
            return None
        end = datetime.fromisoformat(self.finished) if self.finished else datetime.now(UTC)
        return max(0.0, (end - datetime.fromisoformat(self.started)).total_seconds())


def jobs_dir() -> Path:
    """All jobs, a folder each."""
    return cache_dir() / "jobs"


def folder_of(job_id: str) -> Path:
    """The job's folder. UsageError for what is no job's id, which a link may hold."""
    if not ID.fullmatch(job_id):
        raise UsageError(f"'{job_id[:60]}' is no job; the Runs page lists them.")
    return jobs_dir() / job_id


def new_id() -> str:
    """An id that sorts by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"


def now() -> str:
    """Now, in UTC, to the microsecond: two jobs queued in one second keep their order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@contextmanager
def locked() -> Iterator[None]:
    """Alone among all processes that change a record. The kernel releases it when its holder dies, however it dies."""
    folder = jobs_dir()
    files.make_dir(folder)

    def refused(error: OSError) -> FlipsideError:
        return FlipsideError(
            f"{folder}: cannot be written ({error.strerror}). Make it yours, or choose another folder with "
            "$FLIPSIDE_CACHE."
        )

    try:
        folder.chmod(0o700)  # captions, paths and file names of the owner
    except OSError as error:
        raise refused(error) from None
    with locks.held(folder / "lock", refused=refused):
        yield


def write(job: Job) -> None:
    """Replace the record; under `locked`."""
    files.replace_json(job.folder / RECORD, {"format": 1, **asdict(job)})


def read(job_id: str) -> Job:
    """The job as it is now. A record that cannot be used is a lost job whose `problem` says why; UsageError for none.

    A running job whose processes are both gone is lost, whatever its record says.
    """
    path = folder_of(job_id) / RECORD
    try:
        job = _parsed(job_id, plain_json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise UsageError(f"there is no job {job_id}; it may have been deleted.") from None
        return _damaged(job_id, f"{path} is missing. Delete the job.")
    except (OSError, ValueError, TypeError, KeyError) as error:
        return _damaged(job_id, f"{path} is damaged ({str(error)[:120]}). Delete the job and start it anew.")
    if job.state == RUNNING and not (is_alive(job.pid, job.pid_started) or is_alive(job.child, job.child_started)):
        return Job(**{**_plain(job), "state": LOST})
    return job


def every() -> list[Job]:
    """All jobs, the latest first."""
    folder = jobs_dir()
    if not folder.is_dir():
        return []
    names = sorted((path.name for path in folder.iterdir() if ID.fullmatch(path.name)), reverse=True)
    found = []
    for name in names:
        try:
            found.append(read(name))
        except FlipsideError:
            continue  # deleted in between
    return found


def changed(job: Job, **values: Any) -> Job:
    """The job with some values replaced."""
    return Job(**{**_plain(job), **values})


def _plain(job: Job) -> dict[str, Any]:
    return {each.name: getattr(job, each.name) for each in fields(job)}


def _damaged(job_id: str, problem: str) -> Job:
    return Job(job_id, "?", (), title="A job whose record cannot be read", state=LOST, problem=problem)


def _parsed(job_id: str, document: Any) -> Job:
    """A job from JSON; TypeError or ValueError where anything is not what `write` writes."""
    if not isinstance(document, dict):
        raise TypeError("it holds no JSON object")
    types: dict[str, Any] = {
        "arguments": list,
        "exit_code": (int, type(None)),
        "attempts": int,
        "pid": int,
        "child": int,
    }
    values: dict[str, Any] = {}
    for each in fields(Job):
        value = document[each.name]
        if not isinstance(value, types.get(each.name, str)):
            raise TypeError(f"{each.name} is {value!r:.40}")
        values[each.name] = value
    if values["job_id"] != job_id or values["state"] not in STATES:
        raise ValueError(f"state {values['state']!r:.40} of job {values['job_id']!r:.40}")
    for name in ("created", "queued", "started", "finished"):
        if values[name] and (datetime.fromisoformat(values[name]).tzinfo is None or not moments.utc(values[name])):
            raise ValueError(f"{name} {values[name]!r:.40}")
    if not all(isinstance(word, str) for word in values["arguments"]):
        raise TypeError("arguments are no list of words")
    return Job(**{**values, "arguments": tuple(values["arguments"])})
