"""Does a language prior decide? Only with a control: priors exchanged between items "win back" items, too.

The rule of docs/reasons.md counts sampling error alone, and half of all items on which the model sees nothing come out
right once a likelier foil's prior is gone. So an item is labelled only where the mirror certifies it as well: with the
prior's part of the margin kept, the sign of the debiased margin is a coin where the model sees nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics import by_item
from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores
from backend.metrics.core.compare import real_texts
from backend.metrics.reasons.mirror import SEEN, certify
from backend.metrics.reasons.priors import ENOUGH_SAMPLES, effective_samples, jackknife_error, log_mean
from backend.metrics.statistics import McNemar, mcnemar


@dataclass(frozen=True)
class LanguagePrior:
    """label: bool (n,), wrong, and a language prior is seen to be why. candidates: bool (n,), the same by the errors
    alone, without the mirror. known: bool (n,), items with the evidence that it takes. won_back: right at alpha = 0
    against right at alpha = 1, with McNemar's p. exchanged: how many items are won
    under other items' priors instead, mean, smallest and largest over the exchanges; None with fewer than two items.

    >>> nothing = np.zeros(1, dtype=bool)
    >>> LanguagePrior(nothing, nothing, nothing, mcnemar([], []), None).exchanged is None
    True
    """

    label: BoolArray
    candidates: BoolArray
    known: BoolArray
    won_back: McNemar
    exchanged: tuple[float, int, int] | None


def language_prior(
    gen: ArrayLike, samples: ArrayLike, n_tokens: ArrayLike, blind: ArrayLike | None = None, exchanges: int = 20,
    seed: int = 0,
) -> LanguagePrior:  # fmt: skip
    """Choices of `gen`, in nats a token: is the winning foil likelier without the image, and is the item right once
    P(t) is taken away (alpha = 1), by more than two Monte-Carlo standard errors?

    gen: (n, k+1) sums of log-probabilities, truth first, padded with NaN. samples: (K, n, k+1) sums under sampled
    images, own ones NaN (`priors.left_out`), or one row from a blind language model, which has no sampling error.
    n_tokens: (n, k+1). blind: (n, k+1) log P of a blind model that says which text is likelier; None: the prior itself.
    Texts of no tokens are undefined. Nothing is said of an item below 5 effective samples of the truth or of the foil.

    >>> found = language_prior([[-4.0, -3.0]] * 30, [[[-6.0, -1.0]] * 30], [[2, 2]] * 30)
    >>> int(found.label.sum()), found.won_back.only_b
    (30, 30)
    """
    count = as_scores(n_tokens, (None,), "n_tokens")
    count = np.where(count > 0, count, np.nan)
    g = as_scores(gen, (count.shape[1],), "gen") / count
    sums = np.asarray(samples, dtype=np.float64)
    if sums.shape[1:] != g.shape:
        raise ValueError(f"samples must have shape (K, {g.shape[0]}, {g.shape[1]}), got {sums.shape}")
    real = real_texts(g)
    texts = real.sum(axis=1)

    def prior(values: FloatArray) -> FloatArray:
        return log_mean(values) / count

    def debiased(values: FloatArray) -> FloatArray:
        return by_item.choice(g - prior(values), texts).margin

    p = prior(sums)
    foil = np.argmax(np.where(real, g, -np.inf)[:, 1:], axis=1) + 1 if g.shape[1] > 1 else np.zeros(len(g), np.intp)
    rows = np.arange(len(g))
    without = p if blind is None else as_scores(blind, (g.shape[1],), "blind") / count
    margin, own = debiased(sums), by_item.choice(g, texts)
    exact = len(sums) == 1
    error = np.zeros(len(g)) if exact else jackknife_error(debiased, sums)
    ess = effective_samples(sums)
    enough = np.full(len(g), exact) | (np.fmin(ess[:, 0], ess[rows, foil]) >= ENOUGH_SAMPLES)
    known = own.defined & ~np.isnan(margin) & ~np.isnan(error) & enough
    candidates = known & (own.margin <= 0) & (without[rows, foil] > without[:, 0]) & (margin > 2 * error)
    evidence = np.where(known, margin, np.nan)
    mirrored_right = own.margin - 2 * margin > 0  # (own - margin) is the prior's part, which stays; the margin turns
    label = candidates & (certify(evidence, own.correct, known & mirrored_right).state == SEEN)
    both = own.defined & ~np.isnan(margin)
    won = mcnemar(own.correct, margin > 0, both)
    return LanguagePrior(
        label, candidates, known, won, _exchanged(g, p, texts, own.correct & both, both, exchanges, seed)
    )


def _exchanged(
    g: FloatArray, p: FloatArray, texts: FloatArray, right: BoolArray, both: BoolArray, exchanges: int, seed: int
) -> tuple[float, int, int] | None:  # fmt: skip
    """Items won from alpha = 0 to 1 where each gets the prior differences of another item with as many texts."""
    rng = np.random.default_rng(seed)
    won = []
    for _ in range(exchanges):
        source = np.arange(len(g))
        for size in np.unique(texts[both]):
            alike = rng.permutation(np.flatnonzero(both & (texts == size)))
            source[alike] = np.roll(alike, 1)
        moved = both & (source != np.arange(len(g)))
        margin = by_item.choice(g - p[source], texts).margin
        won.append(int(np.sum(moved & ~right & (margin > 0))))
    return (float(np.mean(won)), min(won), max(won)) if won and both.sum() > 1 else None
