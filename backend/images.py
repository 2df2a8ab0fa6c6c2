"""Opening an image by its URI: a file's absolute path, a region of another image, pixels stored as an array, or a
`world:` scene code rendered on the spot.
"""

import re
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from backend.errors import FlipsideError
from backend.items import BGR_SCHEME, CROP_SCHEME

WORLD_SCHEME = "world:"
_CROP = re.compile(rf"{CROP_SCHEME}(-?\d+),(-?\d+),(\d+),(\d+):(.+)", re.DOTALL)


def open_image(uri: str) -> Image.Image:
    """The image behind a URI as upright 8-bit RGB (EXIF rotation applied; transparency laid on white).

    Raises FlipsideError where the file is missing or is no image.
    """
    if uri.startswith(WORLD_SCHEME):
        from backend.world import render, scenes

        return render.image(scenes.Scene.decode(uri.removeprefix(WORLD_SCHEME)))
    if uri.startswith(CROP_SCHEME):
        return _crop(uri)
    if uri.startswith(BGR_SCHEME):
        return _from_bgr(Path(uri.removeprefix(BGR_SCHEME)))
    path = Path(uri)
    try:
        with Image.open(path) as opened:
            return to_rgb(opened)
    except FileNotFoundError:
        raise FlipsideError(f"{uri}: no such image file. Check the benchmark's --data folder.") from None
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise FlipsideError(f"{uri}: cannot be read as an image ({error}). Replace the file.") from None


def _crop(uri: str) -> Image.Image:
    """A region of another image; what lies outside that image is black, as in the benchmarks' own code."""
    found = _CROP.fullmatch(uri)
    if found is None:
        raise FlipsideError(f"{uri}: expected {CROP_SCHEME}x,y,width,height:<image>.")
    x, y, width, height = (int(number) for number in found.groups()[:4])
    image = open_image(found[5])
    if not (width and height) or x >= image.width or y >= image.height or x + width <= 0 or y + height <= 0:
        raise FlipsideError(
            f"{found[5]}: the region {x},{y},{width},{height} lies outside its {image.width} x {image.height} pixels. "
            "Check that this is the benchmark's own image, not a smaller copy."
        )
    return image.crop((x, y, x + width, y + height))


def _from_bgr(path: Path) -> Image.Image:
    """Pixels from a .npy file, the channels turned round; nothing in the file is executed."""
    try:
        pixels = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise FlipsideError(f"{path}: no such image file. Check the benchmark's --data folder.") from None
    except (OSError, ValueError, EOFError) as error:
        raise FlipsideError(f"{path}: cannot be read as an array ({error}). Replace the file.") from None
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        raise FlipsideError(
            f"{path}: expected height x width x 3 bytes (pixels), found {pixels.shape} of {pixels.dtype}. Features are "
            "no images: use the benchmark's frames."
        )
    return Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1]))


def to_rgb(image: Image.Image) -> Image.Image:
    """Upright 8-bit RGB; alpha is composited on white, because dropping it would show what the author hid."""
    upright = ImageOps.exif_transpose(image)
    if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
        rgba = upright.convert("RGBA")
        white = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, rgba).convert("RGB")
    return upright.convert("RGB")
