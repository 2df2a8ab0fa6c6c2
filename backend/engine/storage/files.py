"""Files that are either wholly there or not there: written aside, fsynced, renamed; and the lock of a run."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from backend import locks, plain_json
from backend.durable import IN_CACHE, not_written, sync_dir, write_synced
from backend.errors import FlipsideError

#: Files being written carry this prefix; whatever a killed process left under it is removed by the next writer.
ASIDE = ".aside-"


def replace_bytes(path: Path, data: bytes) -> None:
    """Make `path` hold `data`, so that a reader or a power cut sees the old content or the new, nothing between."""
    make_dir(path.parent)
    aside = path.with_name(f"{ASIDE}{os.getpid()}-{path.name}")
    try:
        write_synced(aside, data)
        aside.replace(path)
        sync_dir(path.parent)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise FlipsideError(f"{not_written(error, path, IN_CACHE)} What was committed before is kept.") from error


def make_dir(folder: Path) -> None:
    """The folder, made where it is not there; a sentence where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FlipsideError(not_written(error, folder, IN_CACHE)) from error


def replace_json(path: Path, document: object) -> None:
    """The same for a JSON document, indented and with a final newline."""
    replace_bytes(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def read_json(path: Path) -> Any:
    """The JSON document in `path`; a sentence that names the file where it is damaged."""
    try:
        return plain_json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FlipsideError(f"{path}: is not valid JSON ({error}). Delete this folder and run again.") from None


def sha256_of(path: Path) -> str:
    """The file's sha256, read in blocks."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def being_written(run_dir: Path, holder: str) -> FlipsideError:
    """The error for a run that another process is writing."""
    return FlipsideError(
        f"Run {run_dir.name} is being written by {holder}. Wait for it to finish, or stop it; nothing is lost."
    )


@contextmanager
def run_lock(run_dir: Path) -> Iterator[None]:
    """Hold `<run>/lock` while writing a run, so that two processes never write the same one.

    The kernel releases the lock when its holder dies, however it dies. A folder that still holds nothing but the lock
    in the end is removed: what kept the run from being begun leaves none.
    """
    path = run_dir / "lock"

    def opened() -> TextIO:
        while True:
            make_dir(run_dir)
            with suppress(FileNotFoundError):  # its last holder has just removed the folder
                return path.open("a+")

    with locks.signed(path, opened, lambda holder: being_written(run_dir, holder)):
        try:
            yield
        finally:
            if [*run_dir.iterdir()] == [path]:
                path.unlink()
                run_dir.rmdir()
