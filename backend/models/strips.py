"""Pictures for processors that round both sides down to a multiple of some pixels (ViLT, BridgeTower)."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import torch
from PIL import Image

from backend.models.base import Picture
from backend.models.hf import Pictures
from backend.models.pictures import decode

#: These processors never let the longer side exceed this many times the shorter one they are asked for.
LONGEST = 1333 / 800


class StripPictures(Pictures):
    """A picture 20 times as long as wide would come out 0 pixels wide, and the library fails on it. It is stretched
    just enough to come out `size_divisor` pixels wide instead, so that it can be scored at all."""

    def __call__(self, images: Sequence[Picture]) -> dict[str, torch.Tensor]:
        return super().__call__([self.widened(decode(image)) for image in images])

    def widened(self, image: Any) -> Any:
        """The picture itself unless its shorter side would be rounded down to nothing."""
        if not isinstance(image, Image.Image):
            return image
        width, height = image.size
        longest = int(LONGEST * int(dict(self.processor.size)["shortest_edge"]))
        # Sides are rounded to whole pixels first, so half a pixel less than the divisor is enough.
        least = ceil((int(self.processor.size_divisor) - 0.5) * max(width, height) / longest)
        if min(width, height) >= least:
            return image
        return image.resize((max(width, least), max(height, least)), Image.Resampling.BICUBIC)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "strips": "widened to one size_divisor"}
