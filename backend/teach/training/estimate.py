"""What a training is going to need, before it begins: measured on its own first batch."""

import resource
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from backend.teach.training import judging as judging_
from backend.teach.training.objective import objective
from backend.teach.training.steps import Training

#: Bytes of a float32 number; AdamW keeps two more beside each that is trained.
_FLOAT, _MOMENTS = 4, 2


@dataclass(frozen=True)
class Estimate:
    """numbers: trained. seconds: of all steps, without judging and saving; judging: seconds of judging all held-out
    items once, from the first few of them. memory: bytes on the device at the peak of a
    step (of this process, on a CPU), with the optimiser's. disk: bytes of checkpoint, adapter and merged folder, of
    which the checkpoint stands twice while it is written; free: bytes that the disk has left."""

    numbers: int
    seconds: float
    memory: int
    disk: int
    free: int
    judging: float = 0.0

    @property
    def fits(self) -> bool:
        return self.disk <= self.free


def estimate(training: Training) -> Estimate:
    """Two steps forth and back on the first batch, of which the second is timed, and a few held-out items judged. No
    weight moves, and torch's dice are put back."""
    student = training.student
    trained = sum(value.numel() for value in student.parameters().values())
    whole = sum(value.numel() for value in student.module.parameters())
    cuda = student.device.type == "cuda"
    seconds = 0.0
    student.mixed = training.plan.mixed
    with torch.random.fork_rng(devices=list(range(torch.cuda.device_count())) if cuda else []):
        student.begin()
        for _ in range(2):
            began = time.perf_counter()
            objective(student, training.batches[0], training.recipe).total.backward()  # type: ignore[no-untyped-call]
            if cuda:
                torch.cuda.synchronize()
            seconds = time.perf_counter() - began
            for value in student.parameters().values():
                value.grad = None
        judging = _judging(training)
    peak = torch.cuda.max_memory_allocated() if cuda else _largest()
    checkpoint = (1 + _MOMENTS) * _FLOAT * trained
    saved = _FLOAT * (whole + (trained if student.peft is not None else 0))
    return Estimate(
        trained, seconds * training.plan.steps, peak + _MOMENTS * _FLOAT * trained, 2 * checkpoint + saved,
        shutil.disk_usage(_there(training.folder)).free, judging,
    )  # fmt: skip


def _judging(training: Training) -> float:
    """Seconds of judging all held-out items once, by the first AT_ONCE of them."""
    few = training.held_out[: judging_.AT_ONCE]
    if not few:
        return 0.0
    began = time.perf_counter()
    judging_.judge(training.student, few)
    return (time.perf_counter() - began) * len(training.held_out) / len(few)


def _largest() -> int:
    """Bytes that this process has held at most; macOS counts bytes, Linux kilobytes."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held if sys.platform == "darwin" else held * 1024


def _there(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
