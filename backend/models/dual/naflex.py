"""SigLIP 2 NaFlex: each image in its own proportions, cut into at most so many patches."""

from collections.abc import Sequence
from math import isqrt
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.models.base import Picture
from backend.models.dual.hf import HfDual
from backend.models.pictures import decode
from backend.models.request import Request


class NaFlex(HfDual):
    """Siglip2Model. The processor pads each image's patches to one fixed number and masks them, so that an embedding
    does not depend on what else is in the batch.

    Null images need one resolution: the largest square that the patches fill, 256 × 256 for 256 patches of 16 pixels.
    """

    family: ClassVar[str] = "dual-naflex"

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.patch = int(self.pictures.processor.patch_size)
        self.most = int(self.pictures.processor.max_num_patches)
        self.image_size = (isqrt(self.most) * self.patch,) * 2

    def image_inputs(self, images: Sequence[Picture]) -> dict[str, torch.Tensor]:
        each = [self.one(decode(image)) for image in images]
        return {name: torch.cat([inputs[name] for inputs in each]) for name in each[0]}

    def one(self, image: Any) -> dict[str, torch.Tensor]:
        """Patches, mask and shape of one image; normalised pixels are cut into patches as they are."""
        return self.patches(image) if isinstance(image, np.ndarray) else self.pictures([image])

    def patches(self, pixels: NDArray[np.float32]) -> dict[str, torch.Tensor]:
        """What the processor makes of an image after normalising: patches by rows, each row by row, channels last."""
        rows, columns = (length // self.patch for length in pixels.shape[1:])
        if pixels.shape != (3, rows * self.patch, columns * self.patch) or not 0 < rows * columns <= self.most:
            raise UsageError(
                f"{self.spec} takes normalised pixels whose sides are multiples of {self.patch}, of at most "
                f"{self.most} patches; these are {pixels.shape[1]} × {pixels.shape[2]}."
            )
        cut = pixels.reshape(3, rows, self.patch, columns, self.patch).transpose(1, 3, 2, 4, 0)
        flat = np.zeros((1, self.most, 3 * self.patch**2), dtype=np.float32)
        flat[0, : rows * columns] = cut.reshape(rows * columns, -1)
        mask = np.zeros((1, self.most), dtype=np.int32)
        mask[0, : rows * columns] = 1
        made = {"pixel_values": flat, "pixel_attention_mask": mask, "spatial_shapes": np.array([[rows, columns]])}
        return {name: torch.from_numpy(value) for name, value in made.items()}
