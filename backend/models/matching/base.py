"""What matching heads share: pairs by text length, each image prepared once for all its texts."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from backend.items import Kind
from backend.models.base import Picture, check_pairs
from backend.models.hf import FolderModel, Pictures, Texts, architecture, load_module, pad
from backend.models.once import each_image_once
from backend.models.request import Request


class MatchingHead(FolderModel):
    """A model that reads an image and a text together and says whether they belong together.

    A family gives `look`, what an image is before it meets a text, and `match`. Images are never padded to each other's
    size and padded text is masked, so a score depends on nothing but its own pair.
    """

    kinds = frozenset({Kind.ITM})
    processor: ClassVar[type[Pictures]] = Pictures

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, architecture(request), self.dtype, self.device)
        self.pictures = self.processor(request)
        self.texts = Texts(request, self.text_config())
        self.image_size = self.pictures.size

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def text_config(self) -> Any:
        """The config that says how many positions a text may have."""
        return self.module.config.text_config

    def look(self, images: Sequence[Picture]) -> torch.Tensor:
        """What an image brings to each of its pairs, first dimension the images: here its pixels."""
        return self.pictures(images)["pixel_values"].to(self.device, self.dtype)

    @abstractmethod
    def match(self, inputs: dict[str, torch.Tensor], seen: torch.Tensor) -> torch.Tensor:
        """Log-odds of "match", (n,), for n tokenised texts and what was seen of their images."""

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        check_pairs(images, texts)
        ids = self.texts.cut_ids(texts)
        logits = np.zeros(len(ids), dtype=np.float32)

        def work(part: NDArray[np.int64], seen: torch.Tensor) -> None:
            logits[part] = self.match(self.text_inputs([ids[i] for i in part]), seen).float().cpu().numpy()

        each_image_once(self, images, np.array([len(row) for row in ids], dtype=np.int64), self.look, work)
        return logits

    def text_inputs(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Ids padded to the longest text, and their mask."""
        padded, mask = pad(rows, self.texts.pad_id)
        return {"input_ids": self.tensor(padded), "attention_mask": self.tensor(mask)}


def odds(scores: torch.Tensor) -> torch.Tensor:
    """Log-odds of class 1, (n,), from the two logits of a softmax, (n, 2): exactly their difference."""
    wide = scores.float()
    return wide[:, 1] - wide[:, 0]
