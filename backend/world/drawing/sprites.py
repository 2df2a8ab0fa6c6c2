"""One object's pixels, ready to be laid on a background: premultiplied ink and cover, cached for every kind."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.world.attributes import RADIUS, REACH
from backend.world.drawing.masks import SAMPLES, UNITS, Mask, coordinates, erode, mask

#: Cover of a pixel that shows nothing of the background: 16 sample points times 255.
FULL: Final = SAMPLES * SAMPLES * 255

_COLOURS: Final = {
    "red": (226, 52, 56),
    "blue": (38, 104, 214),
    "green": (52, 160, 76),
    "yellow": (250, 206, 44),
    "orange": (247, 129, 22),
    "purple": (124, 66, 178),
    "pink": (247, 138, 190),
    "black": (52, 56, 66),
}
_PALE: Final = (252, 251, 248)
_SHADOW: Final = (40, 44, 60)

_OUTLINE: Final = {"big": 2 * SAMPLES, "small": 3 * SAMPLES // 2}
_WALL: Final = {"big": 7 * SAMPLES, "small": 5 * SAMPLES}
_STRIPES: Final = {"big": 24, "small": 20}
_DOTS: Final = {"big": 17, "small": 14}
_SHADOW_MOVE: Final = (4, 2)
_SHADOW_BLUR: Final = 2
_SHADOW_STRENGTH: Final = (30, 100)


@cache
def sprite(shape: str, colour: str, size: str, fill: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Ink (n, n, 3) and cover (n, n, 1) of one kind of object: pixel = (background * (FULL - cover) + ink) / FULL."""
    outline, pale, lit, shadow = _parts(shape, size, fill)
    base = np.array(_COLOURS[colour], np.int64)
    ink = (outline * (base * 74 // 100) + pale * np.array(_PALE, np.int64) + lit * _lit(base, size)) * 255
    cover = (outline + pale + lit) * 255
    behind = shadow * (FULL - cover) // FULL
    ink = ink + behind * np.array(_SHADOW, np.int64)
    result = ink.astype(np.int32), (cover + behind).astype(np.int32)
    for part in result:
        part.flags.writeable = False
    return result


@cache
def _parts(shape: str, size: str, fill: str) -> tuple[NDArray[np.int64], ...]:
    """Each (n, n, 1): how many sample points of a pixel are outline, pale and lit; and the cover of the shadow."""
    full = mask(shape, size)
    body = full & ~erode(full, _WALL[size]) if fill == "hollow" else full
    outline = body & ~erode(body, _OUTLINE[size])
    pale = body & ~outline & _pattern(*coordinates(size), size, fill)
    return _pool(outline), _pool(pale), _pool(body & ~outline & ~pale), _shadow(_pool(body) * 255)


def _lit(base: NDArray[np.int64], size: str) -> NDArray[np.int64]:
    """(n, 1, 3) the colour of each row of pixels: lighter towards the top of the shape."""
    reach = RADIUS[size]
    height = np.clip(reach - np.arange(-REACH[size], REACH[size]), 0, 2 * reach)[:, None, None]
    lit: NDArray[np.int64] = base + (255 - base) * height * 11 // (100 * reach)
    return lit


def _pattern(x: NDArray[np.int64], y: NDArray[np.int64], size: str, fill: str) -> Mask:
    """(n, n) the sample points that a fill leaves pale."""
    if fill == "striped":
        period = _STRIPES[size] * UNITS
        stripes: Mask = (x + y + period // 4) % period < period // 2
        return stripes
    if fill == "dotted":
        period = _DOTS[size] * UNITS
        row = (y + period // 2) // period
        dx = (x + period // 2 + (row % 2) * (period // 2)) % period - period // 2
        dy = (y + period // 2) % period - period // 2
        dots: Mask = dx * dx + dy * dy <= (period * 31 // 100) ** 2
        return dots
    return np.zeros(np.broadcast_shapes(x.shape, y.shape), np.bool_)


def _shadow(cover: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cover, moved down and to the right, blurred twice by a box, and weakened."""
    soft = np.roll(cover, _SHADOW_MOVE, (0, 1))
    width = 2 * _SHADOW_BLUR + 1
    for _ in range(2):
        for axis in (0, 1):
            shifts = range(-_SHADOW_BLUR, _SHADOW_BLUR + 1)
            soft = np.sum([np.roll(soft, step, axis) for step in shifts], axis=0) // width
    strength, of = _SHADOW_STRENGTH
    return soft * strength // of


def _pool(samples: Mask) -> NDArray[np.int64]:
    """(n / 4, n / 4, 1) how many of each pixel's sample points are set."""
    n = samples.shape[0] // SAMPLES
    pooled: NDArray[np.int64] = samples.reshape(n, SAMPLES, n, SAMPLES, 1).sum(axis=(1, 3), dtype=np.int64)
    return pooled
