"""Runs whose records say how their models were taught, as `run` writes it (backend/models/taught.py)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backend.items import Item
from tests.store.writer import write_run

BASE, PLAIN, TAUGHT = "fake:base", "fake:plain", "fake:taught"
FRESH = [{"world": 9600}]


def say(folder: Path, taught: Any, **more: Any) -> Path:
    """Write into a run's record how its model was taught; more: other entries of the record."""
    path = folder / "run.json"
    record = json.loads(path.read_text())
    record["model"]["taught"] = taught
    path.write_text(json.dumps(record | more))
    return folder


def taught(
    base: str = BASE, recipe: str = "eqsim", step: int = 300, trained_on: Sequence[Any] | None = None
) -> dict[str, Any]:
    """What a record says."""
    return {"base": base, "recipe": recipe, "step": step, "trained_on": FRESH if trained_on is None else trained_on}


def write(root: Path, items: Sequence[Item], name: str = "toy", parts: Sequence[str] = ("itc", "t2t")) -> None:
    """A base, a plain training of it, and one by a method: equal steps and data; the method's is a series."""
    write_run(root, items, "a" * 16, parts, model=BASE, skill=0.3, seed=1, name=name)
    say(write_run(root, items, "b" * 16, parts, model=PLAIN, skill=0.9, seed=2, name=name), taught(recipe="baseline"))
    made = write_run(root, items, "c" * 16, parts, model=TAUGHT, skill=1.6, seed=3, name=name)
    say(made, taught(), series={"mine": 300})
