"""Pairs of images and texts where each distinct image is encoded once, however many texts ask about it."""

from collections.abc import Callable, Iterator, Sequence

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
    for pairs, features, index in groups(model, images, encode):
        model.in_batches(
            by_length(lengths, pairs),
            lambda part, features=features, index=index: work(part, features[model.tensor(index[part])]),  # type: ignore[misc]
            lengths,
        )


def groups(
    model: TorchModel,
    images: Sequence[Picture],
    encode: Callable[[Sequence[Picture]], torch.Tensor],
    most: int | None = None,
) -> Iterator[tuple[NDArray[np.int64], torch.Tensor, NDArray[np.int64]]]:
    """IMAGES_AT_ONCE images after the other: the positions that are about them, their features, and for each position
    of all which of the features are its image's (of others' positions a number outside of these). most: images that
    `encode` is given at once."""
    uniques, index = unique_by_identity(images)
    for first in range(0, len(uniques), IMAGES_AT_ONCE):
        features = features_of(model, uniques[first : first + IMAGES_AT_ONCE], encode, most)
        yield np.flatnonzero((index >= first) & (index < first + len(features))), features, index - first


def features_of(
    model: TorchModel,
    group: Sequence[Picture],
    encode: Callable[[Sequence[Picture]], torch.Tensor],
    most: int | None = None,
) -> torch.Tensor:
    """The features of some images, first dimension the images: those that are kept, and the rest encoded."""
    kept, maker = model.features, encode.__qualname__
    known = [None if kept is None else kept.get(maker, image) for image in group]
    missing = [i for i, features in enumerate(known) if features is None]
    made: list[torch.Tensor] = []
    order = np.array(missing, dtype=np.int64)
    model.in_batches(order, lambda part: made.append(encode([group[i] for i in part])), most=most)
    if kept is None or not missing:
        return torch.cat(made) if made else torch.stack([each for each in known if each is not None])
    for i, features in zip(missing, torch.cat(made), strict=True):
        kept.put(maker, group[i], features)
        known[i] = features
    return torch.stack([each for each in known if each is not None])
