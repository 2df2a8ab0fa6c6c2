"""Opening an image by its URI: a file's absolute path, its address in an object store (`s3://bucket/a.jpg`), a region
of another image, pixels stored as an array, or a `world:` scene code rendered on the spot.

`open_image` opens whatever it is given, as Python and the command line want it. What pages show of stored items goes
through `open_stored`, which refuses pictures that would fill a server's memory; what models see of items through
`open_item`. Neither follows a link out of the folder that the picture was imported from (`backend.inside`). Which URIs
are stored at all is decided where items enter the database (`backend.store.build.picture_uris`).
"""

import re
import threading
import warnings
from collections.abc import Callable
from io import BufferedReader, BytesIO
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError, features

from backend import inside, paths
from backend.arrays_in import DAMAGED
from backend.errors import FlipsideError
from backend.items import BGR_SCHEME, CROP_SCHEME
from backend.stores import opening
from backend.wide_pixels import NoRangeError, high_bytes, is_wide, narrowed

WORLD_SCHEME = "world:"
_CROP = re.compile(rf"{CROP_SCHEME}(-?\d{{1,9}}),(-?\d{{1,9}}),(\d{{1,9}}),(\d{{1,9}}):(.+)", re.DOTALL)
#: Regions of regions, and pixels of a region: no benchmark has more.
_MOST_REGIONS: Final = 4
_MOST_REGION: Final = 200_000_000
#: Pixels of a stored picture that a page decodes, and how many are decoded at once: 300 MB each.
MOST_STORED: Final = 100_000_000
_DECODING = threading.BoundedSemaphore(4)
#: What is opened at all, for a model as for a page: no format whose decoder runs another program (EPS).
_FORMATS: Final = (
    "JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM", "JPEG2000", *(("AVIF",) if features.check("avif") else ()),
)  # fmt: skip

# Of a picture between Pillow's first limit and its second, at which it refuses, it says only that it is large, and
# where Pillow lies. What `warnings.catch_warnings` does for a while is for one thread alone, and many decode.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

#: What a picture is read from: a file here, or the bytes that a store gave.
Readable = BufferedReader | BytesIO
Opened = Callable[[Readable], Image.Image]


def open_image(uri: str) -> Image.Image:
    """The image behind a URI as upright 8-bit RGB (EXIF rotation applied; transparency laid on white; of 16-bit grey
    the upper eight bits).

    Raises FlipsideError where the file is missing, is no image, or has pixels without an agreed range (modes I and F).
    """
    return _open(uri, _from_file, 0, stored=False)


def open_item(uri: str) -> Image.Image:
    """The same for an item's picture as models see it: also FlipsideError for a link that leads out of the folder which
    the picture was imported from, put there since."""
    return _open(uri, _from_file, 0, stored=True)


