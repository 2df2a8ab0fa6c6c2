"""Finds the clumps of a map in a process of its own and keeps them (`clumped.py`): for a server that wants them before
anybody asks, and not the library that finds them, half a second and 60 MB. As a module it is that process:
`backend.live.maps.beside`, with the places as an `.npy` on standard input."""

import io
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend import paths
from backend.live.maps import clumped

#: Seconds after which it is given up; of the largest map that is searched it takes some two.
PATIENCE: Final = 60.0
#: How far every other process goes before this one (see nice).
POLITE: Final = 10
_lock = threading.Lock()
_working: list["subprocess.Popen[bytes]"] = []


def find(places: NDArray[np.floating]) -> bool:
    """Whether the clumps of a map (n, 2) are kept now. Waits for the process; what goes wrong in it goes wrong again,
    and is said, where a page looks for them."""
    if clumped.is_known(places):
        return True
    said = io.BytesIO()
    np.save(said, np.ascontiguousarray(places), allow_pickle=False)
    with suppress(OSError, subprocess.TimeoutExpired):
        process = subprocess.Popen(
            paths.module_command("backend.live.maps.beside"), cwd=paths.work_dir(), stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "FLIPSIDE_CACHE": str(paths.cache_dir().resolve())},
        )  # fmt: skip
        with _lock:
            _working.append(process)
        try:
            process.communicate(said.getvalue(), timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
            with _lock:
                _working.remove(process)
    return clumped.is_known(places)


def stop() -> None:
    """End what is at work; a server that ends does not leave it behind."""
    with _lock:
        for process in _working:
            with suppress(OSError):
                process.terminate()


def main() -> int:
    """Find and keep the clumps of the map that comes on standard input."""
    with suppress(OSError):
        os.nice(POLITE)
    clumped.labels(np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
