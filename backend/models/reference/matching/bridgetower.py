"""BridgeTower's matching head, through BridgeTowerForImageAndTextRetrieval's `forward`."""

import torch
from PIL import Image

from backend.models.reference.matching.base import MatchingReference


class BridgeTowerMatcher(MatchingReference):
    """`logits[0, 1] - logits[0, 0]`; pixel mask included."""

    def positions(self) -> int:
        config = self.module.config.text_config
        return int(config.max_position_embeddings - config.pad_token_id - 1)

    def itm(self, image: Image.Image, text: str) -> float:
        with torch.inference_mode():
            scores = self.module(**self.tokens(text), **self.pixels(image)).logits[0].double()
        return float(scores[1] - scores[0])
