"""BLIP's matching model: P(match) of an image and a text read together, and its two towers' cosine."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from backend.items import Kind
from backend.models.base import Picture, check_pairs
from backend.models.blip import BlipVision
from backend.models.hf import pad
from backend.models.pictures import unique_by_identity
from backend.models.request import Request
from backend.models.torch_model import by_length, normalised, stacked


class BlipMatcher(BlipVision):
    """The parts of BlipForImageTextRetrieval, called one by one, so that an image's patches are computed once for all
    its texts. Output 1 of the matching head is "match"; texts carry the tokenizer's own special tokens."""

    family: ClassVar[str] = "matcher"
    kinds = frozenset({Kind.ITM, Kind.ITC, Kind.T2T})

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        uniques, index = unique_by_identity(images)
        rows: list[NDArray[np.float32] | None] = [None] * len(uniques)

        def work(part: NDArray[np.int64]) -> None:
            patches = self.patches([uniques[i] for i in part])
            for i, row in zip(part, normalised(self.module.vision_proj(patches[:, 0])), strict=True):
                rows[i] = row

        self.in_batches(np.arange(len(uniques)), work, most=self.most_pictures)
        return stacked(rows)[index] if len(images) else stacked([])

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        ids, lengths = self.tokens(texts)
        rows: list[NDArray[np.float32] | None] = [None] * len(ids)

        def work(part: NDArray[np.int64]) -> None:
            hidden = self.module.text_encoder(**self.text_inputs([ids[i] for i in part])).last_hidden_state
            for i, row in zip(part, normalised(self.module.text_proj(hidden[:, 0])), strict=True):
                rows[i] = row

        self.in_batches(by_length(lengths), work, lengths)
        return stacked(rows)

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        check_pairs(images, texts)
        ids, lengths = self.tokens(texts)
        logits = np.zeros(len(ids), dtype=np.float32)

        def work(part: NDArray[np.int64], patches: torch.Tensor) -> None:
            inputs = self.text_inputs([ids[i] for i in part])
            hidden = self.module.text_encoder(**inputs, encoder_hidden_states=patches).last_hidden_state
            scores = self.module.itm_head(hidden[:, 0]).float()
            logits[part] = (scores[:, 1] - scores[:, 0]).cpu().numpy()

        self.with_patches(images, lengths, work)
        return logits

    def tokens(self, texts: Sequence[str]) -> tuple[list[list[int]], NDArray[np.int64]]:
        ids = self.texts.cut_ids(texts)
        return ids, np.array([len(row) for row in ids], dtype=np.int64)

    def text_inputs(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        padded, mask = pad(rows, self.texts.pad_id)
        return {"input_ids": self.tensor(padded), "attention_mask": self.tensor(mask)}

    def preprocessing(self) -> dict[str, Any]:
        return {**super().preprocessing(), "match_output": 1}
