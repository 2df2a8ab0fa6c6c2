"""What goes on when a dashboard has been stopped, in words for its terminal: jobs outlive it."""

import shlex
from contextlib import suppress

from backend.errors import FlipsideError
from backend.live.jobs import record
from backend.live.jobs.record import CANCEL, QUEUED, RUNNING


def said() -> str:
    """Which jobs run on and how many wait behind them, and how they are stopped; "" where none does, and where the
    records cannot be read. A job that waits starts by itself once there is room."""
    if not record.jobs_dir().is_dir():
        return ""
    found: list[record.Job] = []
    with suppress(FlipsideError, OSError):
        found = [job for job in record.every() if not job.is_over]
    running = [job for job in found if job.state == RUNNING and not job.is_cancelling]
    waiting = sum(job.state == QUEUED for job in found)
    if not running:
        return ""
    named = ", ".join(f"“{job.title}”" for job in running)
    behind = f", and then {waiting} more that {'waits' if waiting == 1 else 'wait'}" if waiting else ""
    files = " ".join(shlex.quote(str(job.folder.resolve() / CANCEL)) for job in running)
    them = "it" if len(running) + waiting == 1 else "them"
    return (
        f"Without the dashboard {'goes' if len(running) == 1 else 'go'} on: {named}{behind}. The page Runs shows and "
        f"stops {them} once the dashboard is started again; from here what runs is stopped by: touch {files}"
    )
