"""What Embeddings asks of other models' and other subsets' maps, worked out before anybody chooses them: by a process
of its own that gives way to all others (answer_ahead.py) and keeps it on disk, once for what is stored."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from backend import paths

_process: list["subprocess.Popen[bytes]"] = []
#: Whether the server ends: then none begins.
_ending = threading.Event()


def begin(benchmark: str) -> None:
    """Start the process for a benchmark (its name in addresses, "" for none) and wait for it; nothing where it has been
    through these very results. What goes wrong in it goes wrong again, and is said, where the page asks."""
    done = _done(benchmark)
    if done is None or done.is_file() or _ending.is_set():
        return
    with suppress(OSError):
        process = subprocess.Popen(
            paths.module_command("pages.embeddings.answer_ahead", benchmark), cwd=paths.work_dir(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "FLIPSIDE_CACHE": str(paths.cache_dir().resolve())},
        )  # fmt: skip
        _process[:] = [process]
        if process.wait() == 0:
            done.parent.mkdir(parents=True, exist_ok=True)
            for old in done.parent.glob("*.done"):
                old.unlink(missing_ok=True)
            done.touch()


def stop() -> None:
    """End the process; a server that ends does not leave it behind."""
    _ending.set()
    for process in _process:
        with suppress(OSError):
            process.terminate()


def _done(benchmark: str) -> Path | None:
    """The file that says that the process has been through what is stored now; None where nothing is to be done."""
    stored = sys.modules.get("pages.shared.data.stored")
    reading = str(stored.reading()) if stored is not None else ""
    if not benchmark or not reading:
        return None
    from pages.embeddings import kept

    name = sha256(f"{benchmark}\n{reading}\n{kept.code()}".encode()).hexdigest()[:20]
    return kept.folder() / f"{name}.done"
