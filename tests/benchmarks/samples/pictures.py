"""Tiny pictures for the samples."""

from pathlib import Path

import numpy as np
from PIL import Image


def picture(path: Path, colour: tuple[int, int, int] = (200, 40, 40), size: tuple[int, int] = (64, 48)) -> None:
    """A picture of one colour with a dark left upper quarter, in the format of its suffix; .npy as BGR bytes."""
    pixels = np.full((size[1], size[0], 3), colour, np.uint8)
    pixels[: size[1] // 2, : size[0] // 2] = 20
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, pixels[:, :, ::-1])
    else:
        Image.fromarray(pixels).save(path)
