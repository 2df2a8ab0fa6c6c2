"""What a benchmark declares about itself: source, licence, files, counts, and how it is read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

#: How many entries of a wrong folder an error lists.
LISTED = 8


@dataclass(frozen=True)
class Declaration:
    """One benchmark.

    protocols: subset -> how its items are judged.
    files: subset -> the file it is read from, relative to the data folder; empty where nothing is read.
    images: in words, where images are looked for.
    expected: subset -> number of usable items in the original release; a different count is reported, not refused.
    read: yields items and skipped records in file order; called with the folder that `check_folder` accepted.
    check: raises UsageError where a folder is not the benchmark's; for formats that are not told by `files`.
    """

    name: str
    title: str
    source: str
    revision: str
    licence: str
    citation: str
    protocols: Mapping[str, Protocol]
    read: Callable[[Path | None], Iterator[Item | Skipped]]
    files: Mapping[str, str] = field(default_factory=dict)
    images: str = ""
    expected: Mapping[str, int] = field(default_factory=dict)
    check: Callable[[Path], object] | None = None

    @property
    def needs_data(self) -> bool:
        """Whether --data must be given: everything but what ships with Flipside."""
        return bool(self.files)

    def check_folder(self, folder: Path | None) -> None:
        """Raise UsageError unless the folder holds at least one of the benchmark's files."""
        if self.check is not None and folder is not None:
            self.check(folder)
        if not self.needs_data:
            return
        wanted = " and ".join(self.files.values())
        if folder is None:
            raise UsageError(f"{self.name} needs --data DIR, the folder that holds {wanted}.")
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder. --data for {self.name} is the folder that holds {wanted}.")
        if not any((folder / file).is_file() for file in self.files.values()):
            raise UsageError(f"{folder}: expected {wanted} in it, found {_listing(folder)}.")

    def missing_files(self, folder: Path | None) -> list[str]:
        """Files of the original release that the folder lacks; their subsets have no items."""
        return [] if folder is None else [file for file in self.files.values() if not (folder / file).is_file()]


def _listing(folder: Path) -> str:
    entries = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in folder.iterdir())
    if not entries:
        return "an empty folder"
    more = f" and {len(entries) - LISTED} more" if len(entries) > LISTED else ""
    return ", ".join(entries[:LISTED]) + more
