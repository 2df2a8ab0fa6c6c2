"""`<file>.part`, what has come so far, and `<file>.part.json`, which file of which server that is the beginning of."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from backend import plain_json
from backend.benchmarks.fetching.table import SourceFile
from backend.benchmarks.fetching.trouble import FileError
from backend.durable import sync_dir


@dataclass(frozen=True, slots=True)
class Origin:
    """What the server said when the part was begun. validator: for If-Range, a strong ETag or a date; empty without.

    total: the whole file's bytes, None where the server did not say. wanted: the checksum of the table then.
    """

    address: str
    validator: str
    total: int | None
    wanted: str


class Part:
    """What has come of one file. Only the holder of the folder's lock touches it."""

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f"{target.name}.part")
        self.note = target.with_name(f"{target.name}.part.json")

    @property
    def size(self) -> int:
        """Bytes that are there."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def announced(self) -> int | None:
        """How many bytes the server promised for the whole file; None where it did not."""
        noted = self._noted()
        return noted.total if noted else None

    def origin(self, address: str, file: SourceFile) -> Origin | None:
        """The part's origin where it can be continued from this address, else None: then it is of no use.

        Without a validator a server may have another file by now, which only the table's checksum would tell.
        """
        found = self._noted()
        if found is None:
            return None
        same = found.address == address and found.wanted == _wanted(file)
        known = bool(found.validator or file.checksum)
        whole = found.total if found.total is not None else file.most
        return found if same and known and self.size and (whole is None or self.size <= whole) else None

    def begin(self, address: str, file: SourceFile, validator: str, total: int | None) -> None:
        """Forget what was there and note whose beginning comes now."""
        self.discard()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.note.write_text(json.dumps(asdict(Origin(address, validator, total, _wanted(file)))) + "\n")

    def _noted(self) -> Origin | None:
        try:
            return Origin(**plain_json.loads(self.note.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    @contextmanager
    def appending(self) -> Iterator[BinaryIO]:
        """The part, open at its end. What was written stays, whatever ends the block."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        with os.fdopen(os.open(self.path, flags, 0o644), "ab") as out:
            yield out

    def discard(self) -> None:
        """Remove both files."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def become(self, target: Path) -> None:
        """Give the whole, verified part its final name, to stay there through a power cut; never over another file."""
        with self.path.open("rb") as whole:
            os.fsync(whole.fileno())
        try:
            # A link is refused where the name is taken; a rename would replace what is there.
            os.link(self.path, target)
        except FileExistsError:
            raise FileError(
                f"{target} has appeared meanwhile and stays as it is; what was fetched is {self.path}"
            ) from None
        except OSError:  # a file system without hard links
            if os.path.lexists(target):
                raise FileError(f"{target} has appeared meanwhile and stays as it is") from None
            self.path.rename(target)
        self.discard()
        sync_dir(target.parent)


def _wanted(file: SourceFile) -> str:
    return file.sha256 or file.md5 or ""
