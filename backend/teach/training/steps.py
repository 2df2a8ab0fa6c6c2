"""The steps of a training: the same for every recipe, exactly continued after a kill."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from backend.engine.interrupt import STOPPED, batch_by_batch, uninterrupted
from backend.errors import FlipsideError, UsageError
from backend.items import Item
from backend.models.torch_model import out_of_memory
from backend.teach.pairs.batches import Batches
from backend.teach.students.base import Student
from backend.teach.training import checkpoint, judging, log
from backend.teach.training.objective import objective
from backend.teach.training.optimiser import adamw, schedule
from backend.teach.training.recipes import Recipe

#: Steps of one training, at most.
MOST = 10_000_000


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
        if not 1 <= self.steps <= MOST or self.checkpoint_every < 1 or self.judge_every < 0:
            raise UsageError(
                f"{self.steps} steps, a checkpoint every {self.checkpoint_every}, judged every {self.judge_every}: "
                f"steps go from 1 to {MOST:,}, checkpoints from 1, judging from 0 (at the beginning and the end)."
            )
        if not 0 < self.learning_rate < math.inf:
            raise UsageError(f"the learning rate {self.learning_rate} must be a number above 0.")


class StoppedError(FlipsideError):
    """A training was asked to stop, and has, with a checkpoint of its last step. Exit code 130, as of every verb."""

    exit_code = STOPPED


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
        self.folder, self.held_out, self.team = folder, list(held_out), student.team

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

    def run(
        self,
        stop_after: int | None = None,
        see: Callable[[dict[str, Any]], object] = lambda _: None,
        begun: Callable[[int], object] = lambda _: None,
    ) -> int:
        """The steps up to the plan's last (or up to `stop_after` in all, under the schedule of the whole); how many are
        done in all. see: called with each line of the log. begun: with how many steps the folder has, once that is
        known and the folder is one of this training, before anything is written.

        FlipsideError where a loss is no number, the disk is full or the memory too small; the last checkpoint stays.
        StoppedError after Ctrl-C or SIGTERM: the step that is at work is finished and saved.
        """
        devices = list(range(torch.cuda.device_count())) if self.student.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices), batch_by_batch() as asked:
            until = min(self.plan.steps, stop_after or self.plan.steps)
            return self._run(until, see, begun, lambda: self.team.agreed(asked()))

    def _run(
        self,
        until: int,
        see: Callable[[dict[str, Any]], object],
        begun: Callable[[int], object],
        asked: Callable[[], bool],
    ) -> int:
        training = self.document()
        optimiser = adamw(self.student.parameters().values(), self.plan.learning_rate, self.plan.weight_decay)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise log.disk(error, self.folder) from error
        first = self._resume(training, optimiser, begun, asked)
        self.student.mixed = self.plan.mixed
        self.student.begin()
        for step in range(first, until):
            entry = {"step": step + 1, **self._step(step, optimiser)}
            left = False
            if self._due(step + 1):
                try:
                    entry |= self._judged(asked)
                except judging.LeftError:
                    left = True  # the step is kept, and judged by whoever goes on from it
            if self.team.first:
                log.write(self.folder, entry)
                see(entry)
            stop = left or (asked() and step + 1 < until)
            if stop or (step + 1) % self.plan.checkpoint_every == 0 or step + 1 == until:
                with uninterrupted():
                    self._save(step + 1, training, optimiser)
            if stop:
                raise self._stopped(step + 1)
        return max(first, until)

    def _due(self, step: int) -> bool:
        """Whether held-out items are judged after so many steps."""
        every = self.plan.judge_every
        return bool(self.held_out) and (step in (0, self.plan.steps) or bool(every and step % every == 0))

    def _stopped(self, step: int) -> StoppedError:
        return StoppedError(
            f"{self.folder}: stopped after step {step} of {self.plan.steps}, which its checkpoint has. The same "
            "command goes on from there, as if nothing had happened."
        )

    def _resume(
        self, training: dict[str, Any], optimiser: Any, begun: Callable[[int], object], asked: Callable[[], bool]
    ) -> int:
        """Put everything where the checkpoint has it; the steps that are done, judged. Without one: step 0."""
        saved = checkpoint.load(self.folder, training, self.student.device)
        self.team.wait()  # nobody writes before all have read
        if self.team.first:
            begun(saved.step if saved else 0)
            checkpoint.sweep(self.folder)
            log.cut(self.folder, saved.step if saved else -1)
        if saved is None:
            torch.manual_seed(self.plan.seed + self.team.rank)
            self._save(0, training, optimiser)
        else:
            with torch.no_grad():
                for name, value in self.student.parameters().items():
                    value.copy_(saved.parameters[name])
            optimiser.load_state_dict(saved.optimiser)
            self._set_dice(saved)
        step = saved.step if saved else 0
        if self._due(step) and self.team.agreed(self.team.first and not log.is_judged(self.folder, step)):
            try:
                found = self._judged(asked)["held_out"]
            except judging.LeftError:
                raise self._stopped(step) from None
            if self.team.first:
                log.judged(self.folder, step, found)
        return step

    def _step(self, step: int, optimiser: Any) -> dict[str, Any]:
        """One step; what the log says of it. FlipsideError before the weights have seen anything that is no number."""
        began = time.perf_counter()
        rate = self.plan.learning_rate * schedule(step, self.plan.steps, self.plan.warm_up)
        for group in optimiser.param_groups:
            group["lr"] = rate
        try:
            found = objective(self.student, self.batches[step], self.recipe)
            optimiser.zero_grad(set_to_none=True)
            (found.total / self.team.size).backward()  # type: ignore[no-untyped-call]
            self.team.summed(self.student.parameters().values())
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

    def _judged(self, asked: Callable[[], bool]) -> dict[str, Any]:
        """LeftError where it has been asked to stop meanwhile."""
        return {"held_out": judging.judge(self.student, self.held_out, asked)}

    def _save(self, step: int, training: dict[str, Any], optimiser: Any) -> None:
        kept = {name: value.detach() for name, value in self.student.parameters().items()}
        dice = self.team.every(checkpoint.dice(self._own_device))
        if self.team.first:
            saved = checkpoint.Saved(step, kept, optimiser.state_dict(), dice, self.team.size)
            checkpoint.save(self.folder, saved, training)
        self.team.wait()  # nobody ends before it is written

    def _set_dice(self, saved: checkpoint.Saved) -> None:
        """Those of this process. By another number of processes dropout falls otherwise: others than the first begin
        anew."""
        rank = self.team.rank
        if saved.processes != self.team.size and rank:
            torch.manual_seed(self.plan.seed + rank)
            return
        each = len(saved.dice) // saved.processes
        checkpoint.set_dice(saved.dice[rank * each : (rank + 1) * each], self._own_device)

    @property
    def _own_device(self) -> torch.device | None:
        """The one device whose dice this process throws; None for all that there are."""
        return self.student.device if self.team.size > 1 else None

    def _place(self, step: int) -> str:
        return f"{self.student.model.spec}, recipe {self.recipe.name}, step {step + 1}"

    def _intact(self) -> str:
        return f"The last checkpoint is intact in {self.folder}."
