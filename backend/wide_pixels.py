"""Grey pictures of more than eight bits a pixel, brought to eight as viewers do it.

Pillow's own `convert` cuts every value above 255 off: a 16-bit photograph becomes white. Sixteen bits are scaled by
their upper eight instead, as Pillow itself does with 16-bit *colour* (and libpng's strip_16), so that a grey picture
and the same picture in colour give the same pixels. Values of 32 bits, whole (mode I) or floats (mode F), have no
agreed black and white: 0 to 1, 0 to 255, metres, degrees. They are refused.
"""

from typing import Any, Final

import numpy as np
from PIL import Image, ImageOps

from backend.errors import FlipsideError

#: Formats whose pixels of mode I are of sixteen bits: what some versions of Pillow make of them.
_SIXTEEN: Final = ("PNG", "PPM")
#: Tags of TIFF: bits a pixel, and what 0 stands for.
_BITS, _PHOTOMETRIC, _WHITE_IS_ZERO = 258, 262, 0
_MEND: Final = "Save it as 8-bit RGB, with black and white where you want them."


class NoRangeError(FlipsideError):
    """A picture whose pixels say neither what is black nor what is white. reason: that, after the picture's name."""

    def __init__(self, mode: str) -> None:
        kind = "floats" if mode == "F" else "whole numbers of 32 bits"
        self.reason = f"its pixels are {kind} (mode {mode}), which say neither what is black nor what is white. {_MEND}"
        super().__init__(f"A picture cannot be shown to a model: {self.reason}")


def is_wide(image: Image.Image) -> bool:
    """Whether its pixels are grey and of more than eight bits. NoRangeError where nobody knows their range."""
    if image.mode == "F" or (image.mode == "I" and image.format not in _SIXTEEN):
        raise NoRangeError(image.mode)
    return image.mode == "I" or image.mode.startswith("I;16")


def narrowed(image: Image.Image) -> Image.Image:
    """Such a picture, upright, as 8-bit grey (mode L; LA where one of its values is transparent)."""
    tags: Any = getattr(image, "tag_v2", {})
    bits, photometric = tags.get(_BITS), tags.get(_PHOTOMETRIC)
    upright = ImageOps.exif_transpose(image)
    values = np.asarray(upright).astype(np.int64)
    grey = np.clip(values >> (4 if bits in (12, (12,)) else 8), 0, 255).astype(np.uint8)
    found = Image.fromarray(255 - grey if photometric == _WHITE_IS_ZERO else grey)
    clear = upright.info.get("transparency")
    if isinstance(clear, int):
        found.putalpha(Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return found


def high_bytes(transparency: Any) -> Any:
    """The transparent colour of a 16-bit picture in colour, which Pillow keeps in 16 bits beside pixels of eight.

    >>> high_bytes((13312, 22016, 30720)), high_bytes((255, 0, 255)), high_bytes(3)
    ((52, 86, 120), (255, 0, 255), 3)
    """
    if isinstance(transparency, tuple) and any(value > 255 for value in transparency):
        return tuple(value >> 8 for value in transparency)
    return transparency
