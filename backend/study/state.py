"""How a study stands: `$FLIPSIDE_CACHE/studies/<id>/state.json`, written whole at every change, read by the Runs page.

A cell that has been filled is known by its key: a digest of everything in the file, the model's folder and the
benchmark's items that decides its scores. So an edited file keeps the cells that it has not changed, and a changed
setting makes new ones; the old ones stay as runs.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend import locks, plain_json
from backend.durable import IN_CACHE, not_written, replaced
from backend.errors import FlipsideError
from backend.paths import cache_dir, existing

if TYPE_CHECKING:
    from backend.study.grid import Study

FOLDER, STATE, LOCK = "studies", "state.json", "lock"
WAITING, RUNNING, DONE, MISSING = "waiting", "running", "done", "missing"
STATES = (WAITING, RUNNING, DONE, MISSING)
#: Studies that a page shows.
SHOWN = 20


@dataclass
class CellState:
    """One model on one benchmark. key: see above. state: of STATES. why: of what is missing, or was left out.

    left_out: items without some scores (their images are missing, say). n_missing: images that were not there when the
    benchmark was read. done, total, seconds: scores of this session, of the cell that is running.
    """

    key: str = ""
    state: str = WAITING
    run_id: str = ""
    why: str = ""
    n_items: int = 0
    left_out: int = 0
    n_missing: int = 0
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    kept: bool = False

    @property
    def is_done(self) -> bool:
        """Whether it is filled."""
        return self.state == DONE


@dataclass
class StudyState:
    """cells: by model, then by benchmark, as they stand in the file. finished: key -> the cells of earlier versions of
    the file that are done. updated: UTC, ISO 8601."""

    study: str
    title: str
    path: str
    models: list[str]
    benchmarks: list[str]
    cells: list[list[CellState]]
    finished: dict[str, dict[str, Any]] = field(default_factory=dict)
    updated: str = ""

    @property
    def is_running(self) -> bool:
        """Whether a process is filling it at this moment."""
        return locks.is_held(folder_of(self.study) / LOCK)

    def counts(self) -> dict[str, int]:
        """How many cells are in which state."""
        every = [cell.state for row in self.cells for cell in row]
        return {state: every.count(state) for state in STATES}


def study_id(path: Path) -> str:
    """A study's own name: its file's, with eight digits of where that lies.

    >>> study_id(Path("/a/grid.toml"))
    'grid-cb4b50b2'
    """
    stem = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in path.stem)[:40] or "study"
    return f"{stem}-{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def folder_of(study: str) -> Path:
    """Where a study's state lies."""
    return cache_dir() / FOLDER / Path(study).name


def digest(parts: Mapping[str, Any]) -> str:
    """A cell's key."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:24]


def stamp(spec: str) -> str:
    """What tells whether a model in a folder here has changed since: names, sizes and times of its files; "" for a
    model that no folder here holds."""
    folder = existing(spec.partition(":")[2].partition("#")[0])
    if folder is None:
        return ""
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else [folder]
    said = []
    for path in files[:10_000]:
        with suppress(OSError):
            found = path.stat()
            said.append(f"{path.name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def write(state: StudyState) -> None:
    """Keep it. FlipsideError where the cache cannot be written."""
    state.updated = datetime.now(UTC).isoformat(timespec="seconds")
    path = folder_of(state.study) / STATE
    try:
        replaced(path, (json.dumps(asdict(state), ensure_ascii=False, indent=1) + "\n").encode())
    except OSError as error:
        raise FlipsideError(not_written(error, path, IN_CACHE)) from None


def read(study: str) -> StudyState | None:
    """A study's state; None where there is none, or what is there is damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = plain_json.loads((folder_of(study) / STATE).read_text(encoding="utf-8"))
        rows = [[CellState(**cell) for cell in row] for row in said["cells"]]
        found = StudyState(**(said | {"cells": rows}))
        shapes = len(rows) == len(found.models) and all(len(row) == len(found.benchmarks) for row in rows)
        if shapes and all(cell.state in STATES for row in rows for cell in row):
            return found
    return None


def listing() -> list[StudyState]:
    """The studies that were run here, the latest first."""
    names = [path.parent.name for path in (cache_dir() / FOLDER).glob(f"*/{STATE}")]
    found = [state for name in names if (state := read(name)) is not None]
    return sorted(found, key=lambda state: state.updated, reverse=True)[:SHOWN]


def cells_of(study: "Study") -> dict[tuple[str, str], CellState]:
    """(`Study.key_of` a model, benchmark's title) -> how each cell stands that the file names now."""
    standing = read(study_id(study.path))
    if standing is None:
        return {}
    models = {title: number for number, title in enumerate(standing.models)}
    benchmarks = {title: number for number, title in enumerate(standing.benchmarks)}
    return {
        (study.key_of(model), entry.title): standing.cells[models[model.title]][benchmarks[entry.title]]
        for model in study.models
        for entry in study.benchmarks
        if model.title in models and entry.title in benchmarks
    }
