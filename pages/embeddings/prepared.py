"""What Embeddings asks of other models' and other subsets' maps, worked out before anybody chooses them: by a process
of its own that gives way to all others (answer_ahead.py) and keeps it on disk, once for what is stored."""

import contextlib
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

from backend.live import working_ahead

MODULE: Final = "pages.embeddings.answer_ahead"


def begin(benchmark: str) -> None:
    """Start the process for a benchmark (its name in addresses, "" for none) and wait for it; nothing where it has been
    through these very results. What goes wrong in it goes wrong again, and is said, where the page asks."""
    name = _mark(benchmark)
    if not name or is_done(benchmark):
        return
    if working_ahead.ask(MODULE, benchmark.encode()) is not None:
        from pages.embeddings import kept

        with contextlib.suppress(OSError):  # a cache that cannot be written: it is asked again next time
            note(kept.folder(), name)


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
