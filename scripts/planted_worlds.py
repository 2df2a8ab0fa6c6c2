"""Score tables with planted causes: what `scripts/planted_reasons.py` asks the project's own functions about.

Every world returns scores as they are stored and, item by item, the word that was planted. The unit is the noise: on
quads the standard deviation of gamma without binding, on choices that of a margin under an arbitrary image.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from backend.metrics.core.arrays import FloatArray
from backend.protocols import Protocol

#: From a generator and a shape to noise of standard deviation 1.
Noise = Callable[[Generator, tuple[int, ...]], FloatArray]


@dataclass(frozen=True)
class QuadWorld:
    """How many quads of each kind (right, outvoted by caption, image, both, no binding); effect in units of noise."""

    counts: tuple[int, int, int, int, int] = (100, 100, 100, 100, 400)
    effect: float = 3.0
    noise: str = "normal"
    reversed_pairs: int = 0

    def draw(self, seed: int) -> tuple[FloatArray, list[str]]:
        """Scores (n, 2, 2) and the planted words."""
        rng = np.random.default_rng(seed)
        words = ("right", "outvoted_by_caption", "outvoted_by_image", "outvoted_by_both", "no_binding", "reversed")
        kind = np.repeat(np.arange(6), (*self.counts, self.reversed_pairs))
        n = len(kind)
        # Items without binding, and reversed ones, have biases as the bound ones have: a quarter of each pattern.
        pattern = np.where(kind < 4, kind, rng.integers(0, 4, n))
        gamma = np.select([kind < 4, kind == 4], [self.effect, 0.0], -self.effect)
        size = 2.5 * self.effect * rng.choice([-1.0, 1.0], (2, n))
        c, r = np.where(np.isin(pattern, (1, 3)), size[0], 0.0), np.where(np.isin(pattern, (2, 3)), size[1], 0.0)
        one = np.array([1.0, -1.0])
        s = r[:, None, None] * one[:, None] + c[:, None, None] * one + gamma[:, None, None] * np.outer(one, one)
        return s + 2 * NOISES[self.noise](rng, (n, 2, 2)), [words[code] for code in kind]  # 2 a cell is 1 of gamma


@dataclass(frozen=True)
class ChoiceWorld:
    """How many choices of each kind: grounded, by bias, outvoted, no evidence; effect in units of noise.

    foils: of each item. images: other images. fits: the share of the other images that the captions fit as well as the
    own one; may_fit: whether it is said that some may. own_noise: how much more the own image varies than others.
    """

    counts: tuple[int, int, int, int] = (150, 150, 150, 150)
    effect: float = 3.0
    noise: str = "normal"
    foils: int = 1
    images: int = 16
    fits: float = 0.0
    may_fit: bool = False
    own_noise: float = 1.0

    def draw(self, seed: int) -> tuple[FloatArray, FloatArray, list[str]]:
        """Own scores (n, 1 + foils), scores under other images (n, images, 1 + foils) and the planted words."""
        rng = np.random.default_rng(seed)
        words = ("grounded", "by_bias", "outvoted", "no_evidence")
        kind = np.repeat(np.arange(4), self.counts)
        n = len(kind)
        evidence = np.where(np.isin(kind, (0, 2)), self.effect * np.sqrt(1 + 1 / self.images), 0.0)
        spread = self.effect * rng.uniform(1, 2, n)
        bias = np.select(
            [kind == 0, kind == 1, kind == 2],
            [spread * rng.choice([-0.2, 0.2], n), spread, -evidence - spread],
            -spread,
        )
        # Margins of the truth over each foil; half of the variance in the truth, half in the foil.
        noise = NOISES[self.noise](rng, (n, 1 + self.images, 1 + self.foils)) / np.sqrt(2)
        noise[:, 0] *= self.own_noise
        there = np.concatenate([np.ones((n, 1)), rng.random((n, self.images)) < self.fits], axis=1)
        scores = noise
        scores[:, :, 0] += bias[:, None] + evidence[:, None] * there
        return scores[:, 0], scores[:, 1:], [words[code] for code in kind]


def _normal(rng: Generator, shape: tuple[int, ...]) -> FloatArray:
    return rng.standard_normal(shape)


def _t3(rng: Generator, shape: tuple[int, ...]) -> FloatArray:
    return np.asarray(rng.standard_t(3, shape) / np.sqrt(3), dtype=np.float64)


def _unequal(rng: Generator, shape: tuple[int, ...]) -> FloatArray:
    """Each item has a noise of its own; the mean variance is 1."""
    of_item = np.exp(0.5 * rng.standard_normal(shape[0]) - 0.25)
    return rng.standard_normal(shape) * of_item.reshape(-1, *(1,) * (len(shape) - 1))


NOISES: dict[str, Noise] = {"normal": _normal, "t3": _t3, "unequal": _unequal}


def lexical(seed: int, weight: float, encoded: bool, n: int = 300) -> tuple[FloatArray, FloatArray, NDArray[np.str_]]:
    """Triplets whose texts are vectors of shared words (`weight`) and a concept (the rest), as in VISLA: a paraphrase
    has the concept in other words, the negative has the other concept in the same words. encoded: whether the concept
    stands in the vectors at all.

    Returns T2T cosines (n, 3), the text vectors (2 n, 24) of P1 and N, and their concepts (2 n).
    """
    rng = np.random.default_rng(seed)
    concept = rng.standard_normal(8)
    side = rng.choice([-1.0, 1.0], n)

    def text(words: FloatArray, sign: FloatArray) -> FloatArray:
        meant = sign[:, None] * concept if encoded else 0.0
        meant = meant + 0.7 * rng.standard_normal((n, 8))
        parts = [weight * words, (1 - weight) * meant / np.sqrt(1.5)]
        vectors = np.concatenate(parts, axis=1)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float64)

    shared, others = rng.standard_normal((2, n, 16)) / np.sqrt(2)
    p1 = text(shared, side)
    p2 = text(0.5 * shared + 0.87 * others, side)
    negative = text(0.95 * shared + 0.3 * rng.standard_normal((n, 16)) / np.sqrt(2), -side)
    cosines = np.stack([(p1 * p2).sum(1), (p1 * negative).sum(1), (p2 * negative).sum(1)], axis=1)
    names = np.where(np.concatenate([side, -side]) > 0, "left", "right")
    return cosines, np.concatenate([p1, negative]), names


def spoken(
    seed: int, prior: float, n: int = 600, samples: int = 16, protocol: Protocol = Protocol.CHOICE
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Items of `gen`, sums of log-probabilities of ten tokens: log P(t|i) = evidence + prior(t). Choices of one foil,
    triplets, or quads.

    Half of the items have evidence for the truth that is above all noise, half none. prior: the standard deviation of
    log P(t). Returns gen (n, 2), (n, 3) or (n, 2, 2), prior samples (samples, n, texts), and which items are wrong by
    the prior alone.
    """
    rng = np.random.default_rng(seed)
    texts, truths = (3, 2) if protocol == Protocol.TRIPLET else (2, 1)
    of_text = -20 + prior * rng.standard_normal((n, texts))
    evidence = np.where(np.arange(n) < n // 2, 4.0, 0.0)
    if protocol == Protocol.QUAD:
        gen = of_text[:, None, :] + rng.standard_normal((n, 2, 2)) + evidence[:, None, None] * np.eye(2)
        leads = np.stack([gen[:, 0, 0] - gen[:, 0, 1], gen[:, 1, 1] - gen[:, 1, 0]], axis=1)
        truth = np.argmin(leads, axis=1)
        wrong, foil = leads.min(axis=1) <= 0, 1 - truth
    else:
        gen = of_text + rng.standard_normal((n, texts))
        gen[:, :truths] += evidence[:, None]
        truth, foil = np.argmin(gen[:, :truths], axis=1), np.full(n, texts - 1)
        wrong = gen[:, :truths].min(axis=1) <= gen[:, -1]
    drawn = of_text + 0.5 * rng.standard_normal((samples, n, texts))
    rows = np.arange(n)
    return gen, drawn, (evidence > 0) & wrong & (of_text[rows, foil] > of_text[rows, truth])


def blind(seed: int, share: float, n: int = 600, foils: int = 1) -> tuple[list[FloatArray], NDArray[np.bool_]]:
    """Two blind scorers' tables (n, 1 + foils); in a share of the items the truth is likelier by 3 units of noise."""
    rng = np.random.default_rng(seed)
    planted = np.arange(n) < share * n
    tables = [rng.standard_normal((n, 1 + foils)) / np.sqrt(2) for _ in range(2)]
    for table in tables:
        table[:, 0] += np.where(planted, 3.0, 0.0)
    return tables, planted


def edits(seed: int, n_edits: int, sensitivity: float, n: int = 300) -> tuple[FloatArray, FloatArray]:
    """Signed changes of the true caption's margin: (n, n_edits) under preserving and under changing edits."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, n_edits)), rng.standard_normal((n, n_edits)) - sensitivity
