"""Checkpoints: everything from which a killed training goes on as if nothing had happened, written whole or not at all.

`checkpoint.pt` holds the trained weights, the optimiser's state, torch's dice and the step; `log.jsonl` beside it has
one line a step. Batches and the learning rate are functions of the step, so nothing else is needed.
"""

import io
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from backend import durable
from backend.errors import FlipsideError, UsageError
from backend.teach.training.log import disk
from backend.teach.training.log import read as read_log

__all__ = ["FILE", "Saved", "dice", "load", "read_log", "save", "set_dice", "sweep"]

FILE: Final = "checkpoint.pt"
#: What files and folders of a training are called while they are written.
_ASIDE: Final = re.compile(r"\.aside-\d+-(checkpoint\.pt|log\.jsonl|lesson\.json|adapter|merged)$")


@dataclass(frozen=True)
class Saved:
    """step: how many steps are done. parameters: name -> value. dice: torch's states of each process, the CPU's first.
    processes: how many there were."""

    step: int
    parameters: dict[str, torch.Tensor]
    optimiser: dict[str, Any]
    dice: list[torch.Tensor]
    processes: int = 1


def dice(device: torch.device | None = None) -> list[torch.Tensor]:
    """The states of torch's random generators: the CPU's, and those of all GPUs (of `device` alone)."""
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state(gpu) for gpu in _gpus(device))]


def set_dice(states: list[torch.Tensor], device: torch.device | None = None) -> None:
    """Put torch's random generators where they were; another number of GPUs leaves theirs alone."""
    torch.set_rng_state(states[0].cpu())
    gpus = _gpus(device)
    if len(states) == 1 + len(gpus):
        for gpu, state in zip(gpus, states[1:], strict=True):
            torch.cuda.set_rng_state(state.cpu(), gpu)


def _gpus(device: torch.device | None) -> list[torch.device]:
    if device is not None:
        return [device] if device.type == "cuda" else []
    return [torch.device("cuda", number) for number in range(torch.cuda.device_count())]


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
    except OSError as error:
        raise FlipsideError(f"{path}: cannot be read as a checkpoint ({error.strerror or error}).") from error
    except Exception as error:  # a damaged pickle can raise anything, in torch's own words
        raise FlipsideError(
            f"{path}: cannot be read as a checkpoint; it is damaged, cut short or something else. Put back a copy of "
            "it to go on, or take the folder away to begin anew."
        ) from error
    now = json.loads(json.dumps(training))
    if differs := _differs(was, now):
        raise UsageError(
            f"{folder} holds another training: {differs}. Go on with the same settings, or name a new folder."
        )
    return saved


def _differs(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What two trainings do not share, in the words of the options; "" for the same training."""
    names = [name for name in ("recipe", "plan", "trained", *sorted({*was, *now})) if was.get(name) != now.get(name)]
    if not names:
        return ""
    one, old, new = names[0], was.get(names[0]), now.get(names[0])
    if one in _TOLD:
        return _TOLD[one]
    if one == "trained":
        return f"it trains {_numbers(old)} numbers, asked for are {_numbers(new)} (--rank)"
    if isinstance(old, dict) and isinstance(new, dict):
        inner = next(key for key in ("name", *sorted({*old, *new})) if old.get(key) != new.get(key))
        one, old, new = f"{one}'s {inner}", old.get(inner), new.get(inner)
    return f"its {one} is {_short(old)}, asked for is {_short(new)}"


#: Of what is too long to be shown, or says nothing by itself.
_TOLD: Final = {
    "base": "its model has other weights",
    "batches": "its data differ, or --batch, --seed or --captions",
    "held_out": "it holds out other items",
}


def sweep(folder: Path) -> None:
    """Take away what a killed process has written aside. Only for whoever holds the folder's lock."""
    for path in folder.glob(".aside-*"):
        if _ASIDE.match(path.name):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _numbers(trained: Any) -> str:
    return f"{trained['numbers']:,}" if isinstance(trained, dict) and "numbers" in trained else "other"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 200 else text[:199] + "…"
