"""Long work in processes of its own: started, queued, watched, stopped and resumed by any session of any dashboard.

A job is a verb of the command line. All that is known of it lies in `$FLIPSIDE_CACHE/jobs/<id>/`, so it outlives the
dashboard that started it: `job.json` (the record), `stdout` (the verb's JSON document), `stderr` (its log), `cancel`
(somebody asked it to stop) and `inputs/` (files that a browser user uploaded for it).
"""

import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from backend import environment
from backend.called import on_pages
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.live import supervisor
from backend.live.jobs import record
from backend.live.jobs.output import ATTEMPT
from backend.live.jobs.record import CANCEL, INPUTS, LOG, LOST, QUEUED, RUNNING, Job
from backend.live.supervisor import REQUESTS
from backend.live.teaching import words
from backend.live.uploads import trash

#: What a page may start. None of them deletes anything, and one alone reaches for the network: `fetch`, for the public
#: results of the committed table and nothing else.
VERBS: Final = ("run", "import", "perturb", "add-predictions", "import-results", "fetch", "teach")
#: The words that may stand after `fetch`: no address, no folder, no benchmark.
FETCHED: Final = re.compile(r"results( --only [a-z0-9-]+)* --yes --json")
#: How many jobs run at once; the others wait in the queue.
VARIABLE: Final = "FLIPSIDE_JOBS"
#: Finished jobs that are kept; the oldest beyond go when a new one is started.
KEPT: Final = 100
#: Where an argument stands for a file of `inputs`.
INPUT: Final = words.INPUT
#: What is said where the words of a verb are none that a page starts.
_REFUSED: Final = {
    "fetch": "From the browser nothing but public results is fetched; type other fetches in a terminal.",
    "teach": "From the browser only models that are offered are taught, into a new folder of this cache; type other "
    "trainings in a terminal.",
}


def start(verb: str, arguments: Sequence[str], title: str = "", inputs: Mapping[str, bytes] | None = None) -> Job:
    """Put a verb into the queue and start it as soon as there is room.

    arguments: what stands after the verb, one word each; `{input}/NAME` becomes the path of a file of `inputs`, NAME
    being what `plain_name` makes of its name.
    Raises UsageError for a verb that pages may not start, FlipsideError where the cache cannot be written.
    """
    if verb not in VERBS:
        raise UsageError(f"'{verb}' cannot be started from the browser; jobs are {', '.join(VERBS)}.")
    if not is_allowed(verb, arguments):
        raise UsageError(_REFUSED[verb])
    job_id, at = record.new_id(), record.now()
    folder = record.folder_of(job_id)
    said = tuple(str(word).replace(INPUT, f"{folder.resolve()}/{INPUTS}/") for word in arguments)
    if any("\0" in word for word in said):
        raise UsageError("An argument holds a character that no command line can; type it again.")
    job = Job(job_id, verb, said, title or command_line(verb, said), created=at, queued=at)
    with record.locked():
        for name, data in (inputs or {}).items():
            files.replace_bytes(folder / INPUTS / _inside(name), data)
        record.write(job)
        _tidy()
    advance()
    return record.read(job_id)


def start_once(verb: str, arguments: Sequence[str], title: str = "") -> Job:
    """`start`; where the same command waits or runs already, that job: a button that is pressed twice means one."""
    said = tuple(map(str, arguments))
    same = (job for job in record.every() if not job.is_over and (job.verb, job.arguments) == (verb, said))
    return next(same, None) or start(verb, arguments, title)


def is_allowed(verb: str, arguments: Sequence[str], inputs: Path | None = None) -> bool:
    """Whether a page may start a verb with these words: `fetch` for nothing but public results, `teach` into a folder
    of the cache (teaching/words.py). inputs: where the files of the job lie, once it has any.

    >>> is_allowed("fetch", ["results", "--yes", "--json"]), is_allowed("fetch", ["coco", "--to", "x"])
    (True, False)
    """
    if verb == "teach":
        return words.is_allowed(arguments, inputs)
    return verb in VERBS and (verb != "fetch" or bool(FETCHED.fullmatch(" ".join(arguments))))


def listing() -> list[Job]:
    """All jobs, the latest first; starts what is waiting where there is room."""
    supervisor.reap()
    found = record.every()
    for job in found:
        if job.is_cancelling:
            _stop_orphan(job)
    if any(job.state == QUEUED for job in found) and _free(found) > 0:
        advance()
        found = record.every()
    return found


def find(job_id: str) -> Job:
    """One job. UsageError where there is none of this id."""
    return record.read(job_id)


