"""From a scene to its picture, in integers from the first sample point to the last pixel."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.world.attributes import CANVAS, REACH
from backend.world.drawing.sprites import FULL, sprite
from backend.world.scenes import TONES, Scene

#: Soft papers: the colour in the middle of the picture. A tone is one of these and one of two lights.
_PAPERS: Final = (
    (246, 243, 237), (238, 243, 246), (244, 239, 245), (240, 245, 239),
    (248, 241, 235), (236, 240, 245), (243, 243, 243), (245, 245, 236),
)  # fmt: skip


@cache
def background(tone: int) -> NDArray[np.uint8]:
    """(256, 256, 3) soft paper, a little darker towards one side and towards the corners."""
    paper = np.array(_PAPERS[tone % len(_PAPERS)], np.int64)
    axis = 2 * np.arange(CANVAS, dtype=np.int64) + 1 - CANVAS
    x, y = axis[None, :], axis[:, None]
    side = (y if tone < TONES // 2 else x + y) * 12 // (2 * CANVAS)
    corner = (x * x + y * y) * 10 // (2 * CANVAS * CANVAS)
    ground: NDArray[np.uint8] = np.clip(paper - (side + corner)[:, :, None], 0, 255).astype(np.uint8)
    ground.flags.writeable = False
    return ground


def pixels(scene: Scene, size: int = CANVAS) -> NDArray[np.uint8]:
    """(size, size, 3) the picture; other sizes than 256 are resized with Pillow's bilinear filter."""
    canvas = background(scene.tone).astype(np.int32)
    for o in scene.objects:
        reach = REACH[o.size]
        window = canvas[o.y - reach : o.y + reach, o.x - reach : o.x + reach]
        ink, cover = sprite(o.shape, o.colour, o.size, o.fill)
        window[:] = (window * (FULL - cover) + ink + FULL // 2) // FULL
    picture = canvas.astype(np.uint8)
    if size == CANVAS:
        return picture
    resized: NDArray[np.uint8] = np.asarray(Image.fromarray(picture).resize((size, size), Image.Resampling.BILINEAR))
    return resized


def image(scene: Scene, size: int = CANVAS) -> Image.Image:
    """The picture as an RGB image."""
    return Image.fromarray(pixels(scene, size))
