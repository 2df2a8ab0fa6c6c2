"""The processes behind jobs and maps: started, told apart, waited for and stopped. The one place that does so.

They are modules of ours (`python -m`), in sessions of their own: they outlive the dashboard that started them and find
their records in the cache. A process is known by its number *and* its start, since a number is given to another process
as soon as its first one is gone; whoever reads a record after a restart of dashboard or machine sees by both whether
it still runs. Ended children stay as zombies until `reap` has asked for their exit codes. Unix only: Windows has
neither sessions nor these signals.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from backend import environment, paths
from backend.durable import replaced

#: `ps`, for systems without /proc.
PS = "/bin/ps"
#: How a process is asked to stop, more firmly each time: Ctrl-C commits what is scored.
REQUESTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
#: Seconds that it gets after each request.
GRACE: Final = environment.seconds("FLIPSIDE_JOBS_GRACE", 20.0)
#: Seconds between two looks for a request to stop.
LOOK: Final = 0.3

#: What this process has started and not asked for its exit code yet.
_started: list["subprocess.Popen[bytes]"] = []


def start(
    module: str, arguments: list[str], log: Path, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Start `python -m module` in a session of its own; its output is added to `log`. (number, start) of the process.
    environment: what is added to ours.

    OSError where it cannot be started.
    """
    # Its working directory is another one than ours: paths in the environment must not depend on it.
    whole = {**os.environ, "FLIPSIDE_CACHE": str(paths.cache_dir().resolve()), **(environment or {})}
    with log.open("ab") as out:
        process = subprocess.Popen(
            paths.module_command(module, *arguments), cwd=paths.work_dir(), env=whole, stdin=subprocess.DEVNULL,
            stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    _started.append(process)
    return process.pid, start_of(process.pid)


def start_group(
    module: str, arguments: list[str], out: Path, log: Path, environment: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start `python -m module` as a child that the caller minds (`mind`), in a process group of its own: standard
    output anew to `out`, the rest added to `log`. environment: what is added to ours."""
    with out.open("wb") as said, log.open("ab") as told:
        return subprocess.Popen(
            paths.module_command(module, *arguments), cwd=paths.work_dir(), env={**os.environ, **environment},
            stdin=subprocess.DEVNULL, stdout=said, stderr=told, process_group=0,
        )  # fmt: skip


def mind(process: "subprocess.Popen[bytes]", asked: Callable[[], bool]) -> int:
    """Wait for a process to end; its exit code. Once `asked` says so its group is asked to stop, by each of REQUESTS
    after GRACE seconds."""
    ended = threading.Event()

    def wait() -> None:
        process.wait()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    while not ended.wait(LOOK):
        if not asked():
            continue
        for number in REQUESTS:
            _kill(process.pid, number)
            if ended.wait(GRACE):
                break
    return process.wait()


def stop(pid: int, started: str, number: signal.Signals = signal.SIGTERM) -> bool:
    """Send a signal to a process and its group, if it is the one of that start; whether it was."""
    return is_alive(pid, started) and _kill(pid, number)


def reap() -> None:
    """Ask what this process has started for exit codes, so that nothing stays as a zombie. Whoever looks at records
    calls it first."""
    for process in _started[:]:
        if process.poll() is not None:
            with suppress(ValueError):  # another thread was faster
                _started.remove(process)


def write(path: Path, process: tuple[int, str]) -> None:
    """Note which process works on something: {"pid", "started"}."""
    replaced(path, json.dumps({"pid": process[0], "started": process[1]}).encode())


def read(path: Path) -> tuple[int, str] | None:
    """What `write` noted; None where there is nothing that can be used."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return int(said["pid"]), str(said["started"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _kill(group: int, number: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False


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
