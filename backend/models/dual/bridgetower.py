"""BridgeTower's contrastive side: its two towers before they meet."""

from typing import Any, ClassVar

import torch

from backend.models.dual.hf import HfDual
from backend.models.strips import StripPictures


class BridgeTowerDual(HfDual):
    """BridgeTowerForContrastiveLearning. Its `text_embeds` and `image_embeds` come from the towers' own streams, which
    nothing of the other modality enters, so their cosine is that of a dual encoder. Its third embedding,
    `cross_embeds`, belongs to a pair and is compared with nothing of the pair's alone: we leave it out.
    """

    family: ClassVar[str] = "dual-bridgetower"
    processor = StripPictures

    def find_towers(self) -> Any:
        return self.module.bridgetower

    def image_features(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        tower = self.towers.vision_model.visual
        states = tower.forward_pre(inputs["pixel_values"])
        for block in tower.transformer.resblocks[: len(self.towers.text_model.encoder.layer)]:
            states = block(states)
        first = tower.forward_post(states)[:, 0]
        kind = self.towers.token_type_embeddings.weight[1]
        features: torch.Tensor = self.module.itc_image_head(self.towers.cross_modal_image_transform(first) + kind)
        return features

    def text_features(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        states = self.towers.text_model(**inputs).last_hidden_state
        features: torch.Tensor = self.module.itc_text_head(states[:, 0])
        return features
