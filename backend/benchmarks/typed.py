"""How a benchmark is named in a command that is suggested: with `--data DIR` where no folder of it was read here."""

from pathlib import Path
from shlex import quote

from backend.benchmarks import known, remembered
from backend.benchmarks.items_folder.kept import is_kept


def words(name: str, folder: str = "") -> str:
    """What follows `--benchmark`, quoted for a shell. name: of a stored benchmark, which may be none that can be read
    here. folder: where its items were read, "" where that is not known: named where it is another than would be read.

    >>> words("world"), words("small")
    ('world', 'small')
    >>> words("custom:mine; rm -rf ~")
    "'custom:mine; rm -rf ~'"
    """
    if _is_elsewhere(name, folder):
        return f"{quote(name)} --data {quote(folder)}"
    return f"{quote(name)} --data DIR" if _lacks(name) else quote(name)


def lacking(name: str, folder: str = "") -> str:
    """A sentence, after a space, on what the folder of `words` must hold and where it comes from; "" where none is
    lacking.

    >>> lacking("world")
    ''
    """
    found = known(name) if _lacks(name) and not _is_elsewhere(name, folder) else None
    if found is None:
        return ""
    gated = f" {found.gated}" if found.gated else ""
    return f" DIR is the folder that holds {found.wanted}.{gated}"


def _is_elsewhere(name: str, folder: str) -> bool:
    """Whether a folder is here, and another one would be read without it."""
    return bool(folder) and Path(folder).is_dir() and known(name) is not None and str(remembered(name)) != folder


def _lacks(name: str) -> bool:
    if is_kept(name):
        return False
    found = known(name)
    return found is not None and found.needs_data and remembered(name) is None
