"""X-CLIP, through XCLIPModel's `forward`; its text tower through `get_text_features`, because `forward` has no text
vector without a video."""

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.reference.base import unit
from backend.models.reference.dual.hf import HfDual


class XClip(HfDual):
    """A picture is shown as often as the model has frames."""

    def text(self, text: str) -> NDArray[np.float32]:
        """The text before it meets a video."""
        with torch.inference_mode():
            found = self.module.get_text_features(**self.tokens(text))
        return unit(found if isinstance(found, torch.Tensor) else found.pooler_output)

    def cosine(self, image: Image.Image, text: str) -> float:
        frames = [image] * int(self.module.config.vision_config.num_frames)
        clip = self.inputs(self.processor([frames], return_tensors="pt"))
        with torch.inference_mode():
            logits = self.module(**self.tokens(text), **clip).logits_per_video
            return float(logits[0, 0].double() / self.module.logit_scale.double().exp())
