"""FLAVA's matching head and contrastive embeddings, through FlavaForPreTraining's `forward`."""

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.reference.base import unit
from backend.models.reference.matching.base import MatchingReference


class FlavaMatcher(MatchingReference):
    """`itm_logits` with nothing masked; the projected first tokens that its contrastive loss compares."""

    def positions(self) -> int:
        return int(self.module.config.text_config.max_position_embeddings)

    def image(self, image: Image.Image) -> NDArray[np.float32]:
        with torch.inference_mode():
            states = self.module(**self.pixels(image), return_loss=False).image_embeddings
            return unit(self.module.flava.image_projection(states[:, 0, :]))

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            states = self.module(**self.tokens(text), return_loss=False).text_embeddings
            return unit(self.module.flava.text_projection(states[:, 0, :]))

    def itm(self, image: Image.Image, text: str) -> float:
        with torch.inference_mode():
            output = self.module(**self.tokens(text), **self.pixels(image), return_loss=False)
        scores = output.itm_logits[0].double()
        return float(scores[1] - scores[0])
