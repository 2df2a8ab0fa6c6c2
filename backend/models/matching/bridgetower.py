"""BridgeTower's matching head on its cross-modal layers."""

from typing import Any, ClassVar

import torch

from backend.models.matching.base import MatchingHead, odds
from backend.models.strips import StripPictures


class BridgeTowerMatcher(MatchingHead):
    """BridgeTowerForImageAndTextRetrieval. Output 1 is "match" (the library's docs, and Intel's training labels).

    The model is asked whole for each pair: every one of its upper vision layers is bridged to a cross-modal layer, and
    the library has no call for one half. The processor crops to one size, so `pixel_mask` is all ones, and the model
    reads none.
    """

    family: ClassVar[str] = "matcher-bridgetower"
    processor = StripPictures

    def match(self, inputs: dict[str, torch.Tensor], seen: torch.Tensor) -> torch.Tensor:
        return odds(self.module(**inputs, pixel_values=seen).logits)

    def preprocessing(self) -> dict[str, Any]:
        return {**super().preprocessing(), "match_output": 1}
