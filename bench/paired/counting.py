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

#: Pixels of the small pictures.
SIDE = (96, 72)


@dataclass(frozen=True)
class Count:
    """flops: floating-point operations. passes: of towers, whatever the size of their batch."""

    flops: float
    passes: float

    def __sub__(self, other: "Count") -> "Count":
        return Count(self.flops - other.flops, self.passes - other.passes)


@dataclass(frozen=True)
class Counted:
    """One comparison. loop: of all steps. run: without what belongs to a run of any size (the batches' measurement)."""

    loop: Count
    bound: Count
    run: Count

    @property
    def ratio(self) -> float:
        """How many times the operations of `run` the loop needs."""
        return self.loop.flops / self.run.flops

    @property
    def share(self) -> float:
        """The part of `run`'s operations that the bound needs, too."""
        return self.bound.flops / self.run.flops


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
    case.inputs(_new(folder / "least"), case.least, SIDE)
    loop = counted(model.model, lambda: side.loop(case, model, items, case.units(items)))
    bound = counted(model.model, lambda: side.bound(case, model, items))
    found = [_run(case, spec, folder / part, folder / f"cache-{part}") for part in ("all", "least")]
    inside = case.units(case.inputs(_new(folder / "again"), case.least, SIDE)) / case.units(items)
    scale = 1 / (1 - inside)
    beyond = found[0] - found[1]
    return Counted(loop, bound, Count(beyond.flops * scale, found[0].passes))


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
