"""Images as models take them: decoded once each, however often a list repeats them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.images import open_item, to_rgb
from backend.models.base import Picture

#: A picture longer than this many times its width would be blown up to gigabytes by shortest-edge resizing.
MAX_ASPECT = 200


def unique_by_identity(images: Sequence[Picture]) -> tuple[list[Picture], NDArray[np.int64]]:
    """The distinct images and, for each position, which of them stands there.

    Paths are the same if they are equal, everything else if it is the same object (`is`).

    >>> unique_by_identity(["a.png", "b.png", "a.png"])
    (['a.png', 'b.png'], array([0, 1, 0]))
    """
    seen: dict[object, int] = {}
    uniques: list[Picture] = []
    index = np.empty(len(images), dtype=np.int64)
    for position, image in enumerate(images):
        key: object = str(image) if isinstance(image, str | Path) else id(image)
        if key not in seen:
            seen[key] = len(uniques)
            uniques.append(image)
        index[position] = seen[key]
    return uniques, index


def decode(image: Picture) -> Image.Image | NDArray[np.float32]:
    """An upright RGB image, or the normalised pixels that were given as an array."""
    if isinstance(image, np.ndarray):
        if image.ndim != 3 or image.shape[0] != 3 or image.dtype != np.float32:
            raise UsageError(
                f"An array of shape {image.shape} and type {image.dtype} is no image here: give a PIL image, a path, "
                "or normalised float32 pixels of shape (3, height, width)."
            )
        return image
    rgb = to_rgb(image) if isinstance(image, Image.Image) else open_item(str(image))
    if max(rgb.size) > MAX_ASPECT * min(rgb.size):
        raise FlipsideError(f"An image of {rgb.width} × {rgb.height} pixels is too narrow to be scored. Crop it first.")
    return rgb
