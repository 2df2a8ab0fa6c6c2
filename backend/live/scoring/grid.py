"""One score kind of one model for every image with every text, in the unit that decides verdicts."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.kinds import PAIR_KINDS, Kind
from backend.models import Picture
from backend.models.base import PairScore

Array = NDArray[np.float64]


class Asked(Protocol):
    """A model, or what stands before one and remembers its answers."""

    kinds: frozenset[str]
    pairwise: frozenset[str]

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]: ...
    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def pair_scores(self, kind: str, images: Sequence[Picture], texts: Sequence[str]) -> list[PairScore]: ...


def table(model: Asked, kind: str, images: Sequence[Picture], texts: Sequence[str]) -> Array:
    """(images, texts) float64 in the unit that decides verdicts (`KindInfo.judged`): cosine for `itc`, log-odds for
    `itm` and `vqa`, mean log P a token (nats) for `gen`.

    Every image is encoded once. Raises UsageError for a kind that is no number of an image and a text, or that the
    model does not give.
    """
    if kind not in PAIR_KINDS:
        raise UsageError(f"“{kind}” is no score of an image; choose one of {', '.join(PAIR_KINDS)}.")
    if kind == Kind.ITC and Kind.ITC not in model.pairwise:  # a vector each, not one a pair
        return model.encode_images(images).astype(np.float64) @ model.encode_texts(texts).astype(np.float64).T
    return judged(every_pair(model, kind, images, texts))


def every_pair(model: Asked, kind: str, images: Sequence[Picture], texts: Sequence[str]) -> list[list[PairScore]]:
    """The answers of every image (a list each) for every text."""
    n, m = len(images), len(texts)
    scored = model.pair_scores(kind, [image for image in images for _ in range(m)], list(texts) * n)
    return [scored[i * m : (i + 1) * m] for i in range(n)]


def judged(scored: Sequence[Sequence[PairScore]]) -> Array:
    """Answers (images, texts) as the numbers that decide verdicts."""
    return np.array([[one.per_token for one in row] for row in scored], dtype=np.float64)
