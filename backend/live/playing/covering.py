"""A box of a picture under its mean colour: what is left to a model when a part cannot be seen."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from backend.errors import UsageError

#: (left, top, right, bottom) in pixels, right and bottom excluded.
Box = tuple[int, int, int, int]
#: A box narrower or lower than this many pixels was a click, no drag.
LEAST = 2


def mean_colour(image: Image.Image) -> tuple[int, int, int]:
    """The mean of each channel over all pixels of an RGB image, rounded to whole numbers."""
    mean = np.asarray(image, dtype=np.float64).reshape(-1, 3).mean(axis=0).round().astype(int)
    return int(mean[0]), int(mean[1]), int(mean[2])


def fitted(box: Sequence[object], size: tuple[int, int]) -> Box:
    """A box as somebody dragged it, in whole pixels inside a picture of (width, height).

    Raises UsageError for what is no box of four numbers, and for one that covers nothing or all of the picture.
    """
    ends = [round(end) for end in box if isinstance(end, int | float) and -1e6 < end < 1e6]
    if len(box) != 4 or len(ends) != 4:
        raise UsageError("A cover is four numbers: left, top, right and bottom in pixels.")
    across, down = sorted(ends[::2]), sorted(ends[1::2])
    left, right = (min(max(0, end), size[0]) for end in across)
    top, bottom = (min(max(0, end), size[1]) for end in down)
    if right - left < LEAST or bottom - top < LEAST:
        raise UsageError("This cover lies beside the picture, or is too small to see; drag a box on the picture.")
    if (right - left, bottom - top) == size:
        raise UsageError("This cover hides the whole picture; drag a smaller box.")
    return left, top, right, bottom


def covered(image: Image.Image, box: Box) -> Image.Image:
    """A copy of an RGB image with the box filled with the image's own mean colour.

    >>> picture = Image.new("RGB", (4, 4), (10, 20, 30))
    >>> covered(picture, (0, 0, 2, 2)).getpixel((0, 0))
    (10, 20, 30)
    """
    copy = image.copy()
    copy.paste(mean_colour(image), box)
    return copy


def key(image_key: str, box: Box) -> str:
    """What names a covered picture's content: the picture's own key with the box."""
    return f"{image_key}#covered={','.join(map(str, box))}"


def share(box: Box, size: tuple[int, int]) -> float:
    """The share of the picture's pixels that a box covers, from 0 to 1."""
    return (box[2] - box[0]) * (box[3] - box[1]) / (size[0] * size[1])
