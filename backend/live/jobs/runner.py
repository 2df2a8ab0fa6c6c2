"""`backend.live.jobs.runner ID` (see `paths.module_command`): minds one job until its verb has ended, whatever becomes
of the dashboard.

It starts the verb in a process group of its own, notes its exit code, stops it when that is asked for, and starts the
next job of the queue at its end.
"""

import os
import signal
import sys

from backend.live import supervisor
from backend.live.jobs import jobs, output, record
from backend.live.jobs.record import CANCEL, CANCELLED, DONE, FAILED, INPUTS, LOG, OUT
from backend.models.own import permission

#: The option that lets code run which came with a model's files.
REMOTE = "--trust-remote-code"


def main(job_id: str) -> int:
    """Run the job to its end."""
    # Handlers, not SIG_IGN: what is ignored would be ignored by the verb, too, and it is asked to stop by SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    with record.locked():  # waits until the record says that this process minds the job
        job = record.read(job_id)
        if job.pid != os.getpid():
            return 1
        files = job.folder.resolve() / INPUTS
        if not jobs.is_allowed(job.verb, job.arguments, files) or any(w.startswith(REMOTE) for w in job.arguments):
            return _refused(job, "its record asks for what no page starts")
        try:
            # Nobody typed what a queue file says: of code it may run what the owner listed, and the verb checks again.
            own = {"FLIPSIDE_PROGRESS": "json", "PYTHONUNBUFFERED": "1", permission.LISTED_ONLY: "1"}
            verb = supervisor.start_group(
                "backend", [job.verb, *job.arguments], job.folder / OUT, job.folder / LOG, own
            )
        except OSError as error:
            return _refused(job, str(error))
        job = record.changed(job, child=verb.pid, child_started=supervisor.start_of(verb.pid))
        record.write(job)
    code = supervisor.mind(verb, (job.folder / CANCEL).exists)
    with record.locked():
        asked = (job.folder / CANCEL).exists()
        state = DONE if code == 0 or output.took_part(job, code) else CANCELLED if asked else FAILED
        record.write(record.changed(job, state=state, finished=record.now(), exit_code=code))
    jobs.advance()
    return 0


def _refused(job: record.Job, why: str) -> int:
    """Note that a job was not started, and why; the exit code of this process."""
    with (job.folder / LOG).open("a", encoding="utf-8") as log:
        log.write(f"flipside: the job could not be started ({why}).\n")
    record.write(record.changed(job, state=FAILED, finished=record.now(), exit_code=1))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
