"""CLIP-like dual encoders of transformers: an image tower and a text tower, compared by cosine."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.items import Kind
from backend.models.base import Picture
from backend.models.dual.reading import Reading
from backend.models.hf import Pictures, architecture, load_module, pooled
from backend.models.pictures import decode, unique_by_identity
from backend.models.request import Request
from backend.models.torch_model import TorchModel, by_length
from backend.models.unit_rows import UnitRows


class HfDual(TorchModel):
    """`get_image_features` and `get_text_features` of the model, whose cosine its own `forward` gives as logits.

    Text batches are cut to their longest text, which is exact: a causal tower pools the closing token, and the
    bidirectional ones mask the padding. SigLIP's texts are padded to the full length, as it was trained.
    """

    family: ClassVar[str] = "dual-hf"
    processor: ClassVar[type[Pictures]] = Pictures
    kinds = frozenset({Kind.ITC, Kind.T2T})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, architecture(request), self.dtype, self.device)
        self.towers = self.find_towers()
        self.pictures = self.processor(request)
        self.texts = Reading(request, self.module.config)
        self.image_size = self.pictures.size

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def preparer(self) -> Callable[[Image.Image], NDArray[np.float32]] | None:
        return self.pictures.alone()

    def find_towers(self) -> Any:
        """The part of the module that holds both towers: CLIPSeg's segmentation model keeps its CLIP inside."""
        return getattr(self.module, "clip", self.module)

    def image_inputs(self, images: Sequence[Picture]) -> dict[str, torch.Tensor]:
        """What the image tower takes for a batch."""
        if self.device.type == "cuda" and all(isinstance(image, np.ndarray) for image in images):
            return {"pixel_values": self.on_device([torch.as_tensor(decode(image)) for image in images])}
        return self.pictures(images)

    def image_features(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Image embeddings before normalisation, (n, d)."""
        return pooled(self.towers.get_image_features(**inputs))

    def text_features(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Text embeddings before normalisation, (n, d)."""
        return pooled(self.towers.get_text_features(**inputs))

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        uniques, index = unique_by_identity(images)
        rows = UnitRows(len(uniques))

        def work(part: NDArray[np.int64]) -> None:
            inputs = self.image_inputs([uniques[i] for i in part])
            inputs = {k: v.to(self.device, self.dtype if v.is_floating_point() else None) for k, v in inputs.items()}
            rows.put(part, self.image_features(inputs))

        self.in_batches(np.arange(len(uniques)), work)
        return rows.array()[index] if len(images) else rows.array()

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        ids = self.texts.cut_ids(texts)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        rows = UnitRows(len(ids))

        def work(part: NDArray[np.int64]) -> None:
            inputs = {name: self.tensor(value) for name, value in self.texts.batch([ids[i] for i in part]).items()}
            rows.put(part, self.text_features(inputs))

        self.in_batches(by_length(lengths), work, np.maximum(lengths, self.texts.width))
        return rows.array()

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return self.texts.lengths(texts)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return self.texts.truncated(texts)

    def describe(self) -> dict[str, Any]:
        """`logit_scale` multiplies the cosine in the model's own logits; ALIGN divides by `temperature` instead."""
        about = super().describe()
        owners = (self.module, self.towers)
        scale, temperature = (
            next((value for owner in owners if (value := getattr(owner, name, None)) is not None), None)
            for name in ("logit_scale", "temperature")
        )
        if isinstance(scale, torch.Tensor):
            about["logit_scale"] = float(scale.detach().float().exp())
        elif isinstance(temperature, torch.Tensor):
            about["temperature"] = float(temperature.detach().float())
            about["logit_scale"] = 1 / about["temperature"]
        return about

    def preprocessing(self) -> dict[str, Any]:
        return {**super().preprocessing(), "images": self.pictures.settings(), "texts": self.texts.settings()}