def cancel(job_id: str) -> None:
    """Ask a job to stop: a waiting one leaves the queue, a running one gets Ctrl-C, later SIGTERM, then SIGKILL."""
    with record.locked():
        job = record.read(job_id)
        if job.state == QUEUED:
            record.write(record.changed(job, state=record.CANCELLED, finished=record.now()))
        elif job.state == RUNNING:
            if not job.is_cancelling:
                files.replace_bytes(job.folder / CANCEL, b"")
            _stop_orphan(job)


def resume(job_id: str) -> Job:
    """Put the same command into the queue again; `run` goes on from what it committed."""
    with record.locked():
        job = record.read(job_id)
        if job.problem:
            raise FlipsideError(job.problem)
        if not job.is_over:
            raise UsageError(f"{job.title} is {job.state} already.")
        (job.folder / CANCEL).unlink(missing_ok=True)
        record.write(_again(job))
    advance()
    return record.read(job_id)


def delete(job_id: str) -> trash.Discarded:
    """Take a job that is over off the list: its record, log and uploaded files, which `trash.restore` puts back. What
    it computed stays."""
    with record.locked():
        job = record.read(job_id)
        if not job.is_over:
            raise UsageError(f"{job.title} is {job.state}; stop it before you delete it.")
        return trash.discard("job", job.title, [job.folder])


def advance() -> None:
    """Start waiting jobs, the one that has waited longest first, while there is room."""
    with record.locked():
        found = record.every()
        waiting = sorted((job for job in found if job.state == QUEUED), key=lambda job: (job.queued, job.job_id))
        for job in waiting[: max(0, _free(found))]:
            _launch(job)


def at_once() -> int:
    """How many jobs run at once: $FLIPSIDE_JOBS, or one."""
    return environment.whole(VARIABLE, 1, 1)


def command_line(verb: str, arguments: Sequence[str]) -> str:
    """What to type in a terminal, in the project's folder, for the same work."""
    import shlex

    return f"{on_pages()} {shlex.join([verb, *arguments])}"


def _inside(name: str) -> str:
    """A place in `inputs`: a plain name, in a folder of a plain name where there is one (`positive-first/a.json`)."""
    folder = name.rpartition("/")[0]
    return f"{folder}/{plain_name(name)}" if folder and folder == plain_name(folder) else plain_name(name)


def plain_name(name: str) -> str:
    """An uploaded file's name as a name in `inputs`: its last part, nothing hidden, nothing that leads elsewhere."""
    last = "".join(c for c in name.replace("\\", "/").rpartition("/")[2] if c.isprintable()).lstrip(".")
    return last[-120:] or "file"


def _stop_orphan(job: Job) -> None:
    """Ask a verb that nobody minds any more to stop, since its runner cannot; more firmly after each GRACE.

    What it was asked by last stands in the file `cancel`.
    """
    if supervisor.is_alive(job.pid, job.pid_started) or not supervisor.is_alive(job.child, job.child_started):
        return
    path = job.folder / CANCEL
    with suppress(OSError, ValueError):
        said = path.read_text(encoding="utf-8").strip()
        asked = [number.name for number in REQUESTS].index(said) + 1 if said else 0
        if asked == len(REQUESTS) or (asked and time.time() - path.stat().st_mtime < supervisor.GRACE):
            return
        files.replace_bytes(path, REQUESTS[asked].name.encode())
        supervisor.stop(job.child, job.child_started, REQUESTS[asked])


def _free(found: Sequence[Job]) -> int:
    return at_once() - sum(job.state == RUNNING for job in found)


def _launch(job: Job) -> None:
    """Start the runner that minds a job, under the lock; it waits for the lock before it reads the record."""
    log = job.folder / LOG
    with log.open("a", encoding="utf-8") as out:
        out.write(f"{ATTEMPT}{job.attempts + 1}, {record.now()}\n")
    pid, started = supervisor.start("backend.live.jobs.runner", [job.job_id], log)
    record.write(
        record.changed(
            job, state=RUNNING, started=record.now(), finished="", exit_code=None, attempts=job.attempts + 1,
            pid=pid, pid_started=started, child=0, child_started="",
        )
    )  # fmt: skip


def _again(job: Job) -> Job:
    return record.changed(job, state=QUEUED, queued=record.now(), started="", finished="", exit_code=None)


def _tidy() -> None:
    over = [job for job in record.every() if job.is_over and job.state != LOST]
    for job in over[KEPT:]:
        _remove(job)


def _remove(job: Job) -> None:
    """The record goes last: a folder without one still shows as a job that can be deleted."""
    shutil.rmtree(job.folder / INPUTS, ignore_errors=True)
    for name in (record.OUT, LOG, CANCEL, record.RECORD):
        (job.folder / name).unlink(missing_ok=True)
    shutil.rmtree(job.folder, ignore_errors=True)
