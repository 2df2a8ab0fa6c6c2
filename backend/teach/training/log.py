"""`log.jsonl` of a training: a line a step, in order. No torch in here, for pages read it, too.

A line is {"step", the loss, its terms, gamma, abs_gamma, abs_c, abs_r, gradient, learning_rate, seconds}, with
"held_out" where held-out items were judged; the line of step 0, where there is one, has that alone.
"""

import errno
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from backend import durable, plain_json
from backend.errors import FlipsideError
from backend.paths import cache_dir

FILE: Final = "log.jsonl"
#: Bytes of a log that are read, and of a line: a step takes about 400.
MOST, LONGEST = 64 * 1024 * 1024, 64 * 1024

#: How safetensors says that a disk is full.
_FULL: Final = f"(os error {errno.ENOSPC})"


def read(folder: Path, up_to: int | None = None) -> list[dict[str, Any]]:
    """The log's lines in order, of the steps 0 to `up_to`. What is no line of a log is left out (one that was cut short
    by a kill, say), and a step that comes again. FlipsideError for a file that is larger than any log."""
    path = folder / FILE
    if not path.is_file():
        return []
    if path.stat().st_size > MOST:
        raise FlipsideError(f"{path}: has more than {MOST // 2**20} MB, and is no log of a training. Take it away.")
    found: list[dict[str, Any]] = []
    for line in path.read_bytes().split(b"\n"):
        entry = _entry(line)
        if entry is None or (found and entry["step"] <= found[-1]["step"]):
            continue
        if up_to is None or entry["step"] <= up_to:
            found.append(entry)
    return found


def last_step(folder: Path) -> int:
    """The last step in the log, from its end; 0 without one."""
    path = folder / FILE
    if not path.is_file():
        return 0
    with path.open("rb") as source:
        size = source.seek(0, 2)
        source.seek(max(0, size - 2 * LONGEST))
        lines = source.read(2 * LONGEST).split(b"\n")
    return next((entry["step"] for line in reversed(lines) if (entry := _entry(line)) is not None), 0)


def cut(folder: Path, step: int) -> None:
    """Take out the lines of steps that the checkpoint has not: they are going to be done again."""
    _replace(folder, read(folder, step))


def is_judged(folder: Path, step: int) -> bool:
    """Whether the last line is this step's and has what was judged."""
    last = read(folder)[-1:]
    return bool(last) and last[0]["step"] == step and bool(last[0].get("held_out"))


def judged(folder: Path, step: int, held_out: Mapping[str, Any]) -> None:
    """Add what was judged to the line of the last step (of step 0, which has no other, a line of its own)."""
    entries = read(folder)
    if not entries or entries[-1]["step"] != step:
        entries.append({"step": step})
    entries[-1]["held_out"] = held_out
    _replace(folder, entries)


def write(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a line."""
    try:
        with (folder / FILE).open("a", encoding="utf-8") as out:
            out.write(_line(entry))
    except OSError as error:
        raise disk(error, folder) from error


def disk(error: Exception, folder: Path) -> FlipsideError:
    """What a disk that takes no more is told as. error: an OSError, or safetensors' own, which has its text alone."""
    if durable.is_full(error) or _FULL in str(error):
        return FlipsideError(
            f"No space is left on the disk of {folder}. Free some, or move the folder to another disk; the last "
            "checkpoint is kept, and the same command goes on from it."
        )
    return FlipsideError(durable.unwritable(error, cache_dir()) or f"{folder}: cannot be written ({error}).")


def _replace(folder: Path, entries: list[dict[str, Any]]) -> None:
    try:
        durable.replaced(folder / FILE, "".join(map(_line, entries)).encode())
    except OSError as error:
        raise disk(error, folder) from error


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(_finite(entry)) + "\n"


def _finite(value: Any) -> Any:
    """NaN and infinities as null: they are not JSON."""
    if isinstance(value, Mapping):
        return {name: _finite(inner) for name, inner in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _entry(line: bytes) -> dict[str, Any] | None:
    """A line as it was written: a step from 0, numbers, and numbers by name; None for anything else."""
    if not line or len(line) > LONGEST:
        return None
    try:
        entry = plain_json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict) or type(entry.get("step")) is not int or entry["step"] < 0:
        return None
    held_out = entry.get("held_out", {})
    values = [value for name, value in entry.items() if name != "held_out"]
    return entry if isinstance(held_out, dict) and all(map(_number, (*values, *held_out.values()))) else None


def _number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
