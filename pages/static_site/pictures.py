"""Small pictures for a published site: 192 pixels each way at most, each once, named by what it shows."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from backend.errors import FlipsideError
from backend.images import open_stored

SIDE = 192
QUALITY = 80


def write(
    uris: Iterable[str], folder: Path, told: Callable[[int, int], None] = lambda _done, _all: None
) -> dict[str, str]:
    """Write the pictures of some URIs; URI -> file name in the folder. What cannot be read has none. Nothing but pixels
    is written: neither the name nor what the file says of itself.

    told: called now and then with how many are done, of how many.
    """
    wanted = list(dict.fromkeys(uri for uri in uris if uri))
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, str] = {}
    for done, uri in enumerate(wanted):
        try:
            image = open_stored(uri, SIDE).convert("RGB")
        except FlipsideError:
            continue
        kept = BytesIO()
        image.save(kept, "WEBP", quality=QUALITY, method=4)
        data = kept.getvalue()
        name = f"{sha256(data).hexdigest()[:16]}.webp"
        if not (folder / name).exists():
            (folder / name).write_bytes(data)
        found[uri] = name
        if done % 200 == 0:
            told(done, len(wanted))
    return found
