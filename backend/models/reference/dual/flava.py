"""FLAVA's contrastive side, as FlavaForPreTraining works it out from FlavaModel's `forward`."""

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.reference.base import unit
from backend.models.reference.dual.hf import HfDual


class FlavaDual(HfDual):
    """The projected first token of `image_embeddings` and of `text_embeddings`."""

    def image(self, image: Image.Image) -> NDArray[np.float32]:
        with torch.inference_mode():
            states = self.module(**self.pixels(image)).image_embeddings
            return unit(self.module.image_projection(states[:, 0, :]))

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            states = self.module(**self.tokens(text)).text_embeddings
            return unit(self.module.text_projection(states[:, 0, :]))
