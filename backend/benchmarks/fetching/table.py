"""`sources.json` as dataclasses: where each benchmark's files are, their licence, and how they are known again."""

import difflib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from backend.errors import UsageError

TABLE = Path(__file__).resolve().parent / "sources.json"

#: "open": fetched. "gated", "no licence", "elsewhere": not ours to fetch. "ships", "yours": there is nothing to fetch.
Status = Literal["open", "gated", "no licence", "elsewhere", "ships", "yours"]

#: Why nothing is fetched, before the sentence on how to get it.
WHY = {
    "gated": "is not fetched: whoever uses it has to accept its terms first",
    "no licence": "is not fetched: its authors state no licence that clearly allows it",
    "elsewhere": "is not fetched: its parts come from many places, each with its own terms",
    "ships": "needs no fetching",
    "yours": "needs no fetching",
}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file. path: under the folder it is fetched to. size: bytes. size, sha256, md5: None where nobody states them.

    optional: only where it is asked for by name. at_most: bytes above which a file of unknown size is refused.
    about: its rough size in words, as its authors give it.
    """

    path: str
    url: str
    what: str
    licence: str
    size: int | None
    sha256: str | None
    md5: str | None
    optional: bool
    at_most: int | None
    about: str

    @property
    def checksum(self) -> Literal["sha256", "md5"] | None:
        """The kind of checksum that is known, the stronger one first."""
        return "sha256" if self.sha256 else "md5" if self.md5 else None

    @property
    def most(self) -> int | None:
        """No more bytes than this belong to the file."""
        return self.size if self.size is not None else self.at_most


@dataclass(frozen=True, slots=True)
class Source:
    """Where a benchmark comes from. how: how to get what is not fetched. checked: what the checksums rest on."""

    name: str
    source: str
    licence: str
    status: Status
    how: str
    checked: str
    files: tuple[SourceFile, ...]

    def chosen(self, wanted: tuple[str, ...]) -> tuple[SourceFile, ...]:
        """The files to fetch: those that are named, else all that are not optional.

        UsageError where nothing of this benchmark is fetched, or a name is none of its files.
        """
        if self.status != "open":
            raise UsageError(
                f"{self.name} {WHY[self.status]}. {self.how} (Licence: {self.licence}. Source: {self.source})"
            )
        if not wanted:
            return tuple(file for file in self.files if not file.optional)
        paths = [file.path for file in self.files]
        for name in wanted:
            if name not in paths:
                near = difflib.get_close_matches(name, paths, n=2, cutoff=0.4)
                hint = f" Did you mean {' or '.join(near)}?" if near else ""
                raise UsageError(f"--file {name}: {self.name} has no such file.{hint} Available: {', '.join(paths)}.")
        return tuple(file for file in self.files if file.path in wanted)


@cache
def sources() -> dict[str, Source]:
    """All benchmarks by name, in the table's order."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))["benchmarks"]
    return {name: _source(name, entry) for name, entry in table.items()}


def source(name: str) -> Source:
    """One benchmark's entry; UsageError with near matches for an unknown name."""
    known = sources()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"unknown benchmark '{name}'.{hint} Available: {', '.join(known)}.")
    return known[name]


def _source(name: str, entry: dict[str, Any]) -> Source:
    licence = entry["licence"]
    files = tuple(
        SourceFile(
            path=file["path"],
            url=file["url"],
            what=file["what"],
            licence=file.get("licence", licence),
            size=file["bytes"],
            sha256=file["sha256"],
            md5=file["md5"],
            optional=file.get("optional", False),
            at_most=file.get("at_most"),
            about=file.get("about", ""),
        )
        for file in entry["files"]
    )
    return Source(name, entry["source"], licence, entry["status"], entry["how"], entry.get("checked", ""), files)
