"""Where a site is put: a folder of its own, or one in which only what an earlier site wrote is replaced.

A site lists its files in itself. Whatever else lies in its folder (`.git`, `CNAME`, a page of the user's) is not ours
and stays. Everything is written aside first, inside the folder where it is there, so that it is on the same disk.
"""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from backend.durable import replaced
from backend.errors import FlipsideError, UsageError

#: The list of a site's files, itself included, by their paths in it.
LIST = "data/files.json"
_KIND = "flipside site"
_ASIDE = ".flipside-aside-"
#: What a web host keeps in a folder that is to hold a site.
_HOSTS = (".git", "CNAME", ".nojekyll")
_MOST = 5


def begin(out: Path) -> Path:
    """A new, empty folder aside in which the site for `out` is written; a link to a folder is followed. UsageError for
    a place that is no folder or holds files but no site, FlipsideError where nothing can be written."""
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}. Make it, or choose another.")
    if out.is_symlink() and not out.exists():
        raise UsageError(
            f"--out {out}: is a link to {out.readlink()}, which is not there. Make that folder, or choose another."
        )
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: is a file. Choose a folder that is new or empty, or an earlier site.")
    try:
        if out.is_dir() and _foreign(out) and not (out / LIST).is_file():
            raise UsageError(
                f"--out {out}: holds other files ({_some(_foreign(out))}) and no site that lists its own. Choose a "
                "folder that is new or empty, or an earlier site; move your files away, and back once it is written."
            )
        earlier(out)
        _sweep(out)
        aside = out / f"{_ASIDE}{os.getpid()}" if out.is_dir() else out.with_name(f".{out.name}{_ASIDE}{os.getpid()}")
        aside.mkdir()
    except OSError as error:
        raise unwritable(out, error) from None
    return aside


def unwritable(out: Path, error: OSError) -> FlipsideError:
    """One sentence for a disk that is full, a folder that is read-only, and their like."""
    return FlipsideError(
        f"--out {out}: the site cannot be written ({error.strerror or error}). What was there before is as it was; "
        "make room or choose another folder."
    )


def earlier(out: Path) -> frozenset[str]:
    """The files that an earlier site in `out` says it wrote; none where there is none. UsageError for a list that
    cannot be read: what it names would be deleted."""
    try:
        told = json.loads((out / LIST).read_bytes())
    except FileNotFoundError:
        return frozenset()
    except (ValueError, RecursionError):
        told = None
    names = told.get("files") if isinstance(told, dict) and told.get("kind") == _KIND else None
    if not isinstance(names, list) or not all(isinstance(name, str) and _inside(name) for name in names):
        raise UsageError(
            f"--out {out}: its list of files, {LIST}, is not as a site writes it, so what may be replaced is not "
            "known. Choose another folder, or delete that site."
        )
    return frozenset(names)


def listed(names: Iterable[str]) -> bytes:
    """The list of a site's files."""
    return json.dumps({"kind": _KIND, "files": sorted({*names, LIST})}, indent=0).encode()


def put(aside: Path, out: Path) -> None:
    """Put what was written aside in place; of an earlier site goes what the new one has not. All or nothing:
    UsageError where a file that no site wrote would be replaced, FlipsideError where it cannot be done."""
    if not out.is_dir():
        try:
            aside.rename(out)
        except OSError as error:
            raise unwritable(out, error) from None
        return
    new = sorted(path.relative_to(aside).as_posix() for path in aside.rglob("*") if path.is_file())
    before = earlier(out)
    theirs = [name for name in new if name not in before and os.path.lexists(out / name)]
    if theirs:
        raise UsageError(
            f"--out {out}: {_some(theirs)} would be replaced, and no earlier site wrote it. Move it away, or choose "
            "another folder."
        )
    _refuse_links_within(out, {*new, *before})
    try:
        _exchange(aside, out, new, sorted(before))
    except OSError as error:
        raise unwritable(out, error) from None
    for folder in {(out / name).parent for name in before} - {out}:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _refuse_links_within(out: Path, names: Iterable[str]) -> None:
    """UsageError where a folder of the site is a link: what is written or deleted in it would lie somewhere else."""
    folders = {out / parent for name in names for parent in PurePosixPath(name).parents}
    for folder in sorted(folders - {out}):
        if folder.is_symlink():
            raise UsageError(
                f"--out {out}: {folder.relative_to(out)} in it is a link to {folder.readlink()}, and a site is "
                "written nowhere but in its own folder. Move the link away, or choose another folder."
            )


def _exchange(aside: Path, out: Path, new: list[str], before: list[str]) -> None:
    """Move the old files aside and the new ones in; all back as it was where one of them cannot be moved. Meanwhile the
    list names both, so that the same command goes on from wherever this process is ended."""
    kept = aside / "before"
    moved: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        moved.append((source, target))

    replaced(out / LIST, listed({*new, *before}))
    try:
        for name in sorted({*new, *before} - {LIST}):
            if name in before and os.path.lexists(out / name):
                move(out / name, kept / name)
            if name in new:
                move(aside / name, out / name)
        (aside / LIST).replace(out / LIST)
    except OSError:
        for source, target in reversed(moved):
            target.rename(source)
        if before:
            replaced(out / LIST, listed(before))
        else:
            (out / LIST).unlink()
        raise


def _foreign(out: Path) -> list[str]:
    """What lies in a folder, but for what a web host keeps there and what a killed process left aside."""
    return sorted(path.name for path in out.iterdir() if path.name not in _HOSTS and not path.name.startswith(_ASIDE))


def _sweep(out: Path) -> None:
    """Throw away what processes that were killed left aside."""
    for left in (*out.glob(f"{_ASIDE}*"), *out.parent.glob(f".{out.name}{_ASIDE}*")):
        number = left.name.rpartition("-")[2]
        try:
            os.kill(int(number), 0)
        except (ProcessLookupError, ValueError, OverflowError):
            clear(left)
        except OSError:
            continue  # somebody else's, and alive


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") for part in path.parts)
    return bool(path.parts) and not path.is_absolute() and not hidden and "\\" not in name and "\0" not in name


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def clear(aside: Path) -> None:
    """Throw away what is left aside."""
    shutil.rmtree(aside, ignore_errors=True)
