"""Uploaded images made safe: real decoding whatever the name says, limits before pixels, upright RGB, content hash."""

import warnings
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, UnidentifiedImageError

from backend.durable import unwritable
from backend.errors import FlipsideError
from backend.images import to_rgb
from backend.paths import cache_dir
from backend.wide_pixels import NoRangeError

#: In MB: a photograph, and any upload. Uploads lie in the server's memory until their page lets go of them, and are
#: copied once while they are written, so no more is offered; what is larger is imported at the command line.
PHOTO_MB: Final = 25
LARGEST_MB: Final = 200
MAX_BYTES: Final = PHOTO_MB * 1024 * 1024
MAX_PIXELS: Final = 50_000_000
#: Larger pictures are reduced to this side after decoding: no model here sees more, and sessions share one memory.
MAX_SIDE: Final = 2048
#: No format whose decoder runs another program (EPS) or that nobody photographs in.
FORMATS: Final = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
SCHEME: Final = "upload:"


@dataclass(frozen=True)
class Upload:
    """A decoded upload. image: upright RGB; key: sha256 of its pixels and size; notes: what was changed, in words."""

    name: str
    image: Image.Image
    key: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, name: str) -> Upload:
    """The picture in the bytes. Raises FlipsideError with one sentence that names the file and says what to do."""
    shown = shorten(name)
    if not data:
        raise FlipsideError(f"“{shown}” is empty; choose the picture again.")
    if len(data) > MAX_BYTES:
        raise FlipsideError(
            f"“{shown}” has {len(data) / 2**20:.0f} MB, more than the {MAX_BYTES // 2**20} MB allowed; "
            "save it as a smaller JPEG."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            with Image.open(BytesIO(data), formats=FORMATS) as opened:
                return _decoded(opened, name, shown)
        except NoRangeError as error:
            raise FlipsideError(f"“{shown}”: {error.reason}") from None
        except Image.DecompressionBombError:
            raise FlipsideError(_too_many(shown, "")) from None
        except UnidentifiedImageError:
            raise FlipsideError(
                f"“{shown}” is not a picture, whatever its name says; choose a JPEG, PNG, WebP, GIF, BMP or TIFF file."
            ) from None
        except (OSError, SyntaxError, ValueError, EOFError, MemoryError):
            raise FlipsideError(f"“{shown}” is damaged or cut short; save or download it again.") from None


def _decoded(opened: Image.Image, name: str, shown: str) -> Upload:
    width, height = opened.size
    if width * height > MAX_PIXELS:
        raise FlipsideError(_too_many(shown, f" ({width:,} × {height:,})"))
    if min(width, height) < 1:
        raise FlipsideError(f"“{shown}” has no pixels; choose another picture.")
    notes = []
    if getattr(opened, "n_frames", 1) > 1:
        opened.seek(0)
        notes.append("only its first frame is used")
    image = to_rgb(opened)
    if max(image.size) > MAX_SIDE:
        image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
        notes.append(f"reduced to {image.width} × {image.height} pixels")
    return Upload(name, image, content_key(image), tuple(notes))


def content_key(image: Image.Image) -> str:
    """sha256 of an RGB image's size and pixels."""
    return sha256(f"{image.width}x{image.height}:".encode() + image.tobytes()).hexdigest()


def save(upload: Upload) -> str:
    """Keep an upload under its content hash, because its user wants to share it; its `upload:` address."""
    path = _path(upload.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        aside = path.with_suffix(".part")
        try:
            upload.image.save(aside, "PNG")
            aside.replace(path)
        except OSError as error:
            aside.unlink(missing_ok=True)
            if said := unwritable(error, path.parent):
                raise FlipsideError(said) from None
            raise
    return SCHEME + upload.key


def load(address: str) -> Upload:
    """The shared upload behind an `upload:` address. Raises FlipsideError where it was deleted or never was."""
    key = address.removeprefix(SCHEME)
    path = _path(key)
    if not path.is_file():
        raise FlipsideError("The shared picture in this address was deleted or never saved here; upload it again.")
    return Upload("shared picture", decode(path.read_bytes(), "shared picture").image, key)


def delete(address: str) -> None:
    """Forget a shared upload."""
    _path(address.removeprefix(SCHEME)).unlink(missing_ok=True)


def shorten(name: str, limit: int = 60) -> str:
    """A file's name for a message: the last part, without control characters, not longer than `limit`."""
    plain = "".join(c for c in name.replace("\\", "/").rsplit("/", 1)[-1] if c.isprintable()) or "the file"
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def _path(key: str) -> Path:
    if len(key) != 64 or any(c not in "0123456789abcdef" for c in key):
        raise FlipsideError("The address names no shared picture; upload it again.")
    return cache_dir() / "uploads" / f"{key}.png"


def _too_many(shown: str, size: str) -> str:
    return (
        f"“{shown}” has more than {MAX_PIXELS // 1_000_000} million pixels{size} and was not opened; "
        "reduce it and try again."
    )
