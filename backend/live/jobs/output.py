"""What a job says: its progress, the end of its log, its JSON document, and in one sentence how it stands."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend import plain_json
from backend.errors import FlipsideError
from backend.live.jobs import record
from backend.live.jobs.record import LOG, OUT, Job

#: Bytes read from the end of a log, and the most that a document may have to be read.
TAIL, MOST = 256 * 1024, 256 * 1024 * 1024
#: How a progress line of a verb begins (backend/engine/reporting/progress.py).
MARK = '{"progress":'
#: How a line begins that says why a verb ended, or what it could not do; and one that is said before it begins
#: (backend/verbs/run.py).
OURS, BEFOREHAND = "flipside: ", "flipside: note: "
#: How the runner parts the attempts of a job in its log.
ATTEMPT = "--- attempt "


@dataclass(frozen=True)
class Stand:
    """The latest progress: done of total (0: not known) units, after so many seconds."""

    done: int
    total: int
    seconds: float
    unit: str

    @property
    def share(self) -> float | None:
        """From 0 to 1; None where the total is not known."""
        return min(1.0, self.done / self.total) if self.total > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None before anything is done."""
        return self.seconds / self.done * (self.total - self.done) if self.done > 0 and self.total > 0 else None


def progress(job: Job) -> Stand | None:
    """The latest progress of a job's last attempt; None where it has told none."""
    for line in reversed(_last_attempt(job)):
        if line.startswith(MARK):
            with suppress(ValueError, TypeError, KeyError):
                said = plain_json.loads(line)["progress"]
                return Stand(
                    int(said["done"]), int(said["total"] or 0), float(said["seconds"]), str(said.get("unit", ""))
                )
    return None


def log_tail(job: Job, lines: int = 40) -> str:
    """The last lines of a job's log, without progress."""
    return "\n".join([line for line in _lines(job) if not line.startswith(MARK)][-lines:])


def document(job: Job) -> Any:
    """The JSON document of a job that is over; None where it printed none."""
    path = job.folder / OUT
    try:
        if path.stat().st_size > MOST:
            raise FlipsideError(f"{path}: has more than {MOST // 2**20} MB and is not shown; open the file itself.")
        return plain_json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def took_part(job: Job, code: int) -> bool:
    """Whether predictions were added though some of them belong to no item: the page has said so before it was asked
    to, and what was added is there. The verb's exit code is 1 all the same."""
    if job.verb != "add-predictions" or code != 1:
        return False
    with suppress(FlipsideError):
        found = document(job)
        return isinstance(found, dict) and bool(found.get("run"))
    return False


def reason(job: Job) -> str:
    """Why a job did not come to its end, and what to do; "" where there is nothing to say."""
    if job.problem:
        return job.problem
    if job.state == record.LOST:
        return (
            "Its process is gone without a word: the machine was restarted, or something killed it. What was "
            "committed is kept; press Resume to go on from there."
        )
    if job.state == record.CANCELLED:
        return "Stopped on request. What was committed is kept; press Resume to go on from there."
    if job.state != record.FAILED:
        return ""
    if job.exit_code is not None and job.exit_code < 0:
        killed = "Killed, most often because memory ran out" if job.exit_code == -9 else "Ended by the system"
        return f"{killed} (signal {-job.exit_code}). What was committed is kept; press Resume to go on from there."
    said = [line for line in _last_attempt(job) if line.strip() and not line.startswith(MARK)]
    said = [line for line in said if not line.startswith(BEFOREHAND)] or said
    own = [line.removeprefix(OURS) for line in said if line.startswith(OURS)]
    # Ours come in the order of their weight; what a library says last is the next best.
    return (own or said[-1:] or [f"It ended with exit code {job.exit_code} and said nothing."])[0]


def _last_attempt(job: Job) -> list[str]:
    """The log's lines since the job was last started."""
    lines = _lines(job)
    begun = [number for number, line in enumerate(lines) if line.startswith(ATTEMPT)]
    return lines[begun[-1] + 1 :] if begun else lines


def _lines(job: Job) -> list[str]:
    """Whole lines at the end of the log, of at most TAIL bytes."""
    return _tail(job.folder / LOG).splitlines()


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as source:
            size = source.seek(0, 2)
            start = source.seek(max(0, size - TAIL))
            data = source.read(TAIL)
    except OSError:
        return ""
    text = data.decode("utf-8", errors="replace")
    return text if start == 0 else text.partition("\n")[2]
