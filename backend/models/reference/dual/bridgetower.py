"""BridgeTower's contrastive side, through BridgeTowerForContrastiveLearning's `forward`."""

from typing import Any

from PIL import Image

from backend.models.reference.dual.hf import HfDual
from backend.models.reference.strips import processed


class BridgeTowerDual(HfDual):
    """`text_embeds` and `image_embeds` of the whole model's output."""

    def pixels(self, image: Image.Image) -> dict[str, Any]:
        return self.inputs(processed(self.processor, image))
