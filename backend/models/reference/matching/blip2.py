"""BLIP-2's matching head, cosine and text vector, through Blip2ForImageTextRetrieval's `forward`."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.reference.base import unit
from backend.models.reference.matching.base import MatchingReference


class Blip2Matcher(MatchingReference):
    """A config with an image token expects as many of these in front of the text as there are queries."""

    def positions(self) -> int:
        return int(self.module.config.qformer_config.max_position_embeddings)

    def text(self, text: str) -> NDArray[np.float32]:
        return unit(self.output(Image.new("RGB", (64, 64)), text, use_image_text_matching_head=False).text_embeds)

    def cosine(self, image: Image.Image, text: str) -> float:
        return float(self.output(image, text, use_image_text_matching_head=False).logits_per_image[0, 0])

    def itm(self, image: Image.Image, text: str) -> float:
        scores = self.output(image, text, use_image_text_matching_head=True).logits_per_image[0].double()
        return float(scores[1] - scores[0])

    def output(self, image: Image.Image, text: str, **how: Any) -> Any:
        found = self.tokens(text)
        tokens = {name: found[name] for name in ("input_ids", "attention_mask")}
        mark = self.module.config.image_token_index
        if mark is not None:
            front = torch.full((1, self.module.config.num_query_tokens), mark, device=self.device)
            tokens = {
                "input_ids": torch.cat([front, tokens["input_ids"]], dim=1),
                "attention_mask": torch.cat([torch.ones_like(front), tokens["attention_mask"]], dim=1),
            }
        with torch.inference_mode():
            return self.module(**tokens, **self.pixels(image), **how)