def wrong(data: bytes) -> str:
    r"""Why the bytes of a picture cannot be opened as one; "" where they can.

    A whole JPEG or PNG is told by its end, without decoding it; everything else is decoded.

    >>> wrong(b"<svg/>")
    "it begins with b'<svg/>', as no JPEG, PNG, WEBP, GIF, BMP, TIFF, PPM, JPEG2000, AVIF does"
    >>> wrong(b"\x89PNG\r\n\x1a\n")
    'it begins as a PNG does and is cut short or damaged: 8 bytes'
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=_FORMATS) as opened:
                n, form = opened.width * opened.height, opened.format
                if n > _MOST_REGION:
                    return f"it has {n:,} pixels, more than {_MOST_REGION:,}"
                is_wide(opened)
                if not _ends(data, form or ""):
                    opened.load()
    except NoRangeError as error:
        return error.reason.rstrip(".")
    except Exception as error:  # noqa: BLE001 - a damaged file can raise anything inside its decoder
        form = next((name for begin, name in _BEGINS.items() if data.startswith(begin)), "")
        unknown = isinstance(error, UnidentifiedImageError)
        if unknown and not form:
            return f"it begins with {data[:12]!r}, as no {', '.join(_FORMATS)} does"
        said = f"{len(data):,} bytes" if unknown else str(error) or type(error).__name__
        return f"it begins as a {form} does and is cut short or damaged: {said}" if form else said
    return ""


#: How files of these formats begin.
_BEGINS: Final = {
    b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"RIFF": "WEBP", b"BM": "BMP", b"II*\0": "TIFF",
    b"MM\0*": "TIFF", b"\0\0\0\x0cjP": "JPEG2000",
}  # fmt: skip


def _ends(data: bytes, form: str) -> bool:
    """Whether a JPEG or PNG goes on to its end: then nothing was cut off. False where only decoding can tell."""
    if form == "PNG":
        at = 8
        while at + 12 <= len(data):
            if data[at + 4 : at + 8] == b"IEND":
                return True
            at += 12 + int.from_bytes(data[at : at + 4], "big")
        return False
    at = 2
    while form == "JPEG" and data[at : at + 1] == b"\xff":  # segments, of which one may hold a whole preview
        if data[at + 1] == 0xDA:  # the first scan: in what follows, a zero stands behind every byte 0xFF of pixels
            return data.find(b"\xff\xd9", at) >= 0
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return False


def open_stored(uri: str, side: int = 0) -> Image.Image:
    """The same for what a page shows of a stored item: with bounded memory, and whatever is wrong with the picture is a
    FlipsideError. side: reduced to so many pixels each way at most; 0 leaves it as it is.
    """
    whole = uri.startswith((CROP_SCHEME, BGR_SCHEME)) or not side

    def bounded(file: Readable) -> Image.Image:
        with Image.open(file, formats=_FORMATS) as opened:
            if not whole:
                opened.draft("RGB", (2 * side, 2 * side))  # JPEG: decoded at a fraction of its size
            if opened.width * opened.height > MOST_STORED:
                raise FlipsideError(
                    f"{PurePosixPath(uri).name}: has {opened.width:,} x {opened.height:,} pixels, more than the "
                    f"{MOST_STORED // 10**6} million that a page opens."
                )
            return to_rgb(opened)

    try:
        with _DECODING:
            image = _open(uri, bounded, 0, stored=True)
            if side:
                image = image.copy()
                image.thumbnail((side, side), Image.Resampling.LANCZOS)
            return image
    except FlipsideError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file can raise anything inside its decoder
        said = str(error) or type(error).__name__
        raise FlipsideError(f"{uri[:200]}: cannot be read as an image ({said}). {_mend(uri)}") from None


def _mend(path: str) -> str:
    """What to do about a file that is no image. One that was unpacked from a table is named by its content: to replace
    it would help nobody."""
    if Path(path).parent == paths.cache_dir() / "images":
        return (
            "It was unpacked from a Parquet table, where it is damaged, too: mend the picture in the table or copy the "
            "table from its source again, and import it anew."
        )
    return "Replace the file."


def _open(uri: str, opened: Opened, depth: int, *, stored: bool) -> Image.Image:
    if uri.startswith(WORLD_SCHEME):
        from backend.world import scenes
        from backend.world.drawing import render

        return render.image(scenes.Scene.decode(uri.removeprefix(WORLD_SCHEME)))
    if uri.startswith(CROP_SCHEME):
        return _crop(uri, opened, depth, stored=stored)
    scheme, path = (_from_bgr, uri.removeprefix(BGR_SCHEME)) if uri.startswith(BGR_SCHEME) else (opened, uri)
    try:
        if opening.is_url(path):
            return scheme(BytesIO(opening.read(path)))
        with inside.opened(path, stored=stored) as file:
            return scheme(file)
    except NoRangeError as error:
        raise FlipsideError(f"{uri}: {error.reason}") from None
    except FileNotFoundError:
        raise FlipsideError(f"{uri}: no such image file. Check the benchmark's --data folder.") from None
    except Image.DecompressionBombError:
        most = 2 * (Image.MAX_IMAGE_PIXELS or 0)
        raise FlipsideError(
            f"{uri}: has more than {most:,} pixels, too many to open. Make the picture smaller."
        ) from None
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise FlipsideError(f"{uri}: cannot be read as an image ({error}). {_mend(path)}") from None


def _from_file(file: Readable) -> Image.Image:
    with Image.open(file, formats=_FORMATS) as opened:
        return to_rgb(opened)


def _crop(uri: str, opened: Opened, depth: int, *, stored: bool) -> Image.Image:
    """A region of another image; what lies outside that image is black, as in the benchmarks' own code."""
    found = _CROP.fullmatch(uri)
    if found is None or depth >= _MOST_REGIONS:
        raise FlipsideError(f"{uri[:200]}: expected {CROP_SCHEME}x,y,width,height:<image>.")
    x, y, width, height = (int(number) for number in found.groups()[:4])
    if width * height > _MOST_REGION:
        raise FlipsideError(f"{uri[:200]}: a region of {width:,} x {height:,} pixels, as no image has.")
    image = _open(found[5], opened, depth + 1, stored=stored)
    if not (width and height) or x >= image.width or y >= image.height or x + width <= 0 or y + height <= 0:
        raise FlipsideError(
            f"{found[5]}: the region {x},{y},{width},{height} lies outside its {image.width} x {image.height} pixels. "
            "Check that this is the benchmark's own image, not a smaller copy."
        )
    return image.crop((x, y, x + width, y + height))


