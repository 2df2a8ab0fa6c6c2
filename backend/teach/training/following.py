"""Trainings as their folders tell of them, while they go on and afterwards: what a page shows. No torch in here.

A folder of a training holds `lesson.json` (what is taught, written when it begins), `log.jsonl` (a line a step),
`checkpoint.pt`, at the end `adapter/` and `merged/`, and `lock`, which the process that trains holds.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from backend import durable, locks, plain_json
from backend.errors import FlipsideError
from backend.teach.training import log

FILE: Final = "lesson.json"
LOCK: Final = "lock"
#: What the file calls itself, and how many bytes of one are read.
FORMAT, VERSION, MOST = "flipside lesson", 1, 1024 * 1024
#: Of a merged folder: what teaching says of itself, and what open_clip's models have and transformers' have not.
_TAUGHT, _OPENCLIP = "teach.json", "open_clip_config.json"


@dataclass(frozen=True)
class Followed:
    """One training. steps: of the plan; done: in the log, of which a killed process may have to do some again. running:
    a process on this machine is at it. merged: the spec of the finished model, "" before. document: `lesson.json` as it
    was read; what is known of it by name are the other fields."""

    folder: Path
    model: str
    recipe: str
    series: str
    created: str
    steps: int
    done: int
    running: bool
    merged: str
    document: Mapping[str, Any] = field(repr=False)

    @property
    def finished(self) -> bool:
        """Whether all steps are done and the model is saved."""
        return bool(self.merged)

    def log(self) -> list[dict[str, Any]]:
        """The lines so far (`training/log.py`)."""
        with suppress(OSError, FlipsideError):
            return log.read(self.folder)
        return []


def trainings(folder: Path) -> list[Followed]:
    """Every training whose folder lies in `folder`, the newest first; what is none, or cannot be read, is left out."""
    try:
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []
    found = [each for path in inside if (each := training(path)) is not None]
    return sorted(found, key=lambda each: each.created, reverse=True)


def training(folder: Path) -> Followed | None:
    """The training in a folder; None where its `lesson.json` is missing, damaged, or of another version."""
    try:
        document = _document(folder)
        plan, recipe = document["plan"], document["recipe"]
        steps, done = plan["steps"], log.last_step(folder)
        texts = (document["model"], recipe["name"], document["series"], document["created"])
        if type(steps) is not int or steps < 1 or not all(isinstance(text, str) for text in texts):
            return None
        datetime.fromisoformat(document["created"])
        running = bool(locks.holder(folder / LOCK))
        merged = _merged(folder, steps) if done >= steps else ""
    except (OSError, ValueError, TypeError, KeyError, FlipsideError):
        return None
    return Followed(folder, *texts, steps, min(done, steps), running, merged, document)


def write(folder: Path, document: Mapping[str, Any]) -> None:
    """Write `lesson.json`, from one moment to the next. FlipsideError where the disk does not take it."""
    head = {"format": FORMAT, "version": VERSION, "created": datetime.now(UTC).isoformat(timespec="seconds")}
    text = json.dumps({**head, **document}, indent=1, ensure_ascii=False)
    try:
        durable.replaced(folder / FILE, f"{text}\n".encode())
    except OSError as error:
        raise log.disk(error, folder) from error


def _document(folder: Path) -> dict[str, Any]:
    """ValueError, KeyError, TypeError or OSError for what is no `lesson.json`."""
    path = folder / FILE
    if not path.is_file() or path.stat().st_size > MOST:
        raise ValueError(f"{path} is no file of a training")
    found = plain_json.loads(path.read_bytes())
    if found["format"] != FORMAT or found["version"] != VERSION:
        raise ValueError(f"{path} is of another version")
    return dict(found)


def _merged(folder: Path, steps: int) -> str:
    """The spec of the model that a training of so many steps has saved; "" where it has not."""
    path = folder / "merged" / _TAUGHT
    with suppress(OSError, ValueError, TypeError, KeyError):
        if path.is_file() and path.stat().st_size <= log.MOST and plain_json.loads(path.read_bytes())["step"] == steps:
            family = "openclip" if (path.parent / _OPENCLIP).is_file() else "hf"
            return f"{family}:{path.parent}"
    return ""
