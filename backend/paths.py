"""Where the program is, and where everything that it keeps lives: `$FLIPSIDE_CACHE`, else `cache/` in a checkout, else
the user's cache folder. How processes of our own are started."""

import os
import sys
from pathlib import Path
from typing import Final

from backend.errors import UsageError

#: The folder of app.py, backend/ and pages/. Nothing is ever written into it, but for `cache/` of a checkout.
ROOT = Path(__file__).resolve().parent.parent
#: Whether this is an installed copy (flipside/_tree, see setup.py); else it is a checkout.
INSTALLED = (ROOT.parent.name, ROOT.name) == ("flipside", "_tree")
BUNDLED = ROOT / "backend" / "bundled"


def cache_dir() -> Path:
    """The folder for databases, shards, thumbnails and uploads; read from the environment at each call."""
    given = os.environ.get("FLIPSIDE_CACHE", "")
    if given.strip():
        return Path(given).expanduser()
    return user_cache_dir() if INSTALLED else ROOT / "cache"


#: What DuckDB reads in a path as something else: a comma ends a folder of several, the others a file's name.
UNREADABLE: Final = ",?\\"


def unreadable(path: Path) -> str:
    """Why no database can lie at a path, in words that follow its name; "" where one can."""
    said = path.absolute().as_posix()  # on Windows every path is parted by a backslash
    found = [character for character in UNREADABLE if character in said]
    if any("\ud800" <= character <= "\udfff" for character in str(path)):
        return "is no text in UTF-8"
    return f"has {' and '.join(found)} in it, which DuckDB reads as something else" if found else ""


def user_cache_dir() -> Path:
    """`flipside` in the user's cache folder: ~/Library/Caches on macOS, else $XDG_CACHE_HOME or ~/.cache.

    A relative $XDG_CACHE_HOME is ignored, as the XDG Base Directory Specification wants it.
    """
    if sys.platform == "darwin":
        return Path("~/Library/Caches/flipside").expanduser()
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path("~/.cache").expanduser()) / "flipside"


def typed_path(name: str | Path, option: str = "") -> Path:
    """The path that somebody typed, `~` read. UsageError where nobody has that home. option: what the path was given
    as, for the error.

    >>> typed_path("~nobodys", "--out")
    Traceback (most recent call last):
    ...
    backend.errors.UsageError: --out ~nobodys: there is no user 'nobodys'. Write ./~nobodys for what is called so here.
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        said = f"{option} {name}".strip()
        user = Path(name).parts[0].removeprefix("~")
        if not user:
            raise UsageError(f"{said}: your home folder is not known here. Write the path without ~.") from None
        raise UsageError(f"{said}: there is no user '{user}'. Write ./{name} for what is called so here.") from None


def existing(name: str) -> Path | None:
    """The file or folder that a typed or recorded name stands for, `~` read; None where there is none, nobody has that
    home, or no file can be called so.

    >>> existing("~nobody-here/model"), existing("m" * 300)
    (None, None)
    """
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):  # too long, nobody's home, a NUL
        return None


def work_dir() -> Path:
    """The working directory of processes of our own: the checkout, in which suggested commands are typed; the cache of
    an installed copy, which is made where it is not there."""
    if not INSTALLED:
        return ROOT
    folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def module_command(module: str, *arguments: str) -> list[str]:
    """The words that run a module of `backend` in a process of its own, from any working directory."""
    launcher = ROOT.parent if INSTALLED else ROOT / "flipside"
    return [sys.executable, "-P", str(launcher / "process.py"), module, *arguments]


def runs_dir() -> Path:
    """Committed runs, one folder each: `<cache>/runs/<run id>/`."""
    return cache_dir() / "runs"


def bundled_runs_dir() -> Path:
    """The runs that ship with the project, in the same layout as `runs_dir()`."""
    return BUNDLED / "results"


def bundled_editions_dir() -> Path:
    """Perturbed editions of the bundled world with runs on them, in the same layout; not imported until asked for."""
    return BUNDLED / "editions"


def bundled_taught_dir() -> Path:
    """Runs of the bundled taught models on the bundled world; not imported until asked for."""
    return BUNDLED / "taught"


def bundled_examples() -> tuple[Path, ...]:
    """The folders of results that ship and are taken into the cache on request."""
    return bundled_editions_dir(), bundled_taught_dir()


def imported_dir() -> Path:
    """Runs and benchmarks that came in a bundle from elsewhere, in the same layout; never mixed with the others."""
    return cache_dir() / "imported"


def bundled_models_dir() -> Path:
    """The bundled models, one Hugging Face folder each: `<bundled>/models/<name>/`."""
    return BUNDLED / "models"
