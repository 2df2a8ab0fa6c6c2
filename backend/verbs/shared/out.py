"""One rule for every `--out`: the folder that it goes into is there, and it is not something of another sort.

These are parsers of options, so that a wrong place is refused before any work begins.
"""

from pathlib import Path

from backend.errors import UsageError


def file(text: str) -> Path:
    """The file that `--out` names, which may be there already; of a link the file that it leads to. UsageError where it
    is empty, a folder, or a device."""
    path = _place(text, "a file")
    if path.is_dir():
        raise UsageError(f"--out {text}: is a folder. Give the name of a file in it, as in {path / 'out'}.")
    if path.exists() and not path.is_file():  # what is written aside would take its place
        raise UsageError(f"--out {text}: is a device or a pipe, not a file. Give the name of a file.")
    return path.resolve() if path.is_symlink() else path


def folder(text: str) -> Path:
    """The folder that `--out` names, which may be new. UsageError where it is empty or a file."""
    path = _place(text, "a folder")
    if path.exists() and not path.is_dir():
        raise UsageError(f"--out {text}: is a file. Give a folder.")
    return path


def _place(text: str, what: str) -> Path:
    if not text.strip():
        raise UsageError(f"--out: is empty, which would mean the folder you are in. Give the name of {what}.")
    path = Path(text).expanduser()
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--out {text}: there is no folder {path.parent}. Make it, or choose another.")
    return path
