"""`flipside-fetch.json` in the folder: what was fetched there, from where, and what it was."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend import plain_json
from backend.benchmarks.fetching.outcome import Verified
from backend.benchmarks.fetching.table import SourceFile
from backend.benchmarks.fetching.verify import Sums
from backend.durable import write_synced
from backend.errors import FlipsideError

NAME = "flipside-fetch.json"


class Receipt:
    """The folder's receipt. FlipsideError where there is a file of that name that is none."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.entries: dict[str, Any] = {}
        if self.path.exists():
            try:
                self.entries = dict(plain_json.loads(self.path.read_text(encoding="utf-8"))["files"])
            except (ValueError, KeyError, TypeError):
                raise FlipsideError(
                    f"{self.path}: is no receipt of what was fetched. Move it away and give the same command again."
                ) from None

    def sha256(self, path: str) -> str | None:
        """The checksum that this file had when it was fetched; None where it was not, or is not known."""
        entry = self.entries.get(path)
        found = entry.get("sha256") if isinstance(entry, dict) else None
        return found if isinstance(found, str) else None

    def add(self, benchmark: str, file: SourceFile, address: str, found: Sums, verified: Verified) -> None:
        """Note a fetched file, at once and atomically, so that a later failure loses nothing."""
        self.entries[file.path] = {
            "benchmark": benchmark,
            "address": address,
            "licence": file.licence,
            "bytes": found.size,
            "sha256": found.sha256,
            "verified": verified,
            "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        aside = self.path.with_name(f".aside-{os.getpid()}-{NAME}")
        try:
            text = json.dumps({"format": 1, "files": self.entries}, ensure_ascii=False, indent=1)
            write_synced(aside, f"{text}\n".encode())
            aside.replace(self.path)
        except OSError as error:
            aside.unlink(missing_ok=True)
            raise FlipsideError(
                f"{self.path}: cannot be written ({error.strerror}). {file.path} itself is there."
            ) from None
