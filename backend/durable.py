"""What makes files survive a power cut: used wherever something is written.

Written aside, synced, renamed, the folder synced: then a reader sees the old content or the new, nothing between.
"""

import errno
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: What an error names as its file where it is about that (verbs/shared/output.py).
STANDARD_OUTPUT = "standard output"
#: How libraries that hide the number say it: DuckDB, SQLite, Arrow.
_FULL = ("no space left", "disk is full", "disk quota exceeded", "out of disk space")
_LIBRARIES = ("duckdb", "sqlite3", "pyarrow")
#: What else keeps a file from being written, as those libraries say it, and what to do.
_REFUSED = {
    errno.EFBIG: "file too large",
    errno.EROFS: "read-only file system",
    errno.EACCES: "permission denied",
}
_TO_DO = {
    errno.EFBIG: "a file would be longer than your shell or this disk allows. Raise the limit (ulimit -f)",
    errno.EROFS: "the disk of {} is read-only. Make it writable",
    errno.EACCES: "may not be read or written by you. Change its permissions",
}


#: What else can be done about a file of the cache that cannot be written.
IN_CACHE = "set FLIPSIDE_CACHE to a folder that you can write"


#: How folders are called in which something is unpacked before it is taken over; seconds after which one of them is
#: nobody's any more.
_SCRATCH, _A_DAY = ".import-", 86_400.0
#: Where a file is written aside, nobody asked for that name.
_ASIDE = re.compile(r"^\.aside-\d+-")


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, says that the disk (or its owner's share of it) is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        library = type(error).__module__.partition(".")[0].lstrip("_")
        if library in _LIBRARIES and any(word in str(error).lower() for word in _FULL):
            return True
        error = error.__cause__ or error.__context__  # a failed rollback hides what it rolls back
    return False


def full(folder: Path) -> str:
    """One sentence for a full disk."""
    return (
        f"No space is left on the disk of {folder}: free some, or set FLIPSIDE_CACHE to a folder on another disk. What "
        "was there before is kept; do the same again then."
    )


def unwritable(error: BaseException | None, folder: Path) -> str:
    """One sentence for what keeps a file from being written (a full disk, a read-only one, no right to, a limit on the
    size of files), by an error or what it came from; "" for everything else. folder: where no file is named; what lies
    elsewhere was asked for by name, and no other cache would help."""
    named = _named(error)
    if named == Path(STANDARD_OUTPUT):
        what = "no space is left where it goes" if is_full(error) else "cannot be written"
        return f"{STANDARD_OUTPUT}: {what}. Send it elsewhere; nothing that is kept is lost."
    if is_full(error):
        if named is None or _is_in(named, folder):
            return full(folder)
        return f"{named}: no space is left on its disk. Free some, or choose another place. What was there is kept."
    number, where = _refusal(error)
    if number is None:
        return ""
    where = where or folder
    other = IN_CACHE if _is_in(where, folder) else "choose another place"
    return f"{where}: {_TO_DO[number].format(_standing(where))}, or {other}."


def not_written(error: BaseException, place: Path, elsewhere: str = "choose another place") -> str:
    """One sentence for a file or folder that was asked for by its name and could not be written, whatever kept it from
    that. elsewhere: what else can be done about it than making room."""
    if is_full(error):
        return f"{place}: no space is left on its disk. Free some, or {elsewhere}."
    number, _ = _refusal(error)
    if number is not None:
        return f"{place}: {_TO_DO[number].format(_standing(place))}, or {elsewhere}."
    why = (error.strerror if isinstance(error, OSError) else None) or next(iter(str(error).splitlines()), "")
    return f"{place}: cannot be written ({why}). {elsewhere[:1].upper()}{elsewhere[1:]}."


def _refusal(error: BaseException | None) -> tuple[int | None, Path | None]:
    """What of `_REFUSED` an error, or what it came from, says, and the file that it names; (None, None) for nothing."""
    while error is not None:
        said = str(error).lower() if type(error).__module__.partition(".")[0].lstrip("_") in _LIBRARIES else ""
        for number, words in _REFUSED.items():
            if (isinstance(error, OSError) and error.errno == number) or words in said:
                return number, _named(error)
        error = error.__cause__ or error.__context__
    return None, None


def _standing(path: Path) -> Path:
    """The folder that is there and would hold a file or folder which is not yet."""
    return next((each for each in path.absolute().parents if each.is_dir()), path)


def _named(error: BaseException | None) -> Path | None:
    """The file that an error, or what it came from, is about."""
    while error is not None:
        if isinstance(error, OSError) and isinstance(error.filename, str):
            # Of two, as where a file is copied or renamed, the second is the one to be written.
            path = Path(error.filename2 if isinstance(error.filename2, str) else error.filename)
            if path.name.startswith(_SCRATCH):
                return path.parent
            return path.with_name(_ASIDE.sub("", path.name))
        error = error.__cause__ or error.__context__
    return None


def _is_in(path: Path, folder: Path) -> bool:
    return path.absolute().is_relative_to(folder.absolute())


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until its bytes are on the disk. Call it with a name aside, then rename."""
    with path.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def replaced(path: Path, data: bytes) -> None:
    """Make `path` hold `data`, from one moment to the next; its folder is made. OSError that names `path` where that is
    not possible."""
    aside = path.with_name(f".aside-{os.getpid()}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_synced(aside, data)
            aside.replace(path)
            sync_dir(path.parent)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


@contextmanager
def scratch_folder(inside: Path) -> Iterator[Path]:
    """A new folder, gone at the end; `inside` is made. What killed processes left there a day ago goes, too."""
    inside.mkdir(parents=True, exist_ok=True)
    for left in inside.glob(f"{_SCRATCH}*"):
        try:
            old = left.stat().st_mtime < time.time() - _A_DAY
        except OSError:  # another process has just removed it
            continue
        if old:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=inside) as made:
        yield Path(made)


def copied_tree(source: Path, target: Path, ignore: Callable[[Any, list[str]], set[str]] | None = None) -> None:
    """Copy a folder to a place where nothing is, as `shutil.copytree` does, but with the first error as it was: that
    collects them in words, in which no full disk is known again. ignore: as there."""
    met: list[OSError] = []

    def copy(one: str, other: str) -> None:
        try:
            shutil.copy2(one, other)
        except OSError as error:
            met.append(error)
            raise

    try:
        shutil.copytree(source, target, ignore=ignore, copy_function=copy)
    except shutil.Error as error:
        raise (met[0] if met else error) from None


def sync_dir(folder: Path) -> None:
    """Make a folder's entries (a rename, say) survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
