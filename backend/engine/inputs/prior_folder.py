"""Images of a folder for a prior (`--prior images:N@FOLDER`): training images, as VisualGPTScore draws them (Eq. 13).

The draw is seeded and does not depend on where the folder lies: the N files whose relative paths have the least seeded
hashes. Its part is named by the folder's last name and a digest of the drawn files' bytes, never by a machine's path.
"""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from backend.benchmarks.reading.folder import Folder
from backend.engine.inputs import image_bytes
from backend.errors import UsageError
from backend.items import ImageRef
from backend.paths import typed_path
from backend.recorded import file_of
from backend.regular import not_a_folder

if TYPE_CHECKING:
    from backend.intake.survey import Survey

#: What counts as an image file, whatever its case.
SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")


def draw(folder: str, n: int, seed: int) -> tuple[tuple[ImageRef, ...], str, str]:
    """N images of a folder, at any depth, by a seeded draw: (key is the path in the folder, uri the file), the sha256
    over their bytes, in their order, and a sentence on links that were not followed, "" without any. UsageError, naming
    the folder or the file, where that cannot be."""
    said = f"--prior images:{n}@{folder}"
    root = typed_path(folder, f"--prior images:{n}@DIR:").resolve()
    if not root.is_dir():
        raise UsageError(f"{said}: {root}: {not_a_folder(root)}. Name a folder of images.")
    files = Folder(root)
    found = [path for path in files.paths() if path.lower().endswith(SUFFIXES)]
    links = files.links_said()
    if len(found) < n:
        there = "no image" if not found else "only 1 image" if len(found) == 1 else f"only {len(found)} images"
        what = "Ask for fewer." if found else "Name a folder of images."
        kinds = ", ".join(SUFFIXES)
        raise UsageError(" ".join(filter(None, (f"{said}: {root} has {there} ({kinds}) in it or below.", links, what))))
    chosen = sorted(found, key=lambda path: (_hash(f"{seed}:{path}"), path))[:n]
    digests = []
    for path in chosen:
        digests.append(image_bytes.sha256_of(str(root / path)))
        if not digests[-1]:
            raise UsageError(f"{said}: {root / path} cannot be read. Let it be read, or take it out of the folder.")
    whole = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return tuple(ImageRef(path, str(root / path)) for path in chosen), whole, links


def keys_in(found: "Survey", drawn: Iterable[ImageRef]) -> list[str]:
    """For each drawn image the key of the benchmark's image with the same bytes, "" where it has none: an item's own
    image must not count in its P(t), wherever it was drawn from. Only files of the same size are read."""
    drawn = list(drawn)
    sizes: dict[int, list[str]] = {}
    for image in drawn:
        sizes.setdefault(Path(image.uri).stat().st_size, []).append(image.uri)
    digest = lru_cache(maxsize=None)(image_bytes.sha256_of)
    wanted = {digest(image.uri) for image in drawn}
    keys: dict[str, str] = {}
    looked: set[str] = set()
    for _, names, uris in found.items.rows("image_keys", "image_uris"):
        for key, uri in zip(names, uris, strict=True):
            path = file_of(uri)
            if path and path not in looked:
                looked.add(path)
                if _size(path) in sizes and digest(path) in wanted:
                    keys.setdefault(digest(path), key)
    return [keys.get(digest(image.uri), "") for image in drawn]


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return -1


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest()
