"""The steps of a training: the same for every recipe, exactly continued after a kill."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from backend.errors import FlipsideError, UsageError
from backend.items import Item
from backend.models.torch_model import out_of_memory
from backend.teach.pairs.batches import Batches
from backend.teach.students.base import Student
from backend.teach.training import checkpoint, judging
from backend.teach.training.objective import objective
from backend.teach.training.optimiser import adamw, schedule
from backend.teach.training.recipes import Recipe


@dataclass(frozen=True)
class Plan:
    """How a training goes. learning_rate: ours, for some hundred steps (SVLC takes 5e-6 over five epochs of three
    million pairs). warm_up: steps. clip: the gradient's largest norm. checkpoint_every, judge_every: steps; 0 judges at
    the beginning and the end alone. mixed: towers in bfloat16. seed: of dropout."""

    steps: int
    learning_rate: float = 1e-4
    warm_up: int = 20
    weight_decay: float = 0.05
    clip: float = 1.0
    checkpoint_every: int = 50
    judge_every: int = 0
    mixed: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """UsageError for what no training can do."""
        if self.steps < 1 or self.checkpoint_every < 1 or self.judge_every < 0:
            raise UsageError(f"{self.steps} steps, a checkpoint every {self.checkpoint_every}: both at least 1.")
        if not 0 < self.learning_rate < math.inf:
            raise UsageError(f"the learning rate {self.learning_rate} must be a number above 0.")


class Training:
    """One model, one recipe, one folder. `run` does the steps that the folder's checkpoint has not."""

    def __init__(
        self,
        student: Student[Any, Any],
        batches: Batches,
        recipe: Recipe,
        plan: Plan,
        folder: Path,
        held_out: Sequence[Item] = (),
    ) -> None:
        if held_out:
            judging.refuse(held_out)
        self.student, self.batches, self.recipe, self.plan = student, batches, recipe, plan
        self.folder, self.held_out = folder, list(held_out)

    def document(self) -> dict[str, Any]:
        """What decides every number of this training, as JSON: a checkpoint of another one is not gone on with."""
        named = {name: list(value.shape) for name, value in self.student.parameters().items()}
        return {
            "base": self.student.model.weights_sha256(),
            "recipe": self.recipe.document(),
            "plan": asdict(self.plan),
            "batches": self.batches.digest(),
            "trained": {"parameters": len(named), "numbers": sum(math.prod(shape) for shape in named.values())},
            "held_out": [item.item_id for item in self.held_out],
        }

    def run(self, stop_after: int | None = None, see: Callable[[dict[str, Any]], object] = lambda _: None) -> int:
        """The steps up to the plan's last (or up to `stop_after` in all, under the schedule of the whole); how many are
        done in all. see: called with each line of the log.

        FlipsideError where a loss is no number, the disk is full or the memory too small; the last checkpoint stays.
        """
        devices = list(range(torch.cuda.device_count())) if self.student.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            return self._run(min(self.plan.steps, stop_after or self.plan.steps), see)

    def _run(self, until: int, see: Callable[[dict[str, Any]], object]) -> int:
        training = self.document()
        optimiser = adamw(self.student.parameters().values(), self.plan.learning_rate, self.plan.weight_decay)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise checkpoint.disk(error, self.folder) from error
        first = self._resume(training, optimiser)
        self.student.mixed = self.plan.mixed
        self.student.begin()
        for step in range(first, until):
            entry = {"step": step + 1, **self._step(step, optimiser)}
            if step + 1 == self.plan.steps or (self.plan.judge_every and (step + 1) % self.plan.judge_every == 0):
                entry |= self._judged()
            checkpoint.write_log(self.folder, entry)
            see(entry)
            if (step + 1) % self.plan.checkpoint_every == 0 or step + 1 == until:
                self._save(step + 1, training, optimiser)
        return max(first, until)

    def _resume(self, training: dict[str, Any], optimiser: Any) -> int:
        """Put everything where the checkpoint has it; the steps that are done. Without one: step 0, judged."""
        saved = checkpoint.load(self.folder, training, self.student.device)
        if saved is None:
            torch.manual_seed(self.plan.seed)
            checkpoint.cut_log(self.folder, -1)
            if self.held_out:
                checkpoint.write_log(self.folder, {"step": 0, **self._judged()})
            self._save(0, training, optimiser)
            return 0
        with torch.no_grad():
            for name, value in self.student.parameters().items():
                value.copy_(saved.parameters[name])
        optimiser.load_state_dict(saved.optimiser)
        checkpoint.set_dice(saved.dice)
        checkpoint.cut_log(self.folder, saved.step)
        return saved.step

    def _step(self, step: int, optimiser: Any) -> dict[str, Any]:
        """One step; what the log says of it. FlipsideError before the weights have seen anything that is no number."""
        began = time.perf_counter()
        rate = self.plan.learning_rate * schedule(step, self.plan.steps, self.plan.warm_up)
        for group in optimiser.param_groups:
            group["lr"] = rate
        try:
            found = objective(self.student, self.batches[step], self.recipe)
            optimiser.zero_grad(set_to_none=True)
            found.total.backward()  # type: ignore[no-untyped-call]
            norm = float(torch.nn.utils.clip_grad_norm_(self.student.parameters().values(), self.plan.clip))
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            raise FlipsideError(
                f"{self._place(step)}: the memory of {self.student.device} does not hold a batch of "
                f"{self.batches.size}. Lower --batch. {self._intact()}"
            ) from error
        told = found.told()
        if not (math.isfinite(told["loss"] or 0.0) and math.isfinite(norm)):
            terms = ", ".join(f"{name} {value.item():.4g}" for name, value in found.terms.items())
            raise FlipsideError(
                f"{self._place(step)}: the loss or its gradient is no number ({terms}; gradient {norm:.4g}). Begin "
                "anew in another folder, with a lower learning rate or without mixed precision. "
                f"{self._intact()}"
            )
        optimiser.step()
        self.student.stepped()
        return {**told, "gradient": norm, "learning_rate": rate, "seconds": time.perf_counter() - began}

    def _judged(self) -> dict[str, Any]:
        return {"held_out": judging.judge(self.student, self.held_out)} if self.held_out else {}

    def _save(self, step: int, training: dict[str, Any], optimiser: Any) -> None:
        kept = {name: value.detach() for name, value in self.student.parameters().items()}
        checkpoint.save(self.folder, checkpoint.Saved(step, kept, optimiser.state_dict(), checkpoint.dice()), training)

    def _place(self, step: int) -> str:
        return f"{self.student.model.spec}, recipe {self.recipe.name}, step {step + 1}"

    def _intact(self) -> str:
        return f"The last checkpoint is intact in {self.folder}."
