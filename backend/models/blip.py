"""What BLIP's captioner and BLIP's matching model share: one vision tower, computed once an image."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Picture
from backend.models.hf import FolderModel, Pictures, Texts, architecture, load_module
from backend.models.once import each_image_once, groups
from backend.models.request import Request
from backend.models.seen_once import SeenOnce
from backend.models.torch_model import by_length

#: Bytes that a layer's attention weights may take on a processor. Tensors of more than 32 MB are taken from the system
#: and given back each time: of 16 pictures of 577 positions a third of the time went into clearing their pages, and
#: more pictures at once bring nothing (docs/performance.md).
WEIGHTS = 16 << 20


class BlipVision(FolderModel):
    """A BLIP model with its processor and tokenizer."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, architecture(request), self.dtype, self.device)
        self.pictures = Pictures(request)
        self.texts = Texts(request, self.module.config.text_config)
        self.image_size = self.pictures.size
        layers = [part for name, part in self.module.named_modules() if name.endswith(".crossattention.self")]
        self.seen_once = SeenOnce(layers)

    def patches(self, images: Sequence[Picture]) -> torch.Tensor:
        """The vision tower's last hidden states, (n, patches + 1, width)."""
        pixels = self.pictures(images)["pixel_values"].to(self.device, self.dtype)
        states = self.module.vision_model(pixel_values=pixels).last_hidden_state
        if not isinstance(states, torch.Tensor):
            raise TypeError(f"the vision tower of {self.spec} returned {type(states).__name__}")
        return states

    @property
    def most_pictures(self) -> int | None:
        """How many pictures the vision tower is given at once on a processor; None where the batch alone says it."""
        if self.device.type != "cpu":
            return None
        config = self.module.config.vision_config
        positions: int = (config.image_size // config.patch_size) ** 2 + 1
        of_each: int = config.num_attention_heads * positions**2 * self.dtype.itemsize
        return max(1, WEIGHTS // of_each)

    def with_patches(
        self,
        images: Sequence[Picture],
        lengths: NDArray[np.int64],
        work: Callable[[NDArray[np.int64], torch.Tensor], None],
    ) -> None:
        """Call `work(positions, what the text model is given of their images)` for all pairs, batched by text length;
        each distinct image passes through the vision tower once."""
        if self.device.type != "cpu" or self.compiled:
            each_image_once(self, images, lengths, self.patches, work)
            return
        for pairs, patches, index in groups(self, images, self.patches, self.most_pictures):
            step = self.seen_once.at_once(patches)
            for first in range(0, len(patches), step):
                mine = pairs[(index[pairs] >= first) & (index[pairs] < first + step)]
                self._at_once(by_length(lengths, mine), lengths, patches[first : first + step], index - first, work)

    def _at_once(
        self,
        order: NDArray[np.int64],
        lengths: NDArray[np.int64],
        patches: torch.Tensor,
        index: NDArray[np.int64],
        work: Callable[[NDArray[np.int64], torch.Tensor], None],
    ) -> None:
        """The pairs of a few images. index: which of them each position is about."""

        def one(part: NDArray[np.int64]) -> None:
            self.seen_once.look(index[part])
            work(part, patches)

        with self.seen_once.of(patches):
            self.in_batches(order, one, lengths)
