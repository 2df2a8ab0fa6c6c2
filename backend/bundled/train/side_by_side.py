"""All recipes, two at a time, each in a process of its own, as soon as what they start from is trained."""

import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend.bundled.train import folder
from backend.bundled.train.recipes import RECIPES
from backend.errors import FlipsideError
from backend.paths import ROOT, cache_dir


def times_path() -> Path:
    """One JSON line a recipe that was started or has ended, of every attempt."""
    return cache_dir() / "train" / "times.jsonl"


def run(at_once: int, options: list[str]) -> None:
    """Train what is not trained yet. FlipsideError where a recipe fails; a later call goes on from its checkpoint."""
    waiting = [name for name, recipe in RECIPES.items() if not all(map(_is_trained, recipe.makes))]
    running: dict[str, tuple[subprocess.Popen[bytes], float]] = {}
    _note(event="began", recipes=waiting, at_once=at_once, options=" ".join(options))
    try:
        while waiting or running:
            for name in [n for n in waiting if not RECIPES[n].needs or _is_trained(RECIPES[n].needs)]:
                if len(running) < at_once:
                    waiting.remove(name)
                    running[name] = (_started(name, options), time.monotonic())
                    _note(event="started", recipe=name)
            time.sleep(1)
            for name, (process, since) in list(running.items()):
                if process.poll() is None:
                    continue
                del running[name]
                _note(event="ended", recipe=name, status=process.returncode, seconds=round(time.monotonic() - since))
                if process.returncode:
                    raise FlipsideError(f"The recipe {name} ended with status {process.returncode}; see its output.")
    finally:
        for process, _ in running.values():
            process.terminate()
            process.wait()
    _note(event="all trained")


def _is_trained(model: str) -> bool:
    return (folder.model_folder(model) / "card.json").exists()


def _started(name: str, options: list[str]) -> subprocess.Popen[bytes]:
    # A session of its own: Linux shares cores among sessions first (autogroup), and each recipe should have its own.
    command = [sys.executable, "-m", "backend.bundled.train", name, *options]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True)


def _note(**entry: Any) -> None:
    path = times_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="seconds"), **entry})
    with path.open("a", encoding="utf-8") as lines:
        lines.write(line + "\n")
    print(line, flush=True)
