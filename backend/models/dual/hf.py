"""CLIP-like dual encoders of transformers: an image tower and a text tower, compared by cosine."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from backend.items import Kind
from backend.models.base import Picture
from backend.models.hf import Pictures, Texts, architecture, load_module, pad, pooled
from backend.models.pictures import unique_by_identity
from backend.models.registry import Request
from backend.models.torch_model import TorchModel, by_length, normalised, stacked

#: Trained on texts padded to the full length, without a mask; the padding is part of what they read.
FULL_LENGTH = ("siglip", "siglip2")


class HfDual(TorchModel):
    """Text batches are cut to their longest text, which is exact: a causal tower pools the closing token, and the
    bidirectional ones mask the padding. SigLIP's texts are padded to the full length, as it was trained."""

    family: ClassVar[str] = "dual-hf"
    kinds = frozenset({Kind.ITC, Kind.T2T})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, architecture(request), self.dtype, self.device)
        self.pictures = Pictures(request)
        self.texts = Texts(request, self.module.config.text_config)
        self.image_size = self.pictures.size
        self.full_length = str(self.module.config.model_type) in FULL_LENGTH
        self.masked = "attention_mask" in self.texts.tokenizer.model_input_names  # SigLIP's tokenizers say: no mask

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        uniques, index = unique_by_identity(images)
        rows: list[NDArray[np.float32] | None] = [None] * len(uniques)

        def work(part: NDArray[np.int64]) -> None:
            inputs = self.pictures([uniques[i] for i in part])
            inputs = {k: v.to(self.device, self.dtype if v.is_floating_point() else None) for k, v in inputs.items()}
            for i, row in zip(part, normalised(pooled(self.module.get_image_features(**inputs))), strict=True):
                rows[i] = row

        self.in_batches(np.arange(len(uniques)), work)
        return stacked(rows)[index] if len(images) else stacked([])

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        ids = self.texts.cut_ids(texts)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        rows: list[NDArray[np.float32] | None] = [None] * len(ids)
        pad_id = self.texts.pad_id
        width = self.texts.limit if self.full_length else 0

        def work(part: NDArray[np.int64]) -> None:
            padded, mask = pad([ids[i] for i in part], pad_id, width)
            inputs = {"input_ids": self.tensor(padded)}
            if self.masked:
                inputs["attention_mask"] = self.tensor(mask)
            for i, row in zip(part, normalised(pooled(self.module.get_text_features(**inputs))), strict=True):
                rows[i] = row

        self.in_batches(by_length(lengths), work, np.maximum(lengths, width))
        return stacked(rows)

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return self.texts.lengths(texts)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return self.texts.truncated(texts)

    def preprocessing(self) -> dict[str, Any]:
        text = {"limit": self.texts.limit, "padding": "full length" if self.full_length else "longest, masked"}
        return {**super().preprocessing(), "images": self.pictures.settings(), "texts": text}
