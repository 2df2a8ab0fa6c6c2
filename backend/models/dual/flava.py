"""FLAVA's contrastive side: the projected first token of its image encoder and of its text encoder."""

from typing import Any, ClassVar

import torch

from backend.models.dual.hf import HfDual
from backend.models.hf import pooled


class FlavaDual(HfDual):
    """FlavaModel. Its `get_*_features` project every token; the contrastive loss of FlavaForPreTraining compares the
    first one of each side, [CLS], and so do we."""

    family: ClassVar[str] = "dual-flava"

    def find_towers(self) -> Any:
        return getattr(self.module, "flava", self.module)

    def image_features(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        return pooled(self.towers.get_image_features(**inputs))[:, 0]

    def text_features(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        return pooled(self.towers.get_text_features(**inputs))[:, 0]
