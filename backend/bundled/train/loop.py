"""The training loop under every recipe: AdamW, warm-up and cosine, bfloat16 autocast, checkpoints, a log."""

import json
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from backend.paths import cache_dir
from backend.teach.training.optimiser import adamw, schedule

CHECKPOINT_EVERY = 100
WARM_UP = 100
DECAY = 0.05


@dataclass(frozen=True)
class Stage:
    """One stretch of training.

    make_batch(rng) prepares a batch on the CPU (it runs one step ahead in a thread); loss(model, batch) is a scalar.
    snapshots: {step: name}: the model as it is after that many steps is saved as a model of its own.
    """

    name: str
    steps: int
    make_batch: Callable[[np.random.Generator], Any]
    loss: Callable[[Any, Any], Any]
    learning_rate: float = 1e-3
    snapshots: dict[int, str] = field(default_factory=dict)


@dataclass
class Log:
    """One JSON line every 20 steps and one a stage, in `<cache>/train/<recipe>/log.jsonl`."""

    path: Path

    def write(self, **entry: Any) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as lines:
            lines.write(json.dumps(entry) + "\n")
        print(" ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in entry.items()), flush=True)


@dataclass
class Progress:
    """Where a training stands: stage, steps done in it, seconds spent so far in all stages."""

    stage: int = 0
    step: int = 0
    seconds: float = 0.0


def train(
    recipe: str,
    model: Any,
    stages: list[Stage],
    save: Callable[[Any, str, dict[str, Any]], None],
    seed: int = 0,
    stop_after: int | None = None,
) -> dict[str, Any]:
    """Run the stages, resuming from the last checkpoint; returns a summary {steps, seconds, stages, final loss}.

    save(model, name, summary) is called for each snapshot. A finished training is not repeated. stop_after: end after
    so many steps in all, under the schedule of the whole.
    """
    import torch

    folder = cache_dir() / "train" / recipe
    log = Log(folder / "log.jsonl")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    done = Progress()
    state: dict[str, Any] | None = None
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        done = Progress(**state["progress"])
        log.write(event="resumed", recipe=recipe, stage=done.stage, step=done.step)
    smooth = 0.0
    for number, stage in enumerate(stages):
        if number < done.stage:
            continue
        optimiser = adamw(model.parameters(), stage.learning_rate, DECAY)
        first = done.step if number == done.stage else 0
        if state is not None and number == done.stage and first:
            optimiser.load_state_dict(state["optimiser"])
        torch.manual_seed(seed)
        with ThreadPoolExecutor(1) as ahead:
            upcoming: Future[Any] = ahead.submit(stage.make_batch, _rng(seed, number, first))
            for step in range(first, stage.steps):
                began = time.perf_counter()
                batch = upcoming.result()
                if step + 1 < stage.steps:
                    upcoming = ahead.submit(stage.make_batch, _rng(seed, number, step + 1))
                for group in optimiser.param_groups:
                    group["lr"] = stage.learning_rate * schedule(step, stage.steps, WARM_UP)
                with torch.autocast(device.type, dtype=torch.bfloat16):
                    loss = stage.loss(model, batch)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimiser.step()
                value = float(loss.detach())
                smooth = value if not smooth else 0.95 * smooth + 0.05 * value
                done = Progress(number, step + 1, done.seconds + time.perf_counter() - began)
                if (step + 1) % 20 == 0:
                    log.write(stage=stage.name, step=step + 1, loss=smooth, seconds=done.seconds)
                if step + 1 in stage.snapshots:
                    save(model, stage.snapshots[step + 1], _summary(stages, done, smooth))
                if (step + 1) % CHECKPOINT_EVERY == 0 or step + 1 == stage.steps:
                    _store(checkpoint, model, optimiser, done)
                if _summary(stages, done, smooth)["steps"] == stop_after:
                    upcoming.cancel()
                    return _summary(stages, done, smooth)
        done = Progress(number + 1, 0, done.seconds)
        _store(checkpoint, model, optimiser, done)
        state = None
    return _summary(stages, done, smooth)


def _rng(seed: int, stage: int, step: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, stage, step]))


def _store(path: Path, model: Any, optimiser: Any, done: Progress) -> None:
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".tmp")
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "progress": asdict(done)}, aside)
    aside.replace(path)


def _summary(stages: list[Stage], done: Progress, loss: float) -> dict[str, Any]:
    steps = sum(s.steps for s in stages[: done.stage]) + done.step
    return {"steps": steps, "seconds": round(done.seconds), "loss": round(loss, 4)}
