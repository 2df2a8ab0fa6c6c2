"""What a reference answers: the same questions as an adapter, for a single image and a single text."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model


class Reference:
    """One loaded model, asked through the library's documented call.

    model: the adapter that is held against it; only its `module`, `folder`, `device` and `dtype` are used.
    module: another copy of the weights to ask instead of the adapter's own.

    Images come as upright RGB pictures. A question that the model has no answer to raises NotImplementedError.
    """

    def __init__(self, model: Model, module: Any = None) -> None:
        self.module: Any = model.module if module is None else module
        self.folder: Path = getattr(model, "folder", None) or Path()
        self.device: torch.device = getattr(model, "device", torch.device("cpu"))
        self.trusted: bool = getattr(model, "trusted", False)
        self.dtype: torch.dtype = getattr(model, "dtype", torch.float32)

    def image(self, image: Image.Image) -> NDArray[np.float32]:
        """The L2-normalised image embedding, (d,)."""
        raise NotImplementedError

    def text(self, text: str) -> NDArray[np.float32]:
        """The L2-normalised text embedding, (d,)."""
        raise NotImplementedError

    def cosine(self, image: Image.Image, text: str) -> float:
        """The cosine of a pair, from a model without an image vector of its own."""
        raise NotImplementedError

    def itm(self, image: Image.Image, text: str) -> float:
        """Log-odds of "match"."""
        raise NotImplementedError

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        """log P of each scored token given the image, (n_tokens,)."""
        raise NotImplementedError

    def blind(self, text: str) -> NDArray[np.float32]:
        """log P of each scored token without any image, (n_tokens,)."""
        raise NotImplementedError

    def vqa(self, image: Image.Image, text: str) -> float:
        """Log-odds of "Yes"."""
        raise NotImplementedError

    def inputs(self, batch: Any) -> dict[str, Any]:
        """What a tokenizer or processor gave, on the module's device, pixels in its dtype."""
        moved = {name: value.to(self.device) for name, value in batch.items() if isinstance(value, torch.Tensor)}
        return {n: v.to(self.dtype) if v.is_floating_point() else v for n, v in moved.items()}


def unit(vector: torch.Tensor) -> NDArray[np.float32]:
    """The single row of a (1, d) tensor, of length one."""
    row = vector.reshape(-1).double().cpu().numpy()
    with np.errstate(invalid="ignore"):  # NaN stays NaN, which is what is looked for
        return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


def token_logprobs(logits: torch.Tensor, targets: torch.Tensor) -> NDArray[np.float32]:
    """log-softmax of (n, vocabulary) logits at the n target ids, worked out in float64."""
    table = torch.log_softmax(logits.double(), dim=-1)
    return np.asarray(table[torch.arange(len(targets)), targets.to(table.device)].cpu().numpy(), dtype=np.float32)
