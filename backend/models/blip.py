"""What BLIP's captioner and BLIP's matching model share: one vision tower, computed once an image."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Picture
from backend.models.hf import FolderModel, Pictures, Texts, architecture, load_module
from backend.models.once import each_image_once
from backend.models.request import Request


class BlipVision(FolderModel):
    """A BLIP model with its processor and tokenizer."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, architecture(request), self.dtype, self.device)
        self.pictures = Pictures(request)
        self.texts = Texts(request, self.module.config.text_config)
        self.image_size = self.pictures.size

    def patches(self, images: Sequence[Picture]) -> torch.Tensor:
        """The vision tower's last hidden states, (n, patches + 1, width)."""
        pixels = self.pictures(images)["pixel_values"].to(self.device, self.dtype)
        states = self.module.vision_model(pixel_values=pixels).last_hidden_state
        if not isinstance(states, torch.Tensor):
            raise TypeError(f"the vision tower of {self.spec} returned {type(states).__name__}")
        return states

    def with_patches(
        self,
        images: Sequence[Picture],
        lengths: NDArray[np.int64],
        work: Callable[[NDArray[np.int64], torch.Tensor], None],
    ) -> None:
        """Call `work(positions, patches of their images)` for all pairs, batched by text length; each distinct image
        passes through the vision tower once."""
        each_image_once(self, images, lengths, self.patches, work)
