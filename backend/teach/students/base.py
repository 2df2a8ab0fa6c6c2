"""What training asks a model: the same scores that `run` stores, as tensors with gradients."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from backend.models.base import Picture
from backend.models.torch_model import TorchModel
from backend.teach.processes.team import ALONE, Team

Images = TypeVar("Images")
Texts = TypeVar("Texts")
#: A logit scale above 100 makes training unstable (CLIP, section 2.5).
_LARGEST_SCALE = 4.6052


class Scores(NamedTuple):
    """raw: cosine, or log-odds of a matching head, on which γ, c and r are measured. logits: what a softmax takes:
    logit scale x cosine (+ bias), or the same log-odds. Float32, of one shape."""

    raw: Tensor
    logits: Tensor


class Student(ABC, Generic[Images, Texts]):
    """A loaded model that learns. Images and Texts are what its towers make of a batch, with gradients."""

    #: Which stored kind its raw scores are: "itc" or "itm".
    kind: str
    #: Whether two texts can be compared (SVLC's first analogy loss).
    compares_texts: bool

    def __init__(self, model: Any) -> None:
        self.model: Any = model
        #: What carries the adapters, once there are any (`tuning`); None with all weights free.
        self.peft: Any = None
        #: Whether the towers compute in bfloat16; weights, and everything behind the towers, stay in float32.
        self.mixed = False
        #: With whom the rows of a batch are shared.
        self.team: Team = ALONE

    def precision(self) -> Any:
        """The context in which towers compute."""
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.mixed)

    @property
    def module(self) -> torch.nn.Module:
        """The torch module behind the model, adapters included."""
        found: torch.nn.Module = self.model.module
        return found

    @property
    def device(self) -> torch.device:
        model: TorchModel = self.model
        return model.device

    @abstractmethod
    def see(self, images: Sequence[Picture]) -> Images:
        """The image tower's answer to n images; an image that stands twice is computed twice."""

    @abstractmethod
    def read(self, texts: Sequence[str]) -> Texts:
        """The text tower's answer to m texts."""

    @abstractmethod
    def grid(self, images: Images, texts: Texts) -> Scores:
        """Every image with every text, (n, m)."""

    @abstractmethod
    def paired(self, images: Images, rows: Tensor, texts: Texts) -> Scores:
        """Image rows[k] with text k, (m,). rows: int (m,)."""

    def alike(self, texts: Texts, others: Texts) -> Tensor:
        """Logit scale x cosine of every text with every other one, (m, k). Only where `compares_texts`."""
        raise NotImplementedError(f"{type(self).__name__} compares no texts")

    def parameters(self) -> dict[str, torch.nn.Parameter]:
        """What is trained, by name: adapters, or all weights."""
        return {name: value for name, value in self.module.named_parameters() if value.requires_grad}

    def begin(self) -> None:
        """Training mode, but for layers that keep running averages (batch norm): these stay as they were trained, for
        an adapter does not hold them."""
        self.module.train()
        for part in self.module.modules():
            if hasattr(part, "running_mean"):
                part.eval()

    def stepped(self) -> None:
        """After an optimiser's step: the logit scale stays where training is stable."""
        scale = getattr(self.module, "logit_scale", None)
        if isinstance(scale, torch.nn.Parameter) and scale.requires_grad:
            with torch.no_grad():
                scale.clamp_(max=_LARGEST_SCALE)

    @contextmanager
    def judged(self) -> Iterator[None]:
        """Evaluation mode without gradients, and training mode again afterwards where that was before."""
        training = self.module.training
        self.module.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            if training:
                self.begin()
