"""Opening an image by its URI: a file's absolute path, or a `world:` scene code rendered on the spot."""

from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from backend.errors import FlipsideError

WORLD_SCHEME = "world:"


def open_image(uri: str) -> Image.Image:
    """The image behind a URI as upright 8-bit RGB (EXIF rotation applied; transparency laid on white).

    Raises FlipsideError where the file is missing or is no image.
    """
    if uri.startswith(WORLD_SCHEME):
        from backend.world import render, scenes

        return render.image(scenes.Scene.decode(uri.removeprefix(WORLD_SCHEME)))
    path = Path(uri)
    try:
        with Image.open(path) as opened:
            return to_rgb(opened)
    except FileNotFoundError:
        raise FlipsideError(f"{uri}: no such image file. Check the benchmark's --data folder.") from None
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise FlipsideError(f"{uri}: cannot be read as an image ({error}). Replace the file.") from None


def to_rgb(image: Image.Image) -> Image.Image:
    """Upright 8-bit RGB; alpha is composited on white, because dropping it would show what the author hid."""
    upright = ImageOps.exif_transpose(image)
    if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
        rgba = upright.convert("RGBA")
        white = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, rgba).convert("RGB")
    return upright.convert("RGB")
