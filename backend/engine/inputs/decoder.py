"""Images decoded ahead of the device, in order, with bounded memory.

Threads: PIL and numpy let go of the interpreter while they decode and render, and a picture handed over by a thread is
not copied. Processes on request, where a GPU would wait for what the model does to a picture first (processes.py).

What the windows after this one will ask for is begun where there is room (`expect`), so that nobody who decodes waits
while one window ends and the next begins. It is a guess that decides nothing: what is asked for and has not been begun
is begun then.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from backend.engine.inputs.decode import Decoded, decode, decode_and_prepare
from backend.engine.inputs.handed_over import Held, take
from backend.engine.inputs.kept_pictures import KeptPictures, stamp_of
from backend.engine.inputs.processes import Cut, Prepare, Processes
from backend.engine.inputs.slots import InSlot, Slot
from backend.items import ImageRef

#: Images of one batch, and decoded images that wait for their turn: at most so many, and about so many bytes.
IMAGES = 64
BYTES = 256 << 20
#: Pictures that a process is given at once: each handing over takes the asking process about a tenth of a millisecond.
GROUP = 8


@dataclass(slots=True)
class _Begun:
    """A picture that is being decoded, or waits to be. place: in what the future gives. slot: where a process may write
    its pixels."""

    ref: ImageRef
    future: Future[list[Any]] | None = None
    place: int = 0
    slot: Slot | None = None


class Decoder:
    """A pool of decoding threads or processes; `batches` yields lists of images while the next are being decoded. One
    thread asks it."""

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
        self._expected: Iterator[ImageRef] = iter(())
        self._ahead: dict[str, _Begun] = {}  # begun before they were asked for, by the image's key
        self._rows: dict[str, tuple[Future[npt.NDArray[np.int64]], int]] = {}  # texts that are being cut

    def close(self) -> None:
        """Stop the threads; images that nobody waits for are not decoded."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._processes is not None:
            self._processes.close()

    def all_there(self) -> None:
        """Wait until all processes have begun, for who measures what they do."""
        if self._processes is not None:
            self._processes.all_there()

    def for_batches_of(self, images: int) -> None:
        """Yield lists of so many images at most, so that a model that takes more than IMAGES at once gets them."""
        self.images = max(IMAGES, images)

    @property
    def bytes(self) -> int:
        """About so many in a list, and so many that wait; more where a GPU takes hundreds of pictures at once."""
        return BYTES * max(1, self.images // 128)

    @property
    def cuts(self) -> bool:
        """Whether processes cut texts into tokens."""
        return self._processes is not None and self._processes.cuts

    def expect(self, refs: Iterable[ImageRef], texts: Sequence[str] = (), now: Collection[str] = ()) -> None:
        """What will be asked for after the next `batches`, the first of it first. refs: taken as there is room. texts:
        all begun now, where processes cut them. now: keys of the images that the next `batches` asks for. What was
        begun and is neither among these nor soon among refs is let go."""
        coming, seen = iter(refs), list[ImageRef]()
        unasked = dict.fromkeys(key for key in self._ahead if key not in now)
        for ref in islice(coming, 2 * len(unasked)):
            seen.append(ref)
            unasked.pop(ref.key, None)
        for key in unasked:
            self._let_go(self._ahead.pop(key))
        self._expected = chain(seen, coming)
        self._begin_to_cut([text for text in texts if text not in self._rows])

    def has_begun(self, image: ImageRef) -> bool:
        """Whether it was begun ahead, and has not been asked for."""
        return image.key in self._ahead

    def batches(self, refs: Iterable[ImageRef]) -> Iterator[list[Decoded]]:
        """The images in order, in lists of at most `images` images and about `bytes` bytes. The first are being decoded
        from now on, before they are asked for."""
        upcoming = iter(refs)
        waiting: deque[_Begun] = deque()
        self._fill(waiting, upcoming)
        return self._lists(waiting, upcoming)

    def _lists(self, waiting: deque[_Begun], upcoming: Iterator[ImageRef]) -> Iterator[list[Decoded]]:
        batch: list[Decoded] = []
        size = 0
        for image in self._in_order(waiting, upcoming):
            batch.append(image)
            size += image.n_bytes
            if len(batch) >= self.images or size >= self.bytes:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def cut(self, texts: Sequence[str]) -> npt.NDArray[np.int64] | None:
        """Rows of tokens, (n, width), where processes make them; None where they do not, where a process died, or where
        a text cannot be cut: then the model is asked, which says why."""
        self._begin_to_cut([text for text in texts if text not in self._rows])
        if not all(text in self._rows for text in texts):
            return None
        found = [self._rows[text] for text in texts]
        for text in texts:
            self._rows.pop(text, None)
        try:
            return np.stack([future.result()[row] for future, row in found])
        except Exception:  # noqa: BLE001 - whatever a tokenizer raises, it raises again when the model is asked
            return None

    def _begin_to_cut(self, texts: Sequence[str]) -> None:
        if self._processes is None:
            return
        texts = list(dict.fromkeys(texts))
        at = 0
        for future, n in self._processes.begin_to_cut(texts):
            self._rows |= {text: (future, k) for k, text in enumerate(texts[at : at + n])}
            at += n

    def _begin(self, new: Sequence[_Begun]) -> None:
        """Have them decoded, some at a time by processes."""
        if self._processes is None:
            for one in new:
                one.future = self._pool.submit(partial(self._here, one.ref))
            return
        slots = self._processes.slots
        size = max(1, min(GROUP, len(new) // self._workers))
        for at in range(0, len(new), size):
            group = new[at : at + size]
            for place, one in enumerate(group):
                one.place, one.slot = place, None if slots is None else slots.next()
            future = self._processes.submit([one.ref for one in group], [one.slot for one in group])
            for one in group:
                one.future = future

    def _here(self, ref: ImageRef) -> list[Any]:
        """In a thread."""
        return [(decode(ref) if self._kept is None else self._from_kept(ref, self._kept), None)]

    @staticmethod
    def _from_kept(ref: ImageRef, kept: KeptPictures) -> Decoded:
        if (known := kept.get(ref.uri)) is not None:
            return Decoded(ref, known.picture, digest=known.digest, is_kept=True)
        before = stamp_of(ref.uri)
        image = decode(ref)
        if isinstance(image.picture, Image.Image):
            kept.put(ref.uri, image.picture, image.digest, before)
        return image

    def _result(self, begun: _Begun) -> Decoded:
        """A picture; where a process died (for its memory, say), decoded here, and so are all after it."""
        if begun.future is None:
            raise TypeError(f"{begun.ref.uri} was never begun")
        try:
            image: Decoded
            image, held = begun.future.result()[begun.place]
            if held is not None:
                image = replace(image, picture=self._taken(begun, held))
            elif begun.slot is not None:
                self._give_back(begun.slot)
        except BrokenProcessPool:
            if self._processes is not None:
                self._processes.close()
                self._processes, self._rows = None, {}
            return decode(begun.ref)
        except FileNotFoundError:  # it was closed with what it had made for this one
            return decode(begun.ref)
        return replace(image, ref=begun.ref)  # begun ahead, for an item whose image this is, too

    def _taken(self, begun: _Begun, held: Held | InSlot) -> npt.NDArray[np.float32]:
        """The pixels of a process; the first ones say how large the memory for the next ones is."""
        slots = None if self._processes is None else self._processes.slots
        if isinstance(held, InSlot):
            if slots is None:
                raise FileNotFoundError(begun.ref.uri)
            return slots.pixels(held)
        if begun.slot is not None:
            self._give_back(begun.slot)
        pixels = take(held)
        if self._processes is not None and slots is None:
            self._processes.sized(pixels.nbytes, min(6 * self.images, 2 * self.bytes // pixels.nbytes + GROUP))
        return pixels

    def _give_back(self, slot: Slot) -> None:
        if self._processes is not None and self._processes.slots is not None:
            self._processes.slots.back(slot.offset)

    def _room(self, waiting: deque[_Begun]) -> int:
        """How many more may be begun: as many wait as BYTES allow at the average size so far; a few at first, while
        that is unknown. Processes prepare the next lists while the device works on one."""
        lists = 1 if self._processes is None else 4
        fitting = self.bytes * self._seen // max(self._total, 1)
        room = max(2 * self._workers, min(lists * self.images, fitting)) - len(waiting) - len(self._ahead)
        return room if self._processes is None or room >= min(GROUP, self._workers) else 0

    def _fill(self, waiting: deque[_Begun], upcoming: Iterator[ImageRef]) -> None:
        """Begin as many as there is room for, of what is asked for and then of what is expected; one in any case."""
        room, new = self._room(waiting), list[_Begun]()
        while len(new) < room or not waiting:
            if (ref := next(upcoming, None)) is None:
                break
            one = self._ahead.pop(ref.key, None)
            if one is not None and one.ref.uri != ref.uri:
                self._let_go(one)
                one = None
            if one is None:
                new.append(one := _Begun(ref))
            one.ref = ref
            waiting.append(one)
        while len(new) < room and (expected := next(self._expected, None)) is not None:
            if expected.key not in self._ahead:
                new.append(one := _Begun(expected))
                self._ahead[expected.key] = one
        self._begin(new)

    def _in_order(self, waiting: deque[_Begun], upcoming: Iterator[ImageRef]) -> Iterator[Decoded]:
        try:
            while waiting:
                image = self._result(waiting.popleft())
                self._seen, self._total = self._seen + 1, self._total + image.n_bytes
                self._fill(waiting, upcoming)
                self.decoded += image.picture is not None and not image.is_kept
                yield image
        finally:
            for one in waiting:
                self._let_go(one)

    def _let_go(self, one: _Begun) -> None:
        """Nobody will ask for it."""
        if one.future is None or (self._processes is None and one.future.cancel()):
            return

        def given(future: Future[list[Any]]) -> None:
            if not future.cancelled() and future.exception() is None:
                held = future.result()[one.place][1]
                if isinstance(held, Held):
                    with suppress(OSError):  # all of it went when the processes were closed
                        take(held)
            if one.slot is not None:
                self._give_back(one.slot)

        one.future.add_done_callback(given)
