"""Rows that wait to be committed, and the commit: all parts of a step in one replacement of the manifest."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from backend.engine import SCORING
from backend.engine.plan import Stage
from backend.engine.storage import rows as rows_
from backend.engine.storage import shards
from backend.engine.storage.away import Away


@dataclass(frozen=True, slots=True)
class Pace:
    """How much work is done between two commits, and in one window.

    A window starts small and grows while it takes less than `window_seconds`: a killed run loses little on a slow
    model, and a fast one is not held up. cells: the largest window. rows, seconds: commit when either is reached.
    """

    cells: int = 4096
    first_cells: int = 128
    window_seconds: float = 10.0
    rows: int = 16_384
    seconds: float = 30.0


class Ledger:
    """The open shards of a run. Only under the run's lock."""

    def __init__(self, run_dir: Path, stages: Sequence[Stage], pace: Pace, away: Away | None = None) -> None:
        """away: the run's copy in an object store, which follows every commit."""
        self.run_dir, self.pace, self.away = run_dir, pace, away
        self.manifest = shards.read_manifest(run_dir)
        self.new_rows: dict[str, int] = {}
        self._waiting: dict[str, rows_.Rows] = {}
        self._since = time.monotonic()
        for stage in stages:
            for part in stage.parts:
                known = self.manifest["parts"].setdefault(part, {"complete": False, "shards": []})
                known.pop("failed", None)
                if not known["shards"]:  # a part that was begun before there was a number never gets one
                    known["scoring"] = SCORING

    def forget(self, stage: Stage) -> None:
        """Nothing of this stage is worked on: parts that hold nothing are none of the run's."""
        for name in stage.parts:
            if not self.manifest["parts"][name]["shards"]:
                del self.manifest["parts"][name]

    def done(self, stage: Stage) -> npt.NDArray[np.int32]:
        """The items whose rows of this stage are committed."""
        if stage.share is not None and stage.paired:
            return stage.share.note(*shards.images_with_rows(self.run_dir, self.manifest, stage.name))
        return shards.items_with_rows(self.run_dir, self.manifest, stage.parts)

    def add(self, stage: Stage, found: rows_.Rows) -> None:
        """Take the rows of whole items; they count after the next commit."""
        waiting = self._waiting.setdefault(stage.name, {})
        for part in stage.parts:
            waiting.setdefault(part, []).extend(found.get(part, []))

    def drop(self, stage: Stage) -> None:
        """Forget what waits of a stage that has failed."""
        self._waiting.pop(stage.name, None)

    def commit_if_due(self) -> None:
        """Commit where enough rows wait, or they have waited long enough."""
        most = max((len(more) for waiting in self._waiting.values() for more in waiting.values()), default=0)
        if most >= self.pace.rows or time.monotonic() - self._since >= self.pace.seconds:
            self.commit()

    def commit(self) -> None:
        """Write what waits as one shard a part, then let all of them count at once."""
        found = {part: more for waiting in self._waiting.values() for part, more in waiting.items() if more}
        written = {part: self._write(part, more) for part, more in found.items()}
        for part, entry in written.items():
            self.manifest["parts"][part]["shards"].append(entry)
            self.new_rows[part] = self.new_rows.get(part, 0) + entry["rows"]
        self._waiting.clear()
        shards.write_manifest(self.run_dir, self.manifest)
        if self.away is not None:
            self.away.push(self.manifest)
        self._since = time.monotonic()

    def _write(self, part: str, found: list[rows_.Row]) -> shards.ShardEntry:
        number = len(self.manifest["parts"][part]["shards"])
        return shards.write_shard(self.run_dir, part, number, rows_.columns(part, found))

    def close(self, stage: Stage, *, failed: str = "", left_out: dict[str, int] | None = None) -> None:
        """Mark a stage's parts complete or failed; written with the next commit.

        A part that was complete stays so: what failed now are items that had been left out. One in which nothing could
        be scored is not complete.
        """
        waiting = any(self._waiting.get(stage.name, {}).values())
        scored = waiting or any(self.manifest["parts"][name]["shards"] for name in stage.parts) or not left_out
        for name in stage.parts:
            part = self.manifest["parts"][name]
            part["complete"] = part["complete"] or (scored and not failed)
            if failed:
                part["failed"] = failed
            part.pop("left_out", None)
            if left_out:
                part["left_out"] = left_out

    def n_rows(self, part: str) -> int:
        """Committed rows of a part."""
        return sum(entry["rows"] for entry in self.manifest["parts"][part]["shards"])
