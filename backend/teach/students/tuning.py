"""What is trained: low-rank adapters in both encoders (SVLC paper, section 3.3), or all weights."""

import importlib
import importlib.util
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import torch
from PIL import Image
from torch import nn

from backend import extras
from backend.errors import FlipsideError, UsageError
from backend.teach.students import attention

if TYPE_CHECKING:
    from backend.teach.students.base import Student

#: The paper's rank (section 4.2).
RANK: Final = 4


@dataclass(frozen=True)
class Tuning:
    """rank: of the adapters, W* = W + A B (SVLC paper, Eq. 9) in every linear and every embedding layer of both towers
    (Eq. 7 to 11; convolutions count as linear, but those in groups), base weights and biases frozen; 0 trains all
    weights instead. embeddings: False leaves these out.
    """

    rank: int = RANK
    embeddings: bool = True

    def __post_init__(self) -> None:
        if self.rank < 0:
            raise UsageError(f"the adapters' rank {self.rank}: at least 1, or 0 for full fine-tuning.")

    @property
    def full(self) -> bool:
        return self.rank == 0


def attach(student: "Student[Any, Any]", tuning: Tuning, seed: int = 0) -> None:
    """Set free what is trained: adapters that change nothing yet, their random halves drawn from the seed, or all
    weights. UsageError for a model without weights that could learn (integers, a quantised one)."""
    module = student.module
    free = [p for p in module.parameters() if p.is_floating_point() and p.device.type != "meta"]
    if not free or any(type(p) is not nn.Parameter for p in free):
        raise UsageError(
            f"{student.model.spec} cannot be taught: its weights are frozen (quantised, or not in memory). Load the "
            "original weights in float32."
        )
    if tuning.full:
        module.requires_grad_(True)
        return
    peft = library()
    attention.opened(module)
    targets = [name for name in _called(student) if _takes(module, name, tuning)]
    if not targets:
        raise UsageError(f"{student.model.spec}: {type(module).__name__} has no layer that an adapter fits.")
    if tuning.rank > (widest := max(_sides(module.get_submodule(name)) for name in targets)):
        raise UsageError(
            f"adapters of rank {tuning.rank}: no layer of {student.model.spec} has a rank above {widest}. Take a lower "
            f"one (SVLC has {RANK}), or 0 for all weights."
        )
    # The paper adds A B as it is: alpha = rank makes peft's factor alpha / rank 1.
    config = peft.LoraConfig(r=tuning.rank, lora_alpha=tuning.rank, target_modules=targets, lora_dropout=0.0)
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # what peft asks transformers goes away in its version 6
        torch.manual_seed(seed)
        student.peft = peft.get_peft_model(module, config)


def _called(student: "Student[Any, Any]") -> list[str]:
    """The names of all modules that scores pass through as a call, in the module's order. Others (a decoder beside the
    towers, a projection whose weight is multiplied by hand) would carry an adapter that does nothing."""
    seen: set[torch.nn.Module] = set()
    module = student.module
    hooks = [part.register_forward_hook(lambda part, *_: seen.add(part)) for part in module.modules()]
    try:
        with student.judged():
            blank = Image.new("RGB", (64, 64))
            student.grid(student.see([blank]), student.read(["a"]))
    finally:
        for hook in hooks:
            hook.remove()
    return [name for name, part in module.named_modules() if part in seen]


def _takes(module: nn.Module, name: str, tuning: Tuning) -> bool:
    """Whether a layer of that name gets an adapter."""
    part = module.get_submodule(name)
    if type(module).__module__.startswith("open_clip") and name.endswith("text_projection"):
        return False  # it asks whether this is an nn.Linear, which an adapter is not, and takes it for a matrix else
    if isinstance(part, nn.Conv2d):
        return part.groups == 1
    return isinstance(part, nn.Linear) or (tuning.embeddings and isinstance(part, nn.Embedding))


def _sides(part: nn.Module) -> int:
    """The shorter side of a layer's matrix, which its rank cannot exceed."""
    weight: torch.Tensor = part.weight  # type: ignore[assignment]
    return min(len(weight), weight[0].numel())


def library() -> Any:
    """peft, imported when it is needed. FlipsideError where it is not installed."""
    if not importlib.util.find_spec("peft"):
        raise FlipsideError(
            "Teaching by adapters needs the package peft, which is not installed here; install it with "
            f"{extras.install('teach')}, or train all weights (rank 0)."
        )
    return importlib.import_module("peft")
