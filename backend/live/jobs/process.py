"""Which process is meant: a number is given to another process as soon as its first one is gone."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

#: `ps`, for systems without /proc.
PS = "/bin/ps"


def start_of(pid: int) -> str:
    """When the process of this number started, as a word that no later process of the same number has; "" where there
    is none, or where it has ended and only waits to be asked for its exit code."""
    if pid <= 0:
        return ""
    if sys.platform == "linux":
        return _from_proc(pid)
    try:
        found = subprocess.run(
            [PS, "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    state, _, started = found.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else started.strip()


def is_alive(pid: int, started: str) -> bool:
    """Whether the process that had this number at that start still runs."""
    return bool(started) and start_of(pid) == started


def _from_proc(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    # proc(5): the state is field 3, the start, in ticks since the machine's own, field 22.
    return "" if len(fields) < 20 or fields[0] in "ZX" else f"{_boot()}-{fields[19]}"


@cache
def _boot() -> str:
    """This boot of the machine: ticks are counted from it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        return os.uname().nodename
