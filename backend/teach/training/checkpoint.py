"""Checkpoints: everything from which a killed training goes on as if nothing had happened, written whole or not at all.

`checkpoint.pt` holds the trained weights, the optimiser's state, torch's dice and the step; `log.jsonl` beside it has
one line a step. Batches and the learning rate are functions of the step, so nothing else is needed.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from backend import durable
from backend.errors import FlipsideError, UsageError

FILE: Final = "checkpoint.pt"
LOG: Final = "log.jsonl"


@dataclass(frozen=True)
class Saved:
    """step: how many steps are done. parameters: name -> value. dice: torch's states, the CPU's first."""

    step: int
    parameters: dict[str, torch.Tensor]
    optimiser: dict[str, Any]
    dice: list[torch.Tensor]


def dice() -> list[torch.Tensor]:
    """The states of torch's random generators."""
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [])]


def set_dice(states: list[torch.Tensor]) -> None:
    """Put torch's random generators where they were; another number of GPUs leaves theirs alone."""
    torch.set_rng_state(states[0].cpu())
    if torch.cuda.is_available() and len(states) == 1 + torch.cuda.device_count():
        torch.cuda.set_rng_state_all([state.cpu() for state in states[1:]])


def save(folder: Path, saved: Saved, training: Mapping[str, Any]) -> None:
    """Write the checkpoint in place of the last one. training: what it is a checkpoint of, as JSON. FlipsideError where
    the disk does not take it; then the last one is as it was."""
    out = io.BytesIO()
    torch.save({**vars(saved), "training": json.dumps(training, sort_keys=True)}, out)
    try:
        durable.replaced(folder / FILE, out.getvalue())
    except OSError as error:
        raise disk(error, folder) from error


def load(folder: Path, training: Mapping[str, Any], device: torch.device) -> Saved | None:
    """The checkpoint in a folder, None where there is none. UsageError where it is one of another training, naming what
    differs; FlipsideError for a damaged file."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        found = torch.load(path, map_location=device, weights_only=True)
        was = json.loads(found.pop("training"))
        saved = Saved(**found)
    except Exception as error:  # a damaged pickle can raise anything
        line = (str(error).splitlines() or [type(error).__name__])[0]
        raise FlipsideError(
            f"{path}: cannot be read as a checkpoint ({line}). Take the folder away to begin anew."
        ) from error
    now = json.loads(json.dumps(training))
    if differs := [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]:
        one = differs[0]
        raise UsageError(
            f"{folder} holds another training: its {one} is {_short(was.get(one))}, asked for is "
            f"{_short(now.get(one))}. Go on with the same settings, or name a new folder."
        )
    return saved


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 200 else text[:199] + "…"


def read_log(folder: Path, up_to: int | None = None) -> list[dict[str, Any]]:
    """The log's lines in order, of the steps 1 to `up_to`; one that was cut short by a kill is left out."""
    path = folder / LOG
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and (up_to is None or entry.get("step", 0) <= up_to):
            found.append(entry)
    return found


def cut_log(folder: Path, step: int) -> None:
    """Take out the lines of steps that the checkpoint has not: they are going to be done again."""
    kept = read_log(folder, step)
    try:
        durable.replaced(folder / LOG, "".join(json.dumps(entry) + "\n" for entry in kept).encode())
    except OSError as error:
        raise disk(error, folder) from error


def write_log(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a line."""
    try:
        with (folder / LOG).open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry) + "\n")
    except OSError as error:
        raise disk(error, folder) from error


def disk(error: OSError, folder: Path) -> FlipsideError:
    """What a disk that takes no more is told as."""
    return FlipsideError(durable.unwritable(error, folder) or f"{folder}: cannot be written ({error}).")
