"""The six shapes as sets of sample points, in integers only: the same points on every machine.

A sprite's sample points lie four to a pixel each way; their coordinates are odd multiples of 1/8 pixel from the
centre, so that no point ever falls on an axis of symmetry.
"""

from functools import cache
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.world.attributes import RADIUS, REACH

Mask = NDArray[np.bool_]

SAMPLES: Final = 4
#: Units of the coordinates in a pixel.
UNITS: Final = 2 * SAMPLES

#: Corner points in thousandths of the radius (y down), and the radius in thousandths that rounds them.
_CORNERS: Final[dict[str, tuple[tuple[tuple[int, int], ...], int]]] = {
    "square": (((-730, -730), (730, -730), (730, 730), (-730, 730)), 150),
    "triangle": (((0, -800), (820, 700), (-820, 700)), 150),
    "star": (
        ((0, -920), (225, -269), (894, -224), (384, 165), (541, 784),
         (0, 450), (-541, 784), (-384, 165), (-894, -224), (-225, -269)), 70,
    ),
    "cross": (
        ((-230, -850), (230, -850), (230, -230), (850, -230), (850, 230), (230, 230),
         (230, 850), (-230, 850), (-230, 230), (-850, 230), (-850, -230), (-230, -230)), 100,
    ),
}  # fmt: skip


def coordinates(size: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """x as (1, n) and y as (n, 1): the sample points of a sprite of that size, in units of 1/8 pixel."""
    n = 2 * REACH[size] * SAMPLES
    axis = 2 * np.arange(n, dtype=np.int64) + 1 - n
    return axis[None, :], axis[:, None]


@cache
def mask(shape: str, size: str) -> Mask:
    """(n, n) the sample points inside the shape."""
    x, y = coordinates(size)
    radius = RADIUS[size] * UNITS
    if shape == "circle":
        inside = x * x + y * y <= (radius * 960 // 1000) ** 2
    elif shape == "heart":
        inside = _heart(x, y, radius)
    else:
        corners, rounding = _CORNERS[shape]
        inside = dilate(_polygon(x, y, corners, radius), radius * rounding // (1000 * 2))
    inside.flags.writeable = False
    return inside


def dilate(points: Mask, radius: int) -> Mask:
    """All points within `radius` sample steps of a point of the set."""
    n = points.shape[0]
    total = np.zeros((n, n + 1), np.int32)
    np.cumsum(points, axis=1, out=total[:, 1:])
    columns = np.arange(n)
    grown = np.zeros_like(points)
    for dy in range(-radius, radius + 1):
        half = isqrt(radius * radius - dy * dy)
        near = total[:, np.minimum(columns + half + 1, n)] > total[:, np.maximum(columns - half, 0)]
        target, source = slice(max(dy, 0), n + min(dy, 0)), slice(max(-dy, 0), n + min(-dy, 0))
        grown[target] |= near[source]
    return grown


def erode(points: Mask, radius: int) -> Mask:
    """All points of the set that are further than `radius` sample steps from its outside."""
    return ~dilate(~points, radius)


def _polygon(x: NDArray[np.int64], y: NDArray[np.int64], corners: tuple[tuple[int, int], ...], radius: int) -> Mask:
    """Even-odd rule; everything is multiplied by 1000 so that the corners need no rounding."""
    inside = np.zeros((y.shape[0], x.shape[1]), np.bool_)
    px, py = x * 1000, y * 1000
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        x1, y1, x2, y2 = ax * radius, ay * radius, bx * radius, by * radius
        spans = (y1 > py) != (y2 > py)
        left = (px - x1) * (y2 - y1) < (x2 - x1) * (py - y1)
        inside ^= spans & (left if y2 > y1 else ~left)
    return inside


def _heart(x: NDArray[np.int64], y: NDArray[np.int64], radius: int) -> Mask:
    """The curve (x² + y² - 1)³ = x² y³, scaled to the radius and moved to its middle."""
    unit = radius * 820 // 1000
    up = -(y - radius * 120 // 1000)
    square = unit * unit
    body = x * x + up * up - square
    # Divided through once, because the sixth power of the coordinates would not fit 64 bits by far otherwise.
    return (body // 16) ** 3 <= (x * x // 16) * (up**3 // 16) * unit // 16
