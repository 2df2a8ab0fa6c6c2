"""Images decoded ahead of the device, in order, with bounded memory.

Threads: PIL and numpy let go of the interpreter while they decode and render, and a picture handed over by a thread is
not copied. Processes on request, where a GPU would wait for what the model does to a picture first (processes.py).
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from backend.engine.inputs import image_bytes
from backend.engine.inputs.handed_over import Held, put, take
from backend.engine.inputs.kept_pictures import KeptPictures, stamp_of
from backend.engine.inputs.processes import Cut, Prepare, Processes, Tools
from backend.errors import FlipsideError
from backend.items import ImageRef

#: Images of one batch, and decoded images that wait for their turn: at most so many, and about so many bytes.
IMAGES = 64
BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Decoded:
    """An image, or the sentence why there is none. digest: of the bytes behind it, see image_bytes.py. An array: the
    model's own pixels, float32 (3, height, width), which it takes as they are."""

    ref: ImageRef
    picture: Image.Image | npt.NDArray[np.float32] | None
    problem: str = ""
    digest: str = ""

    @property
    def n_bytes(self) -> int:
        if isinstance(self.picture, np.ndarray):
            return int(self.picture.nbytes)
        return 0 if self.picture is None else self.picture.width * self.picture.height * 3


#: Images that are being decoded, in order.
Waiting = deque[tuple[ImageRef, Future[Any]]]


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


def prepared(image: Decoded, prepare: Prepare | None) -> Decoded:
    """With the model's own pixels in place of the picture; a picture that the model's code cannot take is left to the
    model, which says why."""
    if not isinstance(image.picture, Image.Image) or prepare is None:
        return image
    try:
        return replace(image, picture=prepare(image.picture))
    except Exception:  # noqa: BLE001 - asked for the same, the model raises it again, and the run names the item
        return image


def decode_and_prepare(ref: ImageRef, tools: Tools) -> tuple[Decoded, Held | None]:
    """Both, as a worker process does it; whatever is wrong with the picture is said as `decode` says it. Pixels may lie
    beside it, where the other process takes them."""
    image = prepared(decode(ref), tools.prepare)
    if isinstance(image.picture, np.ndarray) and isinstance(held := put(image.picture, tools.place), Held):
        return replace(image, picture=None), held
    return image, None


class Decoder:
    """A pool of decoding threads or processes; `batches` yields lists of images while the next are being decoded."""

    def __init__(
        self, workers: int, processes: int = 0, prepare: Prepare | None = None, kept: KeptPictures | None = None,
        cut: Cut | None = None,
    ) -> None:  # fmt: skip
        """workers: threads. processes: so many instead, in which `prepare` (`Model.preparer()`) is called, too, and for
        texts `cut` (`Model.text_preparer()`). kept: pictures that other models of the study have decoded, for
        threads."""
        self._processes = Processes(processes, decode_and_prepare, prepare, cut) if processes else None
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="decode")
        self._workers = processes or workers
        self._kept = kept if self._processes is None else None
        self.images, self.decoded = IMAGES, 0
        self._seen = self._total = 0  # images, and their bytes

    def close(self) -> None:
        """Stop the threads; images that nobody waits for are not decoded."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._processes is not None:
            self._processes.close()

    def for_batches_of(self, images: int) -> None:
        """Yield lists of so many images at most, so that a model that takes more than IMAGES at once gets them."""
        self.images = max(IMAGES, images)

    @property
    def bytes(self) -> int:
        """About so many in a list, and so many that wait; more where a GPU takes hundreds of pictures at once."""
        return BYTES * max(1, self.images // 128)

    def batches(self, refs: Iterable[ImageRef]) -> Iterator[list[Decoded]]:
        """The images in order, in lists of at most `images` images and about `bytes` bytes. The first are being decoded
        from now on, before they are asked for."""
        upcoming = iter(refs)
        waiting: Waiting = deque()
        self._fill(waiting, upcoming)
        return self._lists(waiting, upcoming)

    def _lists(self, waiting: Waiting, upcoming: Iterator[ImageRef]) -> Iterator[list[Decoded]]:
        batch: list[Decoded] = []
        size = 0
        for image in self._ahead(waiting, upcoming):
            batch.append(image)
            size += image.n_bytes
            if len(batch) >= self.images or size >= self.bytes:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def cut(self, texts: Sequence[str]) -> npt.NDArray[np.int64] | None:
        """Rows of tokens, where processes make them; else None."""
        return None if self._processes is None else self._processes.cut(texts)

    def _submit(self, ref: ImageRef) -> Future[Any]:
        if self._processes is not None:
            return self._processes.submit(ref)
        return self._pool.submit(decode if self._kept is None else self._from_kept, ref)

    def _from_kept(self, ref: ImageRef) -> Decoded:
        if self._kept is None:
            return decode(ref)
        if (known := self._kept.get(ref.uri)) is not None:
            return Decoded(ref, known.picture, digest=known.digest)
        before = stamp_of(ref.uri)
        image = decode(ref)
        if isinstance(image.picture, Image.Image):
            self._kept.put(ref.uri, image.picture, image.digest, before)
        return image

    def _result(self, ref: ImageRef, future: Future[Any]) -> Decoded:
        """A picture; where a process died (for its memory, say), decoded here, and so are all after it."""
        try:
            found = future.result()
            image, held = (found, None) if isinstance(found, Decoded) else found
            return replace(image, picture=take(held)) if held is not None else image
        except BrokenProcessPool:
            if self._processes is not None:
                self._processes.close()
                self._processes = None
            return decode(ref)
        except FileNotFoundError:  # it was closed with what it had made for this one
            return decode(ref)

    def _fill(self, waiting: Waiting, upcoming: Iterator[ImageRef]) -> None:
        """As many ahead as BYTES allow at the average size so far; a few at first, while that is unknown. Processes
        prepare the next lists while the device works on one."""
        lists = 1 if self._processes is None else 4
        fitting = self.bytes * self._seen // max(self._total, 1)
        ahead = max(2 * self._workers, min(lists * self.images, fitting))
        while len(waiting) < ahead and (ref := next(upcoming, None)) is not None:
            waiting.append((ref, self._submit(ref)))

    def _ahead(self, waiting: Waiting, upcoming: Iterator[ImageRef]) -> Iterator[Decoded]:
        try:
            while waiting:
                image = self._result(*waiting.popleft())
                self._seen, self._total = self._seen + 1, self._total + image.n_bytes
                self._fill(waiting, upcoming)
                self.decoded += image.picture is not None
                yield image
        finally:
            for _, future in waiting:
                future.cancel()
