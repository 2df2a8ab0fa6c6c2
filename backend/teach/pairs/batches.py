"""Which examples a step sees: a function of the data, the seed and the step alone, whatever recipe trains on it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.teach.pairs.examples import Data, Example
from backend.teach.pairs.generated import Captions


@dataclass(frozen=True)
class Batch:
    """n examples of one step.

    partners: int (q, 2), positions of the two halves of each quad in it. negatives, positives: one generated or known
    text for each example, None where there is none. same: bool (n, n), cell i, j where caption j is known to be true of
    image i though it is another example's; False on the diagonal.
    """

    examples: tuple[Example, ...]
    partners: NDArray[np.int64]
    negatives: tuple[str | None, ...]
    positives: tuple[str | None, ...]
    same: NDArray[np.bool_]

    @property
    def images(self) -> list[str]:
        """URIs, as `backend.images.open_image` takes them."""
        return [each.image.uri for each in self.examples]

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.examples]


class Batches:
    """Batches of `size` examples, without end. The halves of a quad stand together; every example comes once an epoch,
    in an order drawn from (seed, epoch). An epoch's last batch is filled up from its beginning.

    UsageError where there are fewer examples than a batch holds, or no room for a quad.
    """

    def __init__(self, data: Data, size: int, seed: int = 0, captions: Captions | None = None) -> None:
        if size < 3:
            raise UsageError(f"a batch of {size}: at least 3 pairs, so that there is something to be told apart.")
        if len(data.examples) < size:
            raise UsageError(
                f"{len(data.examples)} examples do not fill a batch of {size}: lower --batch, or add data."
            )
        self.data, self.size, self.seed = data, size, seed
        place = {each.id: k for k, each in enumerate(data.examples)}
        self.units = [
            (k, place[each.partner]) if each.partner else (k,)
            for k, each in enumerate(data.examples)
            if not each.partner or k < place[each.partner]
        ]
        self.true = data.true_texts()
        self.negatives = _texts(data, captions, "negative")
        self.positives = _texts(data, captions, "positive")
        self._epochs: list[list[list[int]]] = []

    def digest(self) -> str:
        """16 hex digits of everything that decides the batches: another digest is another training."""
        rows = [(e.id, e.image.key, e.text, e.partner) for e in self.data.examples]
        told = [self.size, self.seed, rows, self.negatives, self.positives]
        return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()[:16]

    def __getitem__(self, step: int) -> Batch:
        """The batch of a step, from 0."""
        epoch, left = 0, step
        while left >= len(self._epoch(epoch)):
            left -= len(self._epoch(epoch))
            epoch += 1
        rows = self._epoch(epoch)[left]
        rng = np.random.Generator(np.random.PCG64([self.seed, 2, step]))
        chosen = [self.data.examples[k] for k in rows]
        position = {k: n for n, k in enumerate(rows)}
        partners = [[position[u[0]], position[u[1]]] for u in self.units if len(u) == 2 and u[0] in position]
        picked = [
            tuple(texts[k][int(rng.integers(len(texts[k])))] if texts[k] else None for k in rows)
            for texts in (self.negatives, self.positives)
        ]
        same = np.array([[b.text in self.true[a.image.key] for b in chosen] for a in chosen], dtype=np.bool_)
        np.fill_diagonal(same, False)
        pairs = np.array(partners, dtype=np.int64).reshape(-1, 2)
        return Batch(tuple(chosen), pairs, picked[0], picked[1], same)

    def _epoch(self, number: int) -> list[list[int]]:
        """The batches of an epoch, as rows of the data."""
        while len(self._epochs) <= number:
            rng = np.random.Generator(np.random.PCG64([self.seed, 1, len(self._epochs)]))
            order = [self.units[int(k)] for k in rng.permutation(len(self.units))]
            self._epochs.append(list(_packed(order, self.size)))
        return self._epochs[number]


def _packed(order: Sequence[tuple[int, ...]], size: int) -> Iterator[list[int]]:
    """Units into batches of exactly `size` where that is possible: one that does not fit waits for the next batch. The
    last batch is filled up with the first units of the order; with quads alone and an odd size each is one short."""
    waiting = list(order)
    while waiting:
        batch, left = _filled([], waiting, size)
        if len(left) == len(waiting):  # no unit fits into an empty batch
            raise UsageError(f"a batch of {size} does not hold a quad.")
        if not left and len(batch) < size:
            batch, _ = _filled(batch, order, size)
        yield batch
        waiting = left


def _filled(batch: list[int], units: Sequence[tuple[int, ...]], size: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """The batch with as many of the units as fit, and those that were left."""
    filled = list(batch)
    left: list[tuple[int, ...]] = []
    held = set(batch)
    for number, unit in enumerate(units):
        if len(filled) == size:
            return filled, [*left, *units[number:]]
        if len(filled) + len(unit) <= size and not held & set(unit):
            filled += unit
            held |= set(unit)
        else:
            left.append(unit)
    return filled, left


def _texts(data: Data, captions: Captions | None, effect: str) -> list[list[str]]:
    """The negatives or positives of each example: what the data knows and what was generated; for a quad's half without
    either, the other half's caption is the negative. What is true of the image is never a negative."""
    made: Mapping[str, Sequence[str]] = captions.kept(effect) if captions else {}
    by_id = {each.id: each for each in data.examples}
    true = data.true_texts()
    found: list[list[str]] = []
    for each in data.examples:
        known: Any = each.foils if effect == "negative" else each.paraphrases
        texts = list(dict.fromkeys((*known, *made.get(each.text, ()))))
        if effect == "negative":
            texts = [text for text in texts if text not in true[each.image.key]]
            if not texts and each.partner:
                texts = [by_id[each.partner].text]
        found.append(texts)
    return found
