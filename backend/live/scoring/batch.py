"""Many items at once on Try it: a file that was dropped in becomes a set that nobody has saved.

A set lies in `$FLIPSIDE_CACHE/uploads/unsaved/<owner>-<hash of the file>/set`, as Flipside writes its own items
(benchmarks/items_folder); pictures stay where the upload lies aside (own_uploads.py). It is no benchmark of the
user's own: only `keep` makes one. Its scores are runs like any other, of the name `custom:<label>-unsaved-<owner>`.
Set and scores go when it is discarded, or a day after it was last used.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from backend import locks, paths
from backend.benchmarks.custom.columns import Mapping
from backend.benchmarks.custom.mapping import of_table
from backend.benchmarks.custom.opening import PREFIX, label_of, opened
from backend.benchmarks.items_folder.folder import HEAD, own_names, read_head, write_own
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.intake import own_data
from backend.items import Item, Protocol, Skipped
from backend.live.uploads.own_uploads import LOCK, Staged

#: What stands in the name of a set that nobody has saved.
UNSAVED: Final = "-unsaved-"
#: Items of a set at most, and reasons that are kept of records that are none.
MOST: Final = 20_000
REASONS: Final = 50
#: Seconds that a set stays after its last use.
KEPT: Final = 86_400.0
PROTOCOLS: Final = (Protocol.TRIPLET, Protocol.CHOICE, Protocol.QUAD)
_SET: Final = "set"


@dataclass(frozen=True)
class Unsaved:
    """A set. folder: what `--data` names; hash: 16 hex digits of its items; subsets: items of each; skipped: records
    that are no items, and the first reasons; missing: pictures that are not there; known: the name under which the
    same items were here before, "" for new ones."""

    name: str
    folder: Path
    hash: str
    n_items: int
    subsets: dict[str, int]
    skipped: int
    reasons: tuple[str, ...]
    missing: int
    known: str = ""

    @property
    def arguments(self) -> list[str]:
        """What says to `run` which items are meant."""
        if self.known in own_names():
            return ["--benchmark", self.known]
        return ["--benchmark", self.name, "--data", str(self.folder.resolve())]


def make(staged: Staged, mapping: Mapping | None, owner: str, images: Path | None = None) -> Unsaved:
    """The set of an upload, written anew.

    owner: what tells sessions apart, letters and digits. images: where a bare table's pictures are.
    UsageError for more than 20,000 items, for pools, or where no record is an item; nothing is left of it then.
    """
    if not owner.isalnum():
        raise UsageError(f"'{owner[:20]}': a set's owner is written in letters and digits.")
    _sweep()
    home = _root() / f"{owner}-{staged.key}"
    mapped = of_table if mapping is None else (lambda _: mapping)
    with _locked(home):
        found = opened(staged.images or staged.file, staged.file.name, mapped, images)
        count = _Count()
        name = f"{PREFIX}{label_of(staged.file.name)}{UNSAVED}{owner[:6]}"
        watched = replace(found, name=name, open_items=lambda: count.of(found.open_items()))
        written = write_own(home / _SET, watched)
        before = _known(written.hash)
        if UNSAVED in before and before != name:  # another session's, of the same items: both go by one name
            name, count = before, _Count()
            write_own(home / _SET, replace(watched, name=name))
    return Unsaved(
        name, home / _SET, written.hash[:16], written.n_items, dict(written.subsets), count.skipped,
        tuple(count.reasons), count.missing, "" if UNSAVED in before else before,
    )  # fmt: skip


def touch(unsaved: Unsaved, staged: Staged) -> None:
    """Set and upload are in use; both are kept for another day."""
    for lock in (unsaved.folder.parent / LOCK, staged.file.parent / LOCK):
        with suppress(OSError):
            os.utime(lock)


def keep(staged: Staged, mapping: Mapping | None, label: str, images: Path | None = None) -> str:
    """Make the upload a benchmark of the user's own; its name. Scores that the set has are this benchmark's from now
    on, for they belong to the items. UsageError where something else has this name."""
    if not label.strip():
        raise UsageError("give the benchmark a name.")
    return own_data.save(staged.file, mapping, label, images=images).benchmark.name


def discard(unsaved: Unsaved) -> None:
    """Away with a set and its scores; those of items that are known under another name stay."""
    _remove(unsaved.folder.parent)


class _Count:
    """Watches the items go by."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.skipped = self.items = self.missing = 0

    def of(self, entries: Iterator[Item | Skipped]) -> Iterator[Item | Skipped]:
        for entry in entries:
            if isinstance(entry, Skipped):
                self._skip(entry)
            else:
                self._see(entry)
            yield entry

    def _skip(self, entry: Skipped) -> None:
        self.skipped += 1
        if len(self.reasons) < REASONS:
            where = f"line {entry.line}" if entry.line is not None else f"record {entry.item}"
            self.reasons.append(f"{where}: {entry.reason}")

    def _see(self, item: Item) -> None:
        self.items += 1
        self.missing += sum(image.missing for image in item.images)
        if item.protocol not in PROTOCOLS:
            raise UsageError(
                f"This file holds {item.protocol} items; triplets, choices and quads can be tried here. Save it as a "
                "benchmark on the Runs page, under Own data."
            )
        if self.items > MOST:
            raise UsageError(
                f"This file has more than {MOST:,} items; save it as a benchmark on the Runs page, under Own data, and "
                "score it there."
            )


def _known(digest: str) -> str:
    """The name under which the same items are known already, or ""."""
    try:
        return str(files.read_json(paths.cache_dir() / "benchmarks" / digest[:16] / HEAD).get("name", ""))
    except (OSError, FlipsideError):
        return ""


def _root() -> Path:
    return paths.cache_dir() / "uploads" / "unsaved"


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """One at a time. Where nothing came of it, nothing is left of it."""
    files.make_dir(home)
    with locks.held(home / LOCK):
        os.utime(home / LOCK)
        try:
            yield
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise


def _sweep() -> None:
    """Away with sets that nobody has used for a day."""
    for home in _root().glob("*"):
        with suppress(OSError):
            if (home / LOCK).stat().st_mtime < time.time() - KEPT:
                _remove(home)


def _remove(home: Path) -> None:
    """A set, and the scores of its items where no other session has the same ones and nobody has saved them."""
    digest = _hash_of(home)
    shutil.rmtree(home, ignore_errors=True)
    if digest and UNSAVED in _known(digest) and digest not in map(_hash_of, _root().glob("*")):
        root = paths.cache_dir()
        for record in root.glob("runs/*/run.json"):
            with suppress(OSError, FlipsideError):
                if _benchmark_of(files.read_json(record)) == digest:
                    shutil.rmtree(record.parent, ignore_errors=True)
        shutil.rmtree(root / "benchmarks" / digest, ignore_errors=True)


def _hash_of(home: Path) -> str:
    try:
        return str(read_head(home / _SET).get("hash", ""))[:16]
    except FlipsideError:
        return ""


def _benchmark_of(run: Any) -> str:
    benchmark = run.get("benchmark") if isinstance(run, dict) else None
    return str(benchmark.get("hash", ""))[:16] if isinstance(benchmark, dict) else ""
