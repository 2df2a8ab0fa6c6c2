"""Processes of our own that work ahead of whoever visits a page: one module each, which says what it has found on
standard output or keeps it in the cache. They give way to every other process, stand still while somebody waits for a
page (on Linux, where none stands still for ever: see `give_way`), and end with their server, unless that is killed."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Final

from backend import paths
from backend.live import supervisor

#: How far every other process goes before one of these (see nice).
POLITE: Final = 10
#: `prctl`'s number for the signal that a process is sent when the thread that began it ends (linux/prctl.h).
_PR_SET_PDEATHSIG: Final = 1
#: So long a process that was told to end is waited for (seconds).
PATIENCE: Final = 5.0
_lock = threading.Lock()
#: Those at work, with their modules.
_working: dict["subprocess.Popen[bytes]", str] = {}
#: The number and the start of those that others began (see `mind`).
_minded: set[tuple[int, str]] = set()
_closed = threading.Event()


def ask(module: str, given: bytes = b"", patience: float | None = None) -> bytes | None:
    """What a module of ours says on standard output of what it is given on standard input; waits for that.

    None where it could not be started, failed, was stopped, or took more than patience seconds: what goes wrong in it
    goes wrong again, and is said, where a page asks for the same.
    """
    try:
        with _lock:
            if _closed.is_set():
                return None
            process = subprocess.Popen(
                paths.module_command(module), cwd=paths.work_dir(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env={**os.environ, "FLIPSIDE_CACHE": str(paths.cache_dir().resolve())},
            )  # fmt: skip
            _working[process] = module
    except OSError:
        return None
    with process:
        try:
            said, _ = process.communicate(given, timeout=patience)
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()
            with _lock:
                del _working[process]
    return said if process.returncode == 0 else None


def stop(module: str = "", wait: float = 0.0) -> None:
    """End the processes of a module, of all for "". wait: so long for their end (seconds)."""
    with _lock:
        found = [process for process, each in _working.items() if module in ("", each)]
        for process in found:
            with suppress(OSError):
                process.terminate()
                _send(process, signal.SIGCONT)  # one that stands still would not hear of it
    for process in found if wait else ():
        with suppress(OSError, subprocess.TimeoutExpired):
            process.wait(wait)


def close() -> None:
    """End them all, and start none any more: their server ends."""
    _closed.set()
    stop()


def mind(pid: int, started: str) -> None:
    """Let a process that a page has begun unasked (`supervisor.start`) stand still with those of here."""
    with _lock:
        _minded.add((pid, started))


def hold() -> None:
    """Let those that are at work stand still: on two cores, a server and a browser that draws what it says want both.

    Only those that have given way (`give_way`), which their niceness tells: they go on where their server is killed.
    """
    own = os.getpriority(os.PRIO_PROCESS, 0)
    for pid in _ours():
        with suppress(OSError):
            if os.getpriority(os.PRIO_PROCESS, pid) > own:
                os.kill(pid, signal.SIGSTOP)


def go_on() -> None:
    """Let those that stand still go on."""
    for pid in _ours():
        with suppress(OSError):
            os.kill(pid, signal.SIGCONT)


def _ours() -> list[int]:
    """The numbers of those at work, where the system lets them go on when their server is gone; else none."""
    if not sys.platform.startswith("linux"):
        return []
    with _lock:
        _minded.intersection_update([each for each in _minded if supervisor.is_alive(*each)])
        return [process.pid for process in _working if process.poll() is None] + [pid for pid, _ in _minded]


def _send(process: "subprocess.Popen[bytes]", what: signal.Signals) -> None:
    with suppress(OSError):
        process.send_signal(what)


def give_way() -> None:
    """In such a process: let every other one go first, and go on once the server that began it is gone, which alone
    could say so to a process that stands still."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGCONT))
    with suppress(OSError):
        os.nice(POLITE)
