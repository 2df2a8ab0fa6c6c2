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

    lengths: tokens of the text at each position. encode: images to features, first dimension the images. What the
    model keeps from calls before (`Model.keep_features`) is not encoded again.
    """
    uniques, index = unique_by_identity(images)
    for first in range(0, len(uniques), IMAGES_AT_ONCE):
        features = features_of(model, uniques[first : first + IMAGES_AT_ONCE], encode)
        pairs = np.flatnonzero((index >= first) & (index < first + len(features)))
        model.in_batches(
            by_length(lengths, pairs),
            lambda part, first=first, features=features: work(part, features[model.tensor(index[part] - first)]),  # type: ignore[misc]
            lengths,
        )


def features_of(
    model: TorchModel, group: Sequence[Picture], encode: Callable[[Sequence[Picture]], torch.Tensor]
) -> torch.Tensor:
    """The features of some images, first dimension the images: those that are kept, and the rest encoded."""
    kept, maker = model.features, encode.__qualname__
    known = [None if kept is None else kept.get(maker, image) for image in group]
    missing = [i for i, features in enumerate(known) if features is None]
    made: list[torch.Tensor] = []
    model.in_batches(np.array(missing, dtype=np.int64), lambda part: made.append(encode([group[i] for i in part])))
    if kept is None or not missing:
        return torch.cat(made) if made else torch.stack([each for each in known if each is not None])
    for i, features in zip(missing, torch.cat(made), strict=True):
        kept.put(maker, group[i], features)
        known[i] = features
    return torch.stack([each for each in known if each is not None])
