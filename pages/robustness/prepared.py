"""What Robustness shows at its first visit, worked out before it: the example that ships is imported beside the cache
by a process of its own (`backend.store.examples.ahead`, `pages.robustness.answer_ahead`), which also answers what the
page is going to ask of it. Nothing of it is shown, or lies in the cache, before the page is opened.
"""

import os
import pickle
import subprocess
import threading
from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING

from backend import paths

if TYPE_CHECKING:  # the server imports this before it answers
    from backend.store.build.store import Store

#: So long a process that was told to end is waited for (seconds).
PATIENCE = 5.0
_lock = threading.Lock()
_process: list["subprocess.Popen[bytes]"] = []
#: What the process has said: a generation's name, and answers by the keys of `Store.cached` with their bytes.
_said: list[tuple[str, dict[Hashable, tuple[object, int]]]] = []


def begin() -> None:
    """Start the process, and wait for what it says; without an example that is new it ends at once, and says nothing.
    What goes wrong in it goes wrong again, and is said, where the page takes the example over."""
    with suppress(OSError, pickle.UnpicklingError, EOFError):
        process = subprocess.Popen(
            paths.module_command("pages.robustness.answer_ahead"), cwd=paths.work_dir(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "FLIPSIDE_CACHE": str(paths.cache_dir().resolve())},
        )  # fmt: skip
        _process[:] = [process]
        said, _ = process.communicate()
        if process.returncode == 0 and said:
            # Read here, where nobody waits for it.
            answers = pickle.loads(said)  # noqa: S301 - our own process has just said it, by a pipe
            with _lock:
                _said[:] = [answers]


def stop() -> None:
    """End the process; a server that ends does not leave it behind."""
    for process in _process:
        with suppress(OSError):
            process.terminate()


def give_way() -> None:
    """End the process where it is not done: whoever waits for the example takes it over without it, and alone."""
    from backend.store.examples import ahead

    if ahead.found(paths.bundled_editions_dir()) is None:
        stop()
        for process in _process:
            with suppress(OSError, subprocess.TimeoutExpired):
                process.wait(PATIENCE)


def hand_over(store: "Store") -> None:
    """Let a store that reads the example keep the answers, once; those for another generation go."""
    with _lock:
        said, _said[:] = list(_said), []
    for build, answers in said:
        store.keep(build, answers)
