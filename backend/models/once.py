"""Pairs of images and texts where each distinct image is encoded once, however many texts ask about it."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Picture
from backend.models.pictures import unique_by_identity
from backend.models.torch_model import TorchModel, by_length

#: Images whose features are kept at a time: memory is bounded however many images a call brings.
IMAGES_AT_ONCE = 64


def each_image_once(
    model: TorchModel,
    images: Sequence[Picture],
    lengths: NDArray[np.int64],
    encode: Callable[[Sequence[Picture]], torch.Tensor],
    work: Callable[[NDArray[np.int64], torch.Tensor], None],
) -> None:
    """Call `work(positions, features of their images)` for all pairs, batched by text length.

    lengths: tokens of the text at each position. encode: images to features, first dimension the images.
    """
    uniques, index = unique_by_identity(images)
    for first in range(0, len(uniques), IMAGES_AT_ONCE):
        group = uniques[first : first + IMAGES_AT_ONCE]
        kept: list[torch.Tensor] = []
        model.in_batches(
            np.arange(len(group)),
            lambda part, group=group, kept=kept: kept.append(encode([group[i] for i in part])),  # type: ignore[misc]
        )
        features = torch.cat(kept)
        pairs = np.flatnonzero((index >= first) & (index < first + len(group)))
        model.in_batches(
            by_length(lengths, pairs),
            lambda part, first=first, features=features: work(part, features[model.tensor(index[part] - first)]),  # type: ignore[misc]
            lengths,
        )
