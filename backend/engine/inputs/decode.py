"""Images decoded ahead of the device, in order, with bounded memory.

Threads, not processes: PIL and numpy let go of the interpreter while they decode and render, and a picture handed over
by a thread is not copied.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from PIL import Image

from backend.engine.inputs import image_bytes
from backend.errors import FlipsideError
from backend.items import ImageRef

#: Images of one batch, and decoded images that wait for their turn: at most so many, and about so many bytes.
IMAGES = 64
BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Decoded:
    """An image, or the sentence why there is none. digest: of the bytes behind it, see image_bytes.py."""

    ref: ImageRef
    picture: Image.Image | None
    problem: str = ""
    digest: str = ""

    @property
    def n_bytes(self) -> int:
        return 0 if self.picture is None else self.picture.width * self.picture.height * 3


def decode(ref: ImageRef) -> Decoded:
    """Open one image; whatever is wrong with the file becomes a sentence about this image alone."""
    from backend.models.pictures import decode as open_picture

    try:
        picture = open_picture(ref.uri)
    except FlipsideError as error:
        return Decoded(ref, None, str(error))
    except MemoryError:
        return Decoded(ref, None, f"{ref.uri}: does not fit into memory. Make the image smaller.")
    except Exception as error:  # noqa: BLE001 - a damaged file can raise anything inside its decoder
        return Decoded(ref, None, f"{ref.uri}: cannot be decoded ({type(error).__name__}: {error}). Replace the file.")
    if isinstance(picture, np.ndarray):
        raise TypeError(f"{ref.uri} opened as an array")
    return Decoded(ref, picture, digest=image_bytes.digest(ref.uri))


class Decoder:
    """A pool of decoding threads; `batches` yields lists of images while the next ones are being decoded."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="decode")
        self._workers = workers
        self.decoded = 0

    def close(self) -> None:
        """Stop the threads; images that nobody waits for are not decoded."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def batches(self, refs: Sequence[ImageRef]) -> Iterator[list[Decoded]]:
        """The images in order, in lists of at most IMAGES images and about BYTES bytes."""
        batch: list[Decoded] = []
        size = 0
        for image in self._ahead(refs):
            batch.append(image)
            size += image.n_bytes
            if len(batch) >= IMAGES or size >= BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _ahead(self, refs: Sequence[ImageRef]) -> Iterator[Decoded]:
        """As many ahead as BYTES allow at the average size so far; a few at first, while that is unknown."""
        waiting: deque[Future[Decoded]] = deque()
        upcoming = iter(refs)
        seen = total = 0
        ahead = 2 * self._workers
        try:
            while True:
                while len(waiting) < ahead and (ref := next(upcoming, None)) is not None:
                    waiting.append(self._pool.submit(decode, ref))
                if not waiting:
                    return
                image = waiting.popleft().result()
                seen, total = seen + 1, total + image.n_bytes
                ahead = max(2 * self._workers, min(IMAGES, BYTES * seen // max(total, 1)))
                self.decoded += image.picture is not None
                yield image
        finally:
            for future in waiting:
                future.cancel()
