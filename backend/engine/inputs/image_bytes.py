"""What an image's pixels are made of: a digest of the bytes behind its URI, and which ones a run has looked at.

A run folder's `images.jsonl` holds one line for each image that was scored: its key and its digest. It is written
before the scores of those images are committed, so a committed score whose image has no line is merely not taken over;
it neither ships nor travels in a bundle. Images of the world have none: their key is the scene, which gives the pixels.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from backend import inside
from backend.errors import FlipsideError
from backend.images import WORLD_SCHEME
from backend.items import BGR_SCHEME, CROP_SCHEME, ImageRef
from backend.stores import opening

IMAGES = "images.jsonl"
#: Files whose digests are kept while a command looks at the same pictures more than once.
FILES = 1 << 16


def sha256_of(path: str) -> str:
    """The sha256 of a file's bytes, or of those at an address in a store; "" where it cannot be read."""
    try:
        if opening.is_url(path):
            return hashlib.sha256(opening.read(path)).hexdigest()
        with inside.opened(path, stored=True) as source:
            return hashlib.file_digest(source, "sha256").hexdigest()
    except (OSError, ValueError, FlipsideError):
        return ""


def digest(uri: str, of_file: Callable[[str], str] = sha256_of) -> str:
    """A name of the pixels behind a URI: the scene's code, else sha256 of the file's bytes with the region that is cut
    out of it; "" where the file cannot be read.

    >>> digest("world:5.hgbdJS.crssYC")
    'world:5.hgbdJS.crssYC'
    """
    if uri.startswith(WORLD_SCHEME):
        return uri
    if uri.startswith(CROP_SCHEME):
        box, _, inner = uri.removeprefix(CROP_SCHEME).partition(":")
        within = digest(inner, of_file)
        return within and f"{CROP_SCHEME}{box}:{within}"
    scheme = BGR_SCHEME if uri.startswith(BGR_SCHEME) else ""
    found = of_file(uri.removeprefix(scheme))
    return found and f"{scheme}sha256:{found}"


class Digests:
    """`digest` with a memory of files: each is read once, however many regions are cut out of it."""

    def __init__(self) -> None:
        self._of_file = lru_cache(maxsize=FILES)(sha256_of)

    def __call__(self, uri: str) -> str:
        return digest(uri, self._of_file)


class Seen:
    """The digests of a run's images by key. A key that has had two different ones has none: its scores may be of
    either picture."""

    def __init__(self, run_dir: Path, *, told: bool = True) -> None:
        """told: whether the digests of everything that the run has scored are there; else none is ever added, for its
        scores may be of other pictures than those that are looked at now."""
        self.path, self.told = run_dir / IMAGES, told
        self.known = read(run_dir)

    def note(self, images: Iterable[tuple[ImageRef, str]]) -> None:
        """Write down what was looked at since; images of the world, and what is known, are left out."""
        lines = []
        for image, found in images if self.told else ():
            if found and not _is_scene(image.key, found) and self.known.get(image.key, "?") not in (found, ""):
                self.known[image.key] = found if image.key not in self.known else ""
                lines.append(json.dumps([image.key, found], ensure_ascii=False) + "\n")
        if lines:
            with self.path.open("a", encoding="utf-8") as log:
                log.writelines(lines)


def read(run_dir: Path) -> dict[str, str]:
    """Key -> digest of a run's images, "" for a key that has had several; a line that a killed process left unfinished
    is passed over."""
    found: dict[str, str] = {}
    with suppress(FileNotFoundError), (run_dir / IMAGES).open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            with suppress(ValueError, TypeError):
                key, value = json.loads(line)
                found[str(key)] = str(value) if found.get(str(key), value) == value else ""
    return found


def of_key(known: Mapping[str, str], key: str) -> str:
    """The digest of the picture that a run scored under a key; "" where it is not known."""
    return known.get(key, key if _is_scene(key, key) else "")


def _is_scene(key: str, found: str) -> bool:
    return found == key and key.startswith(WORLD_SCHEME)
