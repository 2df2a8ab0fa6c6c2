"""Files that people name: only what is a file is read, for a device or a pipe has no end."""

from pathlib import Path

from backend.errors import UsageError


def refuse_other(path: Path, expected: str) -> None:
    """UsageError for what is not there, and for a folder, a device, a pipe or a socket: none is opened. expected: what
    was asked for instead, as the end of a sentence ("expected a table").

    >>> refuse_other(Path("/dev/null"), "expected a table")
    Traceback (most recent call last):
    ...
    backend.errors.UsageError: /dev/null: is a device or a pipe and no file; expected a table.
    """
    try:
        if path.is_file():
            return
        is_folder, is_there = path.is_dir(), path.exists()
    except OSError as error:  # a name that is too long, a folder that nobody may look into
        raise UsageError(f"{str(path)[:300]}: cannot be read ({error.strerror}); {expected}.") from None
    if is_folder:
        raise UsageError(f"{path}: is a folder; {expected}.")
    if is_there:
        raise UsageError(f"{path}: is a device or a pipe and no file; {expected}.")
    raise UsageError(f"{path}: no such file.")


def not_a_folder(path: Path) -> str:
    """What is to be said of a path where a folder is expected and none is, behind the path.

    >>> not_a_folder(Path("/nowhere")), not_a_folder(Path("/dev/null"))
    ('no such folder', 'is no folder but a device or a pipe')
    """
    try:
        if path.is_file():
            return "is a file, where a folder is expected"
        return "is no folder but a device or a pipe" if path.exists() else "no such folder"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
