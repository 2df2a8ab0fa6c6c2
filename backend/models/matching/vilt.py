"""ViLT's ranking head: one stream of text tokens and raw image patches."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Picture, check_pairs
from backend.models.matching.base import MatchingHead
from backend.models.once import IMAGES_AT_ONCE
from backend.models.pictures import unique_by_identity
from backend.models.request import Request
from backend.models.strips import StripPictures


class ViltMatcher(MatchingHead):
    """ViltForImageAndTextRetrieval. Its one output was trained by a softmax over a true caption and fifteen wrong ones
    of the same image, so **differences** of it between captions mean something and its zero means nothing: shown as a
    probability it ranks, but 0.5 is no threshold.

    Images keep their proportions. Only images of one size share a batch, so nothing is padded. The library samples
    patches at random where there are more than `max_image_length`, which is a training aid: here every patch is read,
    always. It also shuffles the patches of each image by torch's generator; that is fenced off, so that a score is the
    same each time and the caller's random numbers stay what they were.
    """

    family: ClassVar[str] = "matcher-vilt"
    processor = StripPictures

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module.config.max_image_length = -1
        self.image_size = None  # it depends on the image

    def text_config(self) -> Any:
        return self.module.config

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        check_pairs(images, texts)
        uniques, index = unique_by_identity(images)
        logits = np.zeros(len(texts), dtype=np.float32)
        for first in range(0, len(uniques), IMAGES_AT_ONCE):
            group = [self.pictures([image])["pixel_values"][0].numpy() for image in uniques[first:][:IMAGES_AT_ONCE]]
            for size in sorted({pixels.shape for pixels in group}):
                pairs = [p for p, i in enumerate(index - first) if 0 <= i < len(group) and group[i].shape == size]
                same = [group[index[p] - first] for p in pairs]
                logits[pairs] = super().itm_logits(same, [texts[p] for p in pairs])
        return logits

    def match(self, inputs: dict[str, torch.Tensor], seen: torch.Tensor) -> torch.Tensor:
        mask = torch.ones((len(seen), *seen.shape[-2:]), dtype=torch.long, device=self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            rank: torch.Tensor = self.module(**inputs, pixel_values=seen, pixel_mask=mask).logits
        return rank[:, 0]

    def preprocessing(self) -> dict[str, Any]:
        return {**super().preprocessing(), "match_output": "rank, trained by softmax over captions", "patches": "all"}
