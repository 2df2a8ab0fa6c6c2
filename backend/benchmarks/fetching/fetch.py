"""Fetch a benchmark's files into a folder: each one wholly there and verified, or not there at all."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import requests

from backend.benchmarks.fetching.address import address_of, check_mirror
from backend.benchmarks.fetching.lock import folder_lock
from backend.benchmarks.fetching.outcome import Outcome
from backend.benchmarks.fetching.part import Part
from backend.benchmarks.fetching.receipt import Receipt
from backend.benchmarks.fetching.table import Source, SourceFile
from backend.benchmarks.fetching.transfer import Settings, session, transfer
from backend.benchmarks.fetching.trouble import FileError, FullDiskError, StoppedError, UnreachableError
from backend.benchmarks.fetching.unpack import is_archive, unpack, unpacked_name
from backend.benchmarks.fetching.verify import UNKNOWN, Sums, difference, how, read_through, sums
from backend.errors import FlipsideError, UsageError

#: Told of each file's bytes so far and in all, None where that is not known.
Tick = Callable[[SourceFile, int, int | None], None]


def fetch(
    known: Source,
    to: Path,
    *,
    wanted: tuple[str, ...] = (),
    mirror: str | None = None,
    unpacking: bool = False,
    tick: Tick | None = None,
    settings: Settings = Settings(),  # noqa: B008 - frozen
) -> list[Outcome]:
    """Fetch the chosen files one after another and say what became of each; a file that fails does not stop the others.

    wanted: paths of the table; empty for all that are not optional. mirror: an address under which the owner keeps
    copies, `<mirror>/<benchmark>/<path>`; never one that a browser user typed. unpacking: archives, too.
    UsageError where nothing of this benchmark is fetched, or the folder is none; FlipsideError where another fetch
    writes to it; StoppedError after Ctrl-C.
    """
    files = known.chosen(wanted)
    if mirror is not None:
        check_mirror(mirror)
    _make(to)
    outcomes: list[Outcome] = []
    given_up = ""
    dead_hosts: dict[str, str] = {}
    with folder_lock(to), session() as http:
        folder = _Folder(known, to, http, Receipt(to), tick, settings, dead_hosts)
        for file in files:
            address = address_of(known.name, file, mirror)
            host = urlsplit(address).netloc
            why = given_up or dead_hosts.get(host, "")
            if why:
                outcomes.append(_failed(file, f"not tried: {why}"))
                continue
            try:
                outcome = folder.fetch(file, address)
                outcomes.append(_unpacked(outcome, to / file.path) if unpacking and is_archive(file.path) else outcome)
            except FlipsideError as error:
                outcomes.append(_failed(file, str(error)))
                if isinstance(error, FullDiskError):
                    given_up = "the disk is full"
                if isinstance(error, UnreachableError):
                    dead_hosts[error.host] = f"{error.host} does not answer"
            except KeyboardInterrupt:
                raise StoppedError([*outcomes, _failed(file, "stopped on request")]) from None
            except OSError as error:
                outcomes.append(_failed(file, f"{to / file.path}: {error.strerror or error}"))
    return outcomes


@dataclass(frozen=True, slots=True)
class _Folder:
    """The folder that is fetched into, and what each of its files is fetched with."""

    known: Source
    path: Path
    http: requests.Session
    receipt: Receipt
    tick: Tick | None
    settings: Settings
    dead_hosts: Mapping[str, str]

    def fetch(self, file: SourceFile, address: str) -> Outcome:
        """The file, verified and under its name; or what is there under its name already."""
        target = self.path / file.path
        part = Part(target)
        if os.path.lexists(target):
            outcome = _found(target, file, self.receipt)
            part.discard()  # a killed process's, which had no time to clear up
            return outcome
        _make(target.parent)
        found = self._transferred(file, address, part)
        verified = how(file, found, part.announced)
        part.become(target)
        self.receipt.add(self.known.name, file, address, found, verified)
        return Outcome(file.path, found.size, found.sha256, "fetched", verified, "" if file.checksum else UNKNOWN)

    def _transferred(self, file: SourceFile, address: str, part: Part) -> Sums:
        def told(done: int, total: int | None) -> None:
            if self.tick:
                self.tick(file, done, total)

        continued = transfer(self.http, address, file, part, told, self.settings, self.dead_hosts)
        wrong = difference(file, found := sums(part.path))
        if wrong and continued:  # pieces of two different files, perhaps: once more, from the beginning
            part.discard()
            transfer(self.http, address, file, part, told, self.settings, self.dead_hosts)
            wrong = difference(file, found := sums(part.path))
        if wrong:
            part.discard()
            raise FileError(f"{file.path}: {wrong}; it was thrown away. Look at {self.known.source} for what changed")
        if not file.checksum:
            try:
                read_through(part.path, file)
            except FileError:
                part.discard()
                raise
        return found


def _found(target: Path, file: SourceFile, receipt: Receipt) -> Outcome:
    """A file that is there stays: it is the right one, or it is named and nothing is done."""
    if not target.is_file():
        raise FileError(f"{target} is there already and is no file; move it away or choose another --to")
    found = sums(target)
    wrong = difference(file, found)
    if wrong:
        raise FileError(
            f"{target} is there already and is another file ({wrong}); it stays as it is: move it away, or choose "
            "another --to"
        )
    if file.checksum:
        return Outcome(file.path, found.size, found.sha256, "already there", file.checksum)
    before = receipt.sha256(file.path)
    if before == found.sha256:
        return Outcome(file.path, found.size, found.sha256, "already there", "receipt", "it is what was fetched before")
    if before is not None:
        raise FileError(
            f"{target} has changed since it was fetched (its sha256 was {before}); it stays as it is: move it away to "
            "fetch it again"
        )
    reason = "no checksum is known, so whether it is the right one cannot be told; it was left as it is"
    return Outcome(file.path, found.size, found.sha256, "already there", "none", reason)


def _unpacked(outcome: Outcome, archive: Path) -> Outcome:
    folder = unpacked_name(archive)
    if outcome.state == "already there" and folder.is_dir():
        return replace(outcome, unpacked=str(folder))
    try:
        return replace(outcome, unpacked=str(unpack(archive)))
    except FileError as error:
        return replace(outcome, state="failed", reason=str(error))


def _failed(file: SourceFile, reason: str) -> Outcome:
    return Outcome(file.path, None, None, "failed", "none", reason)


def _make(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--to {folder}: is a file, expected a folder; it is made where it is not there.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FlipsideError(f"{folder}: cannot be made ({error.strerror}). Choose another --to.") from None
