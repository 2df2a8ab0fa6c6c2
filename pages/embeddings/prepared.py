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
    name = _mark(benchmark)
    if not name or is_done(benchmark) or _ending.is_set():
        return
    with suppress(OSError):
        process = subprocess.Popen(
            paths.module_command("pages.embeddings.answer_ahead", benchmark), cwd=paths.work_dir(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "FLIPSIDE_CACHE": str(paths.cache_dir().resolve())},
        )  # fmt: skip
        _process[:] = [process]
        if process.wait() == 0:
            from pages.embeddings import kept

            note(kept.folder(), name)


def stop() -> None:
    """End the process; a server that ends does not leave it behind."""
    _ending.set()
    for process in _process:
        with suppress(OSError):
            process.terminate()


def is_done(benchmark: str) -> bool:
    """Whether a process, or set-up, has been through what is stored of a benchmark now."""
    from pages.embeddings import kept

    name = _mark(benchmark)
    return bool(name) and any((place / name).is_file() for place in (kept.set_up(), kept.folder()))


def finish(benchmark: str, folder: Path) -> Path | None:
    """Note in a folder that everything has been asked of a benchmark; the file."""
    name = _mark(benchmark)
    return note(folder, name) if name else None


def note(folder: Path, name: str) -> Path:
    """Leave a mark in a folder, the only one there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.done"):
        old.unlink(missing_ok=True)
    (folder / name).touch()
    return folder / name


def _mark(benchmark: str) -> str:
    """What the file is called that says so; "" where nothing is stored."""
    stored = sys.modules.get("pages.shared.data.stored")
    reading = str(stored.reading()) if stored is not None else ""
    if not benchmark or not reading:
        return ""
    from pages.embeddings import kept

    return f"{sha256(f'{benchmark}|{reading}|{kept.code()}'.encode()).hexdigest()[:20]}.done"
