"""One model asked by many sessions at a time: what has queued while it was busy goes as one call.

Nobody waits for others to come, and there is no thread of its own: whoever finds the model free asks for all that wait
with the same question, the oldest first, and deals the answers out. The model is used by one thread at a time.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from threading import Condition, Lock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from backend.live.scoring.joining import MOST, PAIRS, Answers, Call, answered, parts
from backend.models import Model, Picture, TokenScores
from backend.models.base import PairScore


class _Asked:
    """A call that waits, and its answers once there are any."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.answers: Answers | None = None


class Together:
    """A model for any number of threads.

    lock: held while the model is asked; whoever else uses the model takes it, too. A model whose `concurrent` is True
    (one behind a server, which joins calls itself) is asked at once by each.
    joined: how many calls went along with another one so far.
    """

    def __init__(self, model: Model, lock: "Lock | None" = None) -> None:
        self.model, self.spec = model, model.spec
        self.kinds, self.pairwise = model.kinds, model.pairwise
        self.joined = 0
        self._concurrent = bool(getattr(model, "concurrent", False))
        self._lock = lock or Lock()
        self._changed = Condition()
        self._busy = False
        self._waiting: deque[_Asked] = deque()

    def call(self, call: Call) -> list[Any]:
        """One answer an input. Raises what the model raises for this very call."""
        if self._concurrent:
            return _of(answered(self.model, [call])[0])
        mine = _Asked(call)
        with self._changed:
            self._waiting.append(mine)
        while True:
            with self._changed:
                while self._busy and mine.answers is None:
                    self._changed.wait()
                if mine.answers is not None:
                    return _of(mine.answers)
                self._busy = True
                batch = self._next()
            self._lead(batch)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of `Model.encode_texts`."""
        return _rows(self.call(Call("encode_texts", texts=texts)))

    def encode_images(self, images: Sequence[Picture], keys: Sequence[Hashable] | None = None) -> NDArray[np.float32]:
        """As of `Model.encode_images`. keys: what names each image's content."""
        return _rows(self.call(Call("encode_images", images, keys=keys)))

    def pair_scores(
        self, kind: str, images: Sequence[Picture], texts: Sequence[str], keys: Sequence[Hashable] | None = None
    ) -> list[PairScore]:
        """As of `Model.pair_scores`, for kinds of one text."""
        return self.call(Call(PAIRS, images, texts, str(kind), keys))

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        """As of `Model.text_logprobs`."""
        return self.call(Call("text_logprobs", texts=texts))

    def truncated(self, texts: Sequence[str]) -> list[bool]:
        """As of `Model.truncated`."""
        return self.call(Call("truncated", texts=texts))

    def noise_images(self, n: int, seed: int) -> list[NDArray[np.float32]]:
        """As of `Model.noise_images`, which asks no weights."""
        return self.model.noise_images(n, seed)

    def _next(self) -> list[_Asked]:
        """The oldest call that waits, and those that can be joined with it; they are taken off the queue."""
        what = self._waiting[0].call.what
        same = [each for each in self._waiting if each.call.what == what]
        taken = same[: len(next(parts([each.call for each in same], MOST)))]
        chosen = {id(each) for each in taken}
        self._waiting = deque(each for each in self._waiting if id(each) not in chosen)
        return taken

    def _lead(self, batch: list[_Asked]) -> None:
        found: list[Answers] = []
        try:
            with self._lock:
                found = answered(self.model, [each.call for each in batch])
        finally:
            with self._changed:
                for each, answers in zip(batch, found, strict=False):
                    each.answers = answers
                if not found:  # this thread was ended from outside: somebody else asks for them
                    self._waiting.extendleft(reversed(batch))
                self.joined += max(0, len(found) - 1)
                self._busy = False
                self._changed.notify_all()


def _of(answers: Answers) -> list[Any]:
    if isinstance(answers, Exception):
        raise answers
    return answers


def _rows(vectors: list[Any]) -> NDArray[np.float32]:
    return cast("NDArray[np.float32]", np.stack(vectors)) if vectors else np.zeros((0, 0), dtype=np.float32)
