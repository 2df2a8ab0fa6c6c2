"""Pictures that one model of a study has decoded, for the models after it.

The models of a study go through the same benchmarks one after the other, each in the same order. What was used last is
the wrong thing to keep then: of a list that is longer than the room, nothing would be there when it begins anew. So the
first pictures stay, as many as there is room for, and the others are decoded each time.
"""

import threading
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from backend import environment
from backend.items import BGR_SCHEME, CROP_SCHEME

VARIABLE = "FLIPSIDE_KEEP_PICTURES"
#: Bytes of decoded pictures that stay: of COCO's size about 580.
ROOM = 512 << 20


@dataclass(frozen=True)
class Kept:
    """A decoded picture with the digest of the bytes that it was decoded from. stamp: of the file at that time."""

    picture: Image.Image
    digest: str
    stamp: tuple[int, int]


class KeptPictures:
    """Decoded pictures by URI. A file that has changed since (its time or its size) is decoded again. Only files are
    kept: a scene is drawn as fast, and a region of a picture would hold all of it. Any thread may ask."""

    def __init__(self, room: int | None = None) -> None:
        """room: bytes; what $FLIPSIDE_KEEP_PICTURES says where nobody else does, else ROOM."""
        self.room = room if room is not None else environment.room(VARIABLE, ROOM)
        self.bytes, self.taken = 0, 0
        self._known: dict[str, Kept] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, uri: str) -> Kept | None:
        """The picture, as long as its file is the one that was decoded. Not to be written into."""
        kept = self._known.get(uri)
        if kept is None or kept.stamp != stamp_of(uri):
            return None
        with self._lock:
            self.taken += 1
        return kept

    def put(self, uri: str, picture: Image.Image, digest: str, stamp: tuple[int, int] | None) -> None:
        """Keep a picture where there is room. stamp: `stamp_of` before it was decoded; a file that was written into
        meanwhile is not kept."""
        size = picture.width * picture.height * 3
        if stamp is None or not digest or stamp != stamp_of(uri):
            return
        with self._lock:
            old = self._known.pop(uri, None)
            self.bytes -= 0 if old is None else old.picture.width * old.picture.height * 3
            if self.bytes + size <= self.room:
                self._known[uri] = Kept(picture, digest, stamp)
                self.bytes += size


def stamp_of(uri: str) -> tuple[int, int] | None:
    """A file's time of change and size; None for what is no file by itself."""
    if uri.startswith((CROP_SCHEME, BGR_SCHEME)) or not Path(uri).is_absolute():
        return None
    try:
        found = Path(uri).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size
