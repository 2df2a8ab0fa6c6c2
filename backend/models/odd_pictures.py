"""The pictures of the fidelity checks: seven ordinary ones, and the odd ones that people really upload."""

import io

import numpy as np
from PIL import Image

#: (width, height)
SIZES = ((96, 64), (64, 96), (80, 80), (17, 64), (224, 224), (33, 31), (300, 120))


def pictures() -> list[Image.Image]:
    """Seven different pictures of different sizes, the same on every machine."""
    return [photo(size, number) for number, size in enumerate(SIZES)]


def photo(size: tuple[int, int] = (41, 23), seed: int = 1) -> Image.Image:
    """A smooth picture with a few edges, as photographs have: pure noise would test resizing filters, not models."""
    rng = np.random.default_rng((11, seed))
    coarse = Image.fromarray(rng.integers(0, 256, (6, 6, 3), dtype=np.uint8))
    picture = coarse.resize(size, Image.Resampling.BICUBIC)
    box = (size[0] // 4, size[1] // 4, max(1, size[0] // 2), max(1, size[1] // 2))
    picture.paste((int(rng.integers(256)), int(rng.integers(256)), 30), box)
    return picture


def _transparent() -> Image.Image:
    image = photo().convert("RGBA")
    image.putalpha(128)
    return image


def _rotated() -> Image.Image:
    """A JPEG file whose EXIF says that it must be turned."""
    image = photo()
    exif = image.getexif()
    exif[0x0112] = 6
    file = io.BytesIO()
    image.save(file, "PNG", exif=exif)
    file.seek(0)
    opened = Image.open(file)
    opened.load()
    return opened


ODD: dict[str, Image.Image] = {
    "RGBA": _transparent(),
    "palette": photo().convert("P"),
    "grey": photo().convert("L"),
    "CMYK": photo().convert("CMYK"),
    "1 pixel": photo((1, 1)),
    "narrow": photo((3, 90)),
    "EXIF-rotated": _rotated(),
}


def plain(image: Image.Image) -> Image.Image:
    """What a person sees: upright, on white, RGB. Written without the product's own `to_rgb`, which it checks."""
    turned = image.transpose(Image.Transpose.ROTATE_270) if image.getexif().get(0x0112) == 6 else image
    if turned.mode == "RGBA":
        pixels = np.asarray(turned, dtype=np.float64)
        alpha = pixels[..., 3:] / 255
        mixed = pixels[..., :3] * alpha + 255 * (1 - alpha)
        return Image.fromarray(np.round(mixed).astype(np.uint8))
    return Image.fromarray(np.asarray(turned.convert("RGB")))  # a new one: some processors would obey its EXIF again
