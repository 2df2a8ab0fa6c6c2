"""`backend.live.jobs.runner ID` (see `paths.module_command`): minds one job until its verb has ended, whatever becomes
of the dashboard.

It starts the verb in a process group of its own, notes its exit code, stops it when that is asked for, and starts the
next job of the queue at its end.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from backend import paths
from backend.live.jobs import jobs, record
from backend.live.jobs.process import start_of
from backend.live.jobs.record import CANCEL, CANCELLED, DONE, FAILED, LOG, OUT, Job
from backend.models.own import permission

#: Seconds between two looks for a request to stop.
LOOK = 0.3


def main(job_id: str) -> int:
    """Run the job to its end."""
    # Handlers, not SIG_IGN: what is ignored would be ignored by the verb, too, and it is asked to stop by SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    with record.locked():  # waits until the record says that this process minds the job
        job = record.read(job_id)
        if job.pid != os.getpid():
            return 1
        try:
            verb = _started(job)
        except OSError as error:
            with (job.folder / LOG).open("a", encoding="utf-8") as log:
                log.write(f"flipside: the job could not be started ({error}).\n")
            record.write(record.changed(job, state=FAILED, finished=record.now(), exit_code=1))
            return 1
        job = record.changed(job, child=verb.pid, child_started=start_of(verb.pid))
        record.write(job)
    code = _minded(verb, job.folder / CANCEL)
    with record.locked():
        asked = (job.folder / CANCEL).exists()
        state = DONE if code == 0 else CANCELLED if asked else FAILED
        record.write(record.changed(job, state=state, finished=record.now(), exit_code=code))
    jobs.advance()
    return 0


def _started(job: Job) -> "subprocess.Popen[bytes]":
    # Nobody typed what a queue file says: of code it may run what the owner listed, and the verb checks that again.
    own = {"FLIPSIDE_PROGRESS": "json", "PYTHONUNBUFFERED": "1", permission.LISTED_ONLY: "1"}
    environment = {**os.environ, **own}
    with (job.folder / OUT).open("wb") as out, (job.folder / LOG).open("ab") as log:
        return subprocess.Popen(
            paths.module_command("backend", job.verb, *job.arguments),
            cwd=paths.work_dir(), env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=log, process_group=0,
        )  # fmt: skip


def _minded(verb: "subprocess.Popen[bytes]", request: Path) -> int:
    """Wait for the verb; once `request` is there ask it to stop, more firmly each time. Its exit code."""
    ended = threading.Event()

    def wait() -> None:
        verb.wait()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    while not ended.wait(LOOK):
        if not request.exists():
            continue
        for number in jobs.REQUESTS:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(verb.pid, number)
            if ended.wait(jobs.GRACE):
                break
    return verb.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