def _from_bgr(file: Readable) -> Image.Image:
    """Pixels from a .npy file, the channels turned round; nothing in the file is executed."""
    path = getattr(file, "name", "the array")
    try:
        # Mapped, so that a header which promises more than the file holds takes no memory.
        pixels = (
            np.load(file, allow_pickle=False) if isinstance(file, BytesIO) else np.load(path, "r", allow_pickle=False)
        )
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise FlipsideError(f"{path}: cannot be read as an array ({error}). Replace the file.") from None
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        raise FlipsideError(
            f"{path}: expected height x width x 3 bytes (pixels), found {pixels.shape} of {pixels.dtype}. Features are "
            "no images: use the benchmark's frames."
        )
    if pixels.shape[0] * pixels.shape[1] > _MOST_REGION:
        raise FlipsideError(f"{path}: has {pixels.shape[1]:,} x {pixels.shape[0]:,} pixels, as no image has.")
    return Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1]))


def to_rgb(image: Image.Image) -> Image.Image:
    """Upright 8-bit RGB; alpha is composited on white, because dropping it would show what the author hid. An image
    that is all that already is returned as it is: a large one takes half a gigabyte, and so does its copy.

    Of 16-bit grey the upper eight bits are taken (see `wide_pixels`; Pillow's own `convert` would make it white).
    NoRangeError for 32-bit grey, whole or float, of which nobody knows what is black.
    """
    if _is_plain(image):
        return image
    if is_wide(image):
        image = narrowed(image)
    upright = ImageOps.exif_transpose(image)  # a copy, turned or not
    if upright.mode == "La":  # its colours are multiplied by its alpha, as those of RGBa
        upright = upright.convert("LA")
    if "transparency" in upright.info:
        upright.info["transparency"] = high_bytes(upright.info["transparency"])
    if upright.mode in ("RGBA", "RGBa", "LA", "PA") or "transparency" in upright.info:
        rgba = upright.convert("RGBA")
        white = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, rgba).convert("RGB")
    return upright if upright.mode == "RGB" else upright.convert("RGB")


def _is_plain(image: Image.Image) -> bool:
    """Whether it is upright RGB in memory, and no file that is still to be read."""
    if type(image) is not Image.Image or image.mode != "RGB" or "transparency" in image.info:
        return False
    return bool(image.getexif().get(ExifTags.Base.Orientation, 1) == 1)
