"""The same comparisons without a clock: floating-point operations and forward passes, counted in one process on small
models. They are the same on every machine, so a test can hold `run` to them (tests/bench/paired/test_counting.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from bench.paired import made, side
from bench.paired.cases import Case, Size

#: Steps of the loop that are counted; the others cost the same, but for the lengths of their texts.
STEPS = 6
#: Pixels of the small pictures.
SIDE = (96, 72)


@dataclass(frozen=True)
class Count:
    """flops: floating-point operations. passes: of towers, whatever the size of their batch."""

    flops: float
    passes: float


@dataclass(frozen=True)
class Counted:
    """One comparison. loop: of all steps, from STEPS of them. least: of the bound and of `run` on the least inputs, by
    which what belongs to a run of any size, the measurement of its batches, is told from its work."""

    loop: Count
    bound: Count
    run: Count
    least: tuple[Count, Count]

    @property
    def share(self) -> float:
        """The part of `run`'s operations that the bound needs, too."""
        return (self.bound.flops - self.least[0].flops) / (self.run.flops - self.least[1].flops)

    @property
    def passes(self) -> float:
        """How many passes of towers `run` takes for its work."""
        return self.run.passes - self.least[1].passes

    @property
    def ratio(self) -> float:
        """How many times the operations of `run` the loop needs."""
        return self.loop.flops / self.bound.flops * self.share


def model_for(case: Case, folder: Path) -> str:
    """A small model of the case's class; what `side.load` takes."""
    if case.model == "clip":
        made.openclip_small(folder)
    else:
        kinds = {"matcher": "BlipForImageTextRetrieval", "captioner": "BlipForConditionalGeneration"}
        made.blip(folder, kinds[case.model], made.SMALL)
    return str(folder)


def count(case: Case, size: Size, folder: Path) -> Counted:
    """Score inputs of a size by the loop, by the bare forward pass and by `run`; folder: an empty one."""
    spec = model_for(case, folder / "model")
    model = side.load(case, spec)
    items = case.inputs(_new(folder / "all"), size, SIDE)
    few = case.inputs(_new(folder / "least"), case.least, SIDE)
    loop = counted(model.model, lambda: side.loop(case, model, items, STEPS))
    loop = Count(*(value * case.units(items) / STEPS for value in (loop.flops, loop.passes)))
    bound, least = (counted(model.model, lambda n=n: side.bound(case, model, n)) for n in (items, few))  # type: ignore[misc]
    run, of_few = (_run(case, spec, folder / part, folder / f"cache-{part}") for part in ("all", "least"))
    return Counted(loop, bound, run, (least, of_few))


def _new(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def counted(module: torch.nn.Module, work: Callable[[], Any]) -> Count:
    """What a call costs the module. torch's fused attention is switched off, for nobody can count inside of it."""
    passes = 0

    def one_more(*_: Any) -> None:
        nonlocal passes
        passes += 1

    before = torch.backends.mha.get_fastpath_enabled()
    hooks = [tower.register_forward_hook(one_more) for tower in towers(module)]
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with FlopCounterMode(display=False) as counter:
            work()
    finally:
        torch.backends.mha.set_fastpath_enabled(before)
        for hook in hooks:
            hook.remove()
    return Count(float(counter.get_total_flops()), passes)


def towers(module: torch.nn.Module) -> list[torch.nn.Module]:
    """The parts that are passed as a whole: of CLIP both transformers, of BLIP the vision tower and the text's."""
    names = ("visual", "transformer", "vision_model", "text_encoder", "text_decoder")
    return [part for name in names if (part := getattr(module, name, None)) is not None]


def _run(case: Case, spec: str, data: Path, root: Path) -> Count:
    """`run` in this process, with the same module."""
    from backend.benchmarks import load_benchmark
    from backend.engine.runner import run
    from backend.models import load

    model = load(f"hf:{spec}", "cpu", "float32")
    benchmark = load_benchmark(case.benchmark, data)

    def work() -> None:
        summary = run(model, benchmark, [case.kind], root=root, counterfactual=case.others)
        if summary.failed or summary.unreadable:
            raise RuntimeError(f"{case.name}: {summary.failed or summary.unreadable}")

    return counted(model.module, work)
