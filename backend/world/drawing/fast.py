"""The training path: pictures at the models' size, put together from sprites that were filtered once.

A model sees the 256-pixel picture resized to 64 by Pillow's bilinear filter (what a Hugging Face image processor
does with `resample=2`, on both its backends). That filter is linear, objects never share pixels, a background hardly
changes within a sprite, and centres lie on a four-pixel grid, so one filtered sprite serves every place.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.world.attributes import CANVAS
from backend.world.drawing.render import background
from backend.world.drawing.sprites import FULL, sprite
from backend.world.scenes import TONES, Scene

#: What the bundled models' image processors use: 64 × 64, PIL.Image.Resampling.BILINEAR, and these statistics of
#: training pictures scaled to [0, 1], so that standard normal noise has the training pictures' mean and deviation.
MODEL_SIZE: Final = 64
MODEL_RESAMPLE: Final = 2
PIXEL_MEAN: Final = (0.917, 0.908, 0.902)
PIXEL_STD: Final = (0.103, 0.112, 0.121)

_STEP: Final = CANVAS // MODEL_SIZE
#: Pillow's triangle filter for a reduction by four: eight taps, two of them beyond the pixel on each side.
_TAPS: Final = np.array([1, 3, 5, 7, 7, 5, 3, 1]) / 32


def small_batch(scenes: Sequence[Scene]) -> NDArray[np.uint8]:
    """(n, 64, 64, 3) the scenes as the models see them, within two grey levels of the resized 256-pixel pictures."""
    canvas = _backgrounds()[[scene.tone for scene in scenes]]
    for picture, scene in zip(canvas, scenes, strict=True):
        for o in scene.objects:
            ink, clear = small_sprite(o.shape, o.colour, o.size, o.fill)
            half = ink.shape[0] // 2
            x, y = o.x // _STEP, o.y // _STEP
            window = picture[y - half : y + half, x - half : x + half]
            window *= clear
            window += ink
    return (canvas + np.float32(0.5)).astype(np.uint8)


@cache
def small_sprite(shape: str, colour: str, size: str, fill: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Ink (n, n, 3) in grey levels and what shows of the background (n, n, 1) from 0 to 1, at the models' size."""
    ink, cover = sprite(shape, colour, size, fill)
    return _filtered(ink / FULL), 1 - _filtered(cover / FULL)


@cache
def _backgrounds() -> NDArray[np.float32]:
    """(tones, 64, 64, 3) every background at the models' size."""
    size = (MODEL_SIZE, MODEL_SIZE)
    grounds = [Image.fromarray(background(tone)).resize(size, Image.Resampling.BILINEAR) for tone in range(TONES)]
    return np.stack([np.asarray(ground, np.float32) for ground in grounds])


def _filtered(sprite_pixels: NDArray[np.float64]) -> NDArray[np.float32]:
    """Pillow's bilinear reduction by four of an (n, n, c) sprite whose two outermost pixels are empty."""
    n = sprite_pixels.shape[0] // _STEP
    for axis in (0, 1):
        padding = [(2, 2) if a == axis else (0, 0) for a in range(3)]
        padded = np.moveaxis(np.pad(sprite_pixels, padding), axis, 0)
        taps = [w * padded[k : k + _STEP * n : _STEP] for k, w in enumerate(_TAPS)]
        sprite_pixels = np.moveaxis(np.sum(taps, axis=0), 0, axis)
    return np.ascontiguousarray(sprite_pixels, dtype=np.float32)
