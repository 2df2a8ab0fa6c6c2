"""Deleting with a way back: what is deleted is moved aside, under the cache, and can be put back exactly as it was.

`$FLIPSIDE_CACHE/trash/<key>/` holds `trash.json` (what, title, made, paths) and the moved folders by their number. A
move is a rename on one file system: names, contents and times stay. The record is written first, so whatever a crash
leaves can still be put back. On a full disk, where no record can be written, the folder of a run becomes `trash/<key>`
itself: its own record says what it is.
"""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import Any, Final

from backend import locks, paths, plain_json
from backend.durable import IN_CACHE, is_full, not_written, sync_dir
from backend.engine.storage import files, shards
from backend.errors import FlipsideError, UsageError
from backend.store.build import sources
from backend.store.exchange import imported

RECORD: Final = "trash.json"
#: Days that something deleted is kept.
KEPT: Final = 30


@dataclass(frozen=True)
class Discarded:
    """Something deleted. key: its folder; what: "run", "job", "training", "benchmark" or "uploads"; title: for
    people; made: when, UTC; paths: where it was, below the cache."""

    key: str
    what: str
    title: str
    made: str
    paths: tuple[str, ...]

    @property
    def folder(self) -> Path:
        return trash_dir() / self.key


def trash_dir() -> Path:
    """Everything that was deleted and can be put back."""
    return paths.cache_dir() / "trash"


def discard(what: str, title: str, places: Sequence[Path]) -> Discarded:
    """Move folders or files of the cache aside. UsageError where one is not there or not in the cache, FlipsideError
    where it cannot be moved; nothing is gone then."""
    root = paths.cache_dir().resolve()
    with _locked():
        _sweep()
        for place in places:
            if not place.exists():
                raise UsageError(f"{place.name} is not there any more; reload the page.")
            if root not in place.resolve().parents or place.is_symlink():
                raise UsageError(f"{place.name} does not lie in this cache, so it cannot be deleted here.")
        at = datetime.now(UTC)
        named = tuple(str(place.resolve().relative_to(root)) for place in places)
        key = f"{at:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        entry = Discarded(key, what, title, at.isoformat(timespec="seconds"), named)
        try:
            files.replace_json(entry.folder / RECORD, {"format": 1, **asdict(entry)})
        except FlipsideError as error:
            if not is_full(error) or what != "run" or len(places) != 1:
                raise
            return _moved_bare(entry, root / named[0])
        moved: list[tuple[Path, Path]] = []
        try:
            for number, name in enumerate(named):
                moved.append((root / name, entry.folder / str(number)))
                moved[-1][0].replace(moved[-1][1])
        except OSError as error:
            for home, aside in moved:
                if aside.exists() and not home.exists():
                    aside.replace(home)
            shutil.rmtree(entry.folder, ignore_errors=True)
            raise FlipsideError(f"{title} cannot be deleted ({error.strerror}); nothing was changed.") from None
        sync_dir(entry.folder)
        return entry


def _moved_bare(entry: Discarded, home: Path) -> Discarded:
    """A run moved without a record, which takes no space; inside the lock. Its key says whether it was imported."""
    if entry.paths[0].startswith("imported/"):
        entry = replace(entry, key=f"{entry.key}{sources.SUFFIX}")
    try:
        with suppress(OSError):
            entry.folder.rmdir()  # what a record would have been in
        home.replace(entry.folder)
    except OSError as error:
        raise FlipsideError(
            f"{entry.title} cannot be moved aside ({error.strerror}); nothing was changed. To delete it for good: "
            f"rm -r {quote(str(home))}"
        ) from None
    return entry


