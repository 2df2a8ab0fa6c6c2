"""Processes of our own that work ahead of whoever visits a page: one module each, which says what it has found on
standard output or keeps it in the cache. They give way to every other process, and do not outlive their server."""

import os
import subprocess
import threading
from contextlib import suppress
from typing import Final

from backend import paths

#: How far every other process goes before one of these (see nice).
POLITE: Final = 10
#: So long a process that was told to end is waited for (seconds).
PATIENCE: Final = 5.0
_lock = threading.Lock()
#: Those at work, with their modules.
_working: dict["subprocess.Popen[bytes]", str] = {}
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
    for process in found if wait else ():
        with suppress(OSError, subprocess.TimeoutExpired):
            process.wait(wait)


def close() -> None:
    """End them all, and start none any more: their server ends."""
    _closed.set()
    stop()


def give_way() -> None:
    """In such a process: let every other one go first."""
    with suppress(OSError):
        os.nice(POLITE)
