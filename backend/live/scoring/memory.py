"""What models have answered already, so that a changed caption asks for nothing but what is new.

A model's answer for one (image, text) pair depends on neither the others in its batch nor their order (docs/fidelity.md
measures this), so answers are kept one by one: embeddings, log-odds, token log-probabilities.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.live.scoring.joining import PAIRS, Call
from backend.live.scoring.together import Together
from backend.live.uploads.uploads import content_key
from backend.models import Model, Picture, TokenScores
from backend.models.base import PairScore

#: Answers kept at most, a few kilobytes each; those that nobody asked for lately go first.
MOST: Final = 20_000
Key = tuple[Hashable, ...]


class Memory:
    """Answers by (spec, what, …), the least recently used dropped beyond `most`. Safe for several threads."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._lock = Lock()
        self._known: OrderedDict[Key, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, keys: Sequence[Key]) -> dict[Key, Any]:
        """What is known of these."""
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
        return found

    def keep(self, answers: Mapping[Key, Any]) -> None:
        """Remember some."""
        with self._lock:
            self._known.update(answers)
            while len(self._known) > self.most:
                self._known.popitem(last=False)

    def forget(self, spec: str) -> None:
        """Nothing is known of a model any more: its weights were read anew."""
        with self._lock:
            for key in [key for key in self._known if key[0] == spec]:
                del self._known[key]


class Remembering:
    """A model as live scoring asks it, which asks the model itself only for what is not in the memory.

    keys: id(image) -> what names its content; an image without one is named by the hash of its pixels.
    """

    def __init__(
        self, model: Model | Together, spec: str, memory: Memory, keys: Mapping[int, str] | None = None
    ) -> None:
        self.model = model if isinstance(model, Together) else Together(model)
        self.spec, self._memory = spec, memory
        self.kinds, self.pairwise = model.kinds, model.pairwise
        self._keys = dict(keys or {})
        self._held: list[Picture] = []  # an id names an object only as long as the object lives

    def truncated(self, texts: Sequence[str]) -> list[bool]:
        """Which texts the model sees without their end."""
        return self._texts("truncated", texts, self.model.truncated)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows as of `Model.encode_texts`."""
        return np.stack(self._texts("text", texts, lambda new: list(self.model.encode_texts(new))))

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        """Rows as of `Model.encode_images`."""
        keys = [self._key(image) for image in images]

        def ask(at: list[int]) -> list[Any]:
            return self.model.call(Call("encode_images", [images[k] for k in at], keys=[keys[k] for k in at]))

        return np.stack(self._ask([(self.spec, "image", key) for key in keys], ask))

    def pair_scores(self, kind: str, images: Sequence[Picture], texts: Sequence[str]) -> list[PairScore]:
        """As of `Model.pair_scores`, for kinds of one text."""
        keys = [self._key(image) for image in images]

        def ask(at: list[int]) -> list[PairScore]:
            of = [images[k] for k in at], [texts[k] for k in at]
            return self.model.call(Call(PAIRS, *of, str(kind), [keys[k] for k in at]))

        return self._ask([(self.spec, str(kind), key, text) for key, text in zip(keys, texts, strict=True)], ask)

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        """As of `Model.text_logprobs`."""
        return self._texts("blind", texts, self.model.text_logprobs)

    def noise_images(self, n: int, seed: int) -> list[NDArray[np.float32]]:
        """As of `Model.noise_images`; each depends on (seed, k) alone."""
        made = self.model.noise_images(n, seed)
        self._held += made
        self._keys.update({id(image): f"noise:{seed}:{k}" for k, image in enumerate(made)})
        return made

    def _texts(self, what: str, texts: Sequence[str], ask: Callable[[list[str]], Sequence[Any]]) -> list[Any]:
        return self._ask([(self.spec, what, text) for text in texts], lambda at: ask([texts[k] for k in at]))

    def _ask(self, wanted: Sequence[Key], ask: Callable[[list[int]], Sequence[Any] | NDArray[Any]]) -> list[Any]:
        """The answers in order; the model is asked once, for the first place of each that is not known."""
        known = self._memory.find(wanted)
        first: dict[Key, int] = {}
        for place, key in enumerate(wanted):
            if key not in known:
                first.setdefault(key, place)
        if first:
            new = dict(zip(first, ask(list(first.values())), strict=True))
            self._memory.keep(new)
            known |= new
        return [known[key] for key in wanted]

    def _key(self, image: Picture) -> str:
        key = self._keys.get(id(image))
        if key is None:
            key = content_key(image) if isinstance(image, Image.Image) else str(image)
            self._keys[id(image)] = key
            self._held.append(image)
        return key