def restore(key: str) -> Discarded:
    """Put back exactly what was deleted. UsageError where it is gone, or something new stands in its place."""
    with _locked():
        entry = _read(key)
        root = paths.cache_dir().resolve()
        pairs = [(root / name, entry.folder / str(number)) for number, name in enumerate(entry.paths)]
        if not (entry.folder / RECORD).is_file():
            pairs = [(root / entry.paths[0], entry.folder)]
        for home, aside in pairs:
            if aside.exists() and home.exists():
                raise UsageError(f"{entry.title} cannot be put back: there is a new {home.name} in its place.")
        for home, aside in pairs:
            if aside.exists():
                files.make_dir(home.parent)
                aside.replace(home)
                sync_dir(home.parent)
        shutil.rmtree(entry.folder, ignore_errors=True)
        return entry


def listing() -> list[Discarded]:
    """What can be put back, the latest first."""
    found = []
    for path in sorted((each for each in trash_dir().glob("*") if each.is_dir()), reverse=True):
        try:
            found.append(_read(path.name))
        except FlipsideError:
            continue
    return found


def discard_run(run_id: str, title: str) -> Discarded:
    """Delete a run of this cache. UsageError for one that ships with Flipside, or that is being computed."""
    found = imported.locate(Path(run_id).name)
    if found is None:
        raise UsageError(f"{title} is not here any more: it has been deleted meanwhile.")
    if paths.cache_dir() not in found[1].parents:
        raise UsageError(f"{title} ships with Flipside and cannot be deleted.")
    folder = found[1]
    if locks.is_held(folder / "lock"):
        raise UsageError(f"{title} is being computed; stop its job first.")
    return discard("run", title, [folder])


def runs_on_disk() -> list[dict[str, str]]:
    """The runs as their records have them, without the database, which a full disk may not have: run, model, name (""),
    benchmark."""
    return [
        {"run": run_id, "model": _said(record, "model", "spec"), "name": "",
         "benchmark": _said(record, "benchmark", "name")}
        for run_id, record in sources.scan().runs.items()
    ]  # fmt: skip


def _said(record: dict[str, Any], part: str, name: str) -> str:
    of = record.get(part)
    return str(of.get(name) or "") if isinstance(of, dict) else ""


def _read(key: str) -> Discarded:
    path = trash_dir() / Path(key).name / RECORD
    if Path(key).name and not path.is_file() and (path.parent / shards.RECORD).is_file():
        return _read_bare(path.parent)
    try:
        said = plain_json.loads(path.read_text(encoding="utf-8"))
        entry = Discarded(path.parent.name, str(said["what"]), str(said["title"]), str(said["made"]),
                          tuple(str(name) for name in said["paths"]))  # fmt: skip
        datetime.fromisoformat(entry.made)
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError("it is not there any more; it was put back or removed for good.") from None
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in entry.paths):
        raise UsageError(f"{path}: is damaged.")
    return entry


def _read_bare(folder: Path) -> Discarded:
    """A run that was moved without a record."""
    try:
        record = sources.read_json(folder / shards.RECORD)
        made = datetime.strptime(folder.name.partition("-")[0], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
    except (OSError, ValueError):
        raise UsageError(f"{folder}: is damaged.") from None
    title = f"{_said(record, 'model', 'spec')} on {_said(record, 'benchmark', 'name')}"
    root = "imported/" if folder.name.endswith(sources.SUFFIX) else ""
    place = f"{root}runs/{Path(str(record.get('run') or folder.name)).name}"
    return Discarded(folder.name, "run", title, made.isoformat(timespec="seconds"), (place,))


def _sweep(days: float = KEPT) -> int:
    limit = datetime.now(UTC) - timedelta(days=days)
    old = [entry for entry in listing() if datetime.fromisoformat(entry.made) < limit]
    for entry in old:
        shutil.rmtree(entry.folder, ignore_errors=True)
    return len(old)


@contextmanager
def _locked() -> Iterator[None]:
    folder = trash_dir()
    files.make_dir(folder)

    def refused(error: OSError) -> FlipsideError:
        return FlipsideError(not_written(error, folder, IN_CACHE))

    try:
        folder.chmod(0o700)  # captions, paths and file names of the owner
    except OSError as error:
        raise refused(error) from None
    with locks.held(folder / "lock", refused=refused):
        yield
