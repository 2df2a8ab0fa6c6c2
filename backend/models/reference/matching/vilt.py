"""ViLT's ranking head, through ViltForImageAndTextRetrieval's `forward`."""

import torch
from PIL import Image

from backend.models.reference.matching.base import MatchingReference


class ViltMatcher(MatchingReference):
    """`logits[0, 0]`, with the processor's pixel mask."""

    def positions(self) -> int:
        return int(self.module.config.max_position_embeddings)

    def itm(self, image: Image.Image, text: str) -> float:
        with torch.inference_mode():
            return float(self.module(**self.tokens(text), **self.pixels(image)).logits[0, 0])
