"""X-CLIP's text tower, through XCLIPModel's `get_text_features`: `forward` has no text vector without a video."""

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.reference.base import unit
from backend.models.reference.dual.hf import HfDual


class XClip(HfDual):
    """The text before it meets a video."""

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            found = self.module.get_text_features(**self.tokens(text))
        return unit(found if isinstance(found, torch.Tensor) else found.pooler_output)
