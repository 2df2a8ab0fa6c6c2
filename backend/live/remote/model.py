"""A model behind the live backend, as live scoring asks it: the same numbers, computed there."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.kinds import PAIR_KINDS, Kind
from backend.live.remote import calls
from backend.live.remote.client import Client
from backend.live.remote.wire import BrokenError
from backend.live.scoring.joining import PAIRS, Call
from backend.models import Model, Picture, TokenScores
from backend.models.base import PairScore, check_pairs
from backend.models.pictures import decode

#: Bytes of pixels that go with one question, where it has more than one picture.
AT_ONCE: Final = 32_000_000


class RemoteModel(Model):
    """One model of a backend.

    concurrent: many threads may ask it at once; the backend joins what they ask. stale: the backend has loaded it anew
    since, so it may be another one now: whoever keeps this one loads it again, and forgets what it has said.
    """

    family: ClassVar[str] = "remote"
    concurrent: ClassVar[bool] = True

    def __init__(self, client: Client, spec: str) -> None:
        """Has the backend load it. FlipsideError where it does not offer it, or does not answer."""
        super().__init__(spec)
        self.client, self.stale = client, False
        said = client.open(spec)
        self.kinds, self.pairwise = (_kinds(client, said.get(name)) for name in ("kinds", "pairwise"))
        self.image_size = _size(client, said.get("image_size"))
        self.load_id = str(said.get("load"))[:64]

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the model there."""
        if not self.kinds & {Kind.T2T, Kind.ITC}:
            self.cannot(Kind.T2T)
        return _rows(self._ask(Call("encode_texts", texts=texts)))

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        """As of the model there."""
        if Kind.ITC not in self.kinds - self.pairwise:
            self.cannot(Kind.ITC)
        return _rows(self._ask(Call("encode_images", images)))

    def pair_scores(
        self, kind: str, images: Sequence[Picture], texts: Sequence[str | tuple[str, str]]
    ) -> list[PairScore]:
        """As of the model there, for kinds of one text."""
        if kind not in PAIR_KINDS or kind not in self.kinds:
            self.cannot(kind)
        alone = [text for text in texts if isinstance(text, str)]
        check_pairs(images, alone)
        return self._ask(Call(PAIRS, images, alone, str(kind)))

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        """As of the model there."""
        if Kind.PRIOR not in self.kinds:
            self.cannot(Kind.PRIOR)
        return self._ask(Call("text_logprobs", texts=texts))

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """As of the model there."""
        return np.array(self._ask(Call("truncated", texts=texts)), dtype=np.bool_)

    def describe(self) -> dict[str, Any]:
        """No run is made of what a backend says; its weights are there."""
        raise UsageError(f"{self.spec} is scored by {self.client.backend.base}: runs are made by flipside run --ray.")

    def _ask(self, call: Call) -> list[Any]:
        opened: dict[object, Picture] = {}  # paths are opened here, each once
        images = [
            opened.setdefault(image if isinstance(image, str | Path) else id(image), image) for image in call.images
        ]
        known = {id(image): decode(image) for image in opened.values()}
        ready = Call(call.method, [known[id(image)] for image in images], call.texts, call.kind)
        return [answer for part in _parts(ready) for answer in self._once(part)]

    def _once(self, call: Call) -> list[Any]:
        head, arrays = self.client.ask(calls.question(self.spec, call, small=not self.client.backend.is_near))
        try:
            found = calls.read_answer(call, head, arrays)
        except BrokenError as error:
            raise self.client.nonsense(str(error)) from None
        self.stale = self.stale or head.get("load") != self.load_id
        return found


def _parts(call: Call) -> Iterator[Call]:
    """The call in as many questions as its size asks for: never more inputs or pixels than go at once."""
    n = len(call.inputs())
    begin, seen, held = 0, set[int](), 0
    for k in range(n):
        size = 0
        if call.images and id(call.images[k]) not in seen:
            image = call.images[k]
            size = _bytes(image)
        if k > begin and (held + size > AT_ONCE or k - begin == calls.INPUTS):
            yield _slice(call, begin, k)
            begin, seen, held = k, set(), 0
        if call.images:
            seen.add(id(call.images[k]))
        held += size
    if n > begin:
        yield _slice(call, begin, n)


def _bytes(image: Any) -> int:
    return int(image.nbytes) if isinstance(image, np.ndarray) else 3 * int(image.width) * int(image.height)


def _slice(call: Call, start: int, end: int) -> Call:
    return Call(call.method, call.images[start:end], call.texts[start:end], call.kind)


def _rows(vectors: list[Any]) -> NDArray[np.float32]:
    return np.asarray(np.stack(vectors), dtype=np.float32) if vectors else np.zeros((0, 0), dtype=np.float32)


def _kinds(client: Client, said: Any) -> frozenset[str]:
    if not isinstance(said, list) or not all(isinstance(kind, str) for kind in said):
        raise client.nonsense("it does not say what the model gives")
    return frozenset(Kind(kind) for kind in said if kind in set(Kind))


def _size(client: Client, said: Any) -> tuple[int, int] | None:
    if said is None:
        return None
    if not isinstance(said, list) or len(said) != 2 or not all(type(n) is int and 0 < n <= 8192 for n in said):
        raise client.nonsense("it does not say how large the model's pictures are")
    return said[0], said[1]
