"""FLAVA's matching head on its multimodal encoder, beside its contrastive towers."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.items import Kind
from backend.models.base import Picture, check_pairs
from backend.models.dual.flava import FlavaDual
from backend.models.matching.base import odds
from backend.models.once import each_image_once


class FlavaMatcher(FlavaDual):
    """FlavaForPreTraining. Output 1 of the matching head is "match": the library takes `itm_labels` other than 0 for
    true pairs. The multimodal encoder reads both encoders' last states *before* their final layer norm, as `forward`
    does; nothing is masked out of image or text."""

    family: ClassVar[str] = "matcher-flava"
    kinds = frozenset({Kind.ITM, Kind.ITC, Kind.T2T})

    def look(self, images: Sequence[Picture]) -> torch.Tensor:
        """An image's states as the multimodal encoder takes them, (n, patches + 1, width)."""
        pixels = self.pictures(images)["pixel_values"].to(self.device, self.dtype)
        states = self.towers.image_model(pixel_values=pixels, output_hidden_states=True).hidden_states[-1]
        seen: torch.Tensor = self.towers.image_to_mm_projection(states)
        return seen

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        check_pairs(images, texts)
        ids = self.texts.cut_ids(texts)
        logits = np.zeros(len(ids), dtype=np.float32)

        def work(part: NDArray[np.int64], seen: torch.Tensor) -> None:
            inputs = {name: self.tensor(value) for name, value in self.texts.batch([ids[i] for i in part]).items()}
            states = self.towers.text_model(**inputs, output_hidden_states=True).hidden_states[-1]
            both = torch.cat([seen, self.towers.text_to_mm_projection(states)], dim=1)
            # The multimodal encoder puts a token of its own in front, where it has one.
            length = seen.shape[1] + int(self.towers.multimodal_model.use_cls_token)
            mask = torch.cat([self.tensor(np.ones((len(part), length))), inputs["attention_mask"]], dim=1)
            joint = self.towers.multimodal_model(both, attention_mask=mask).last_hidden_state
            logits[part] = odds(self.module.itm_head(joint)).cpu().numpy()

        each_image_once(self, images, np.array([len(row) for row in ids], dtype=np.int64), self.look, work)
        return logits

    def preprocessing(self) -> dict[str, Any]:
        return {**super().preprocessing(), "match_output": 1}
