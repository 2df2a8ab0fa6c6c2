"""Does a language prior decide? Only with a control: priors exchanged between items "win back" items, too.

The rule of docs/reasons.md counts sampling error alone, and half of all items on which the model sees nothing come out
right once a likelier foil's prior is gone. So an item is labelled only where the mirror certifies it as well: with the
prior's part of the margin kept, the sign of the debiased margin is a coin where the model sees nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics import by_item
from backend.metrics.alpha.debiasing import Norm, normalise
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_scores
from backend.metrics.core.compare import Outcomes, real_texts
from backend.metrics.reasons.mirror import SEEN, certify
from backend.metrics.reasons.priors import ENOUGH_SAMPLES, fewest_samples, jackknife_error
from backend.metrics.reasons.quads import decompose
from backend.metrics.statistics import McNemar, mcnemar
from backend.protocols import Protocol


@dataclass(frozen=True)
class LanguagePrior:
    """label: bool (n,), wrong, the winning foil likelier, and right once its prior is gone by more than two errors and
    more than luck; a prior is why where `won_back` beats its losses and `exchanged`, too. candidates: bool (n,), the
    same by the errors alone, without the mirror. known: bool (n,), items with the evidence that it takes.
    won_back: right at alpha = 0 against right at alpha = 1, with McNemar's p. exchanged: how many items are won under
    other items' priors instead, mean, smallest and largest over the exchanges; None with fewer than two items.

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
    seed: int = 0, protocol: Protocol = Protocol.CHOICE, norm: Norm = "token", metric: str = "text_score",
    exact: bool | None = None,
) -> LanguagePrior:  # fmt: skip
    """Items of `gen`: is the winning foil likelier without the image, and is the item right once P(t) is taken away
    (alpha = 1), by more than two Monte-Carlo standard errors?

    Choices; triplets, of which the weaker paraphrase has to lead the negative; quads by `metric`, their text score or
    their group score; of their captions those compete that are told apart less. gen: sums of log-probabilities,
    (n, k+1), truth first, padded with NaN, (n, 3) of triplets, (n, 2, 2) of quads. samples: (K, n, texts) sums under
    sampled images, own ones NaN (`priors.left_out`), or one row from a blind language model. exact: whether that is
    one, which has no sampling error; None: where there is one row. n_tokens: (n, texts). norm: how both terms are
    scaled, see `normalise`. blind: (n, texts), log P of a blind model that says which text is likelier, divided by
    n_tokens but under `sum`; None: the prior itself. Texts of no tokens are undefined, but under `sum`. Nothing is said
    of an item below 5 effective samples, which are those of its text that has fewest.

    Raises ValueError for samples of another shape, for another norm, and for another metric of quads.

    >>> found = language_prior([[-4.0, -3.0]] * 30, [[[-6.0, -1.0]] * 30], [[2, 2]] * 30)
    >>> int(found.label.sum()), found.won_back.only_b
    (30, 30)
    """
    count = as_scores(n_tokens, (None,), "n_tokens")
    count = np.where(count > 0, count, np.nan)
    quads = protocol == Protocol.QUAD
    given = as_scores(gen, (2, 2) if quads else (count.shape[1],), "gen")
    sums = np.asarray(samples, dtype=np.float64)
    if sums.shape[1:] != count.shape or len(given) != len(count):
        raise ValueError(f"samples must have shape (K, {len(given)}, {given.shape[-1]}), got {sums.shape}")
    g, p = normalise(given, count, sums, norm)
    judged = _of_quads(g, metric) if quads else _of_triplets(g) if protocol == Protocol.TRIPLET else _of_choices(g)

    def debiased(values: FloatArray) -> FloatArray:
        return judged.without(normalise(given, count, values, norm)[1]).margin

    margin, own = debiased(sums), judged.own
    without = p if blind is None else as_scores(blind, (count.shape[1],), "blind") / (1.0 if norm == "sum" else count)
    exact = len(sums) == 1 if exact is None else exact
    error = np.zeros(len(g)) if exact else jackknife_error(debiased, sums)
    least = fewest_samples(sums, count, norm)
    enough = np.full(len(g), exact) | (least >= ENOUGH_SAMPLES)
    known = own.defined & ~np.isnan(margin) & ~np.isnan(error) & enough
    likelier = judged.pick(without, judged.foil) > judged.pick(without, judged.truth)
    candidates = known & (own.margin <= 0) & likelier & (margin > 2 * error)
    evidence, mirrored_right = judged.mirror(p)
    certified = certify(np.where(known, evidence, np.nan), own.correct, known & mirrored_right)
    label = candidates & (certified.state == SEEN)
    both = own.defined & ~np.isnan(margin)
    won = mcnemar(own.correct, margin > 0, both)
    return LanguagePrior(label, candidates, known, won, _exchanged(judged, p, both, exchanges, seed))


@dataclass(frozen=True)
class _Judged:
    """The items of a protocol, n of them. without: from P(t), (n, texts) as `normalise` scales it, to the verdicts
    once it is taken away. own: those at alpha = 0. truth, foil: intp (n,), the text that should win and the one that it
    has to beat. texts: (n,), how many each item has. mirror: from P(t) to (evidence, whether the decoy of each is right
    at alpha = 0), both (n,)."""

    without: Callable[[FloatArray], Outcomes]
    own: Outcomes
    truth: IntArray
    foil: IntArray
    texts: IntArray
    mirror: Callable[[FloatArray], tuple[FloatArray, BoolArray]]

    def pick(self, values: FloatArray, text: IntArray) -> FloatArray:
        """The value of one text of each item, (n,), of values (n, texts)."""
        return np.asarray(values[np.arange(len(values)), text], dtype=np.float64)


def _of_choices(g: FloatArray) -> _Judged:
    real = real_texts(g)
    texts = real.sum(axis=1).astype(np.intp)
    foil = np.argmax(np.where(real, g, -np.inf)[:, 1:], axis=1) + 1 if g.shape[1] > 1 else np.zeros(len(g), np.intp)
    own = by_item.choice(g, texts)

    def mirror(p: FloatArray) -> tuple[FloatArray, BoolArray]:
        margin = by_item.choice(g - p, texts).margin
        return margin, own.margin - 2 * margin > 0  # own - margin is the prior's part, which stays; the margin turns

    truth = np.zeros(len(g), np.intp)
    return _Judged(lambda p: by_item.choice(g - p, texts), own, truth, foil, texts, mirror)


def _of_triplets(g: FloatArray) -> _Judged:
    """Both paraphrases' lead over the negative turns in the decoy; their mean is the evidence, a coin where there is
    none, which the smaller of two leads is not."""
    own = by_item.triplet_i2t(g)
    weaker = np.argmin(np.where(np.isnan(g[:, :2]), np.inf, g[:, :2]), axis=1)
    negative, texts = np.full(len(g), 2, np.intp), np.full(len(g), 3, np.intp)

    def mirror(p: FloatArray) -> tuple[FloatArray, BoolArray]:
        leads, without = (s[:, :2] - s[:, 2:] for s in (g, g - p))
        return without.mean(axis=1), (leads - 2 * without).min(axis=1) > 0

    return _Judged(lambda p: by_item.triplet_i2t(g - p), own, weaker, negative, texts, mirror)


def _of_quads(g: FloatArray, metric: str) -> _Judged:
    """Binding is the evidence, of which a prior takes nothing; the decoy has the captions exchanged."""
    if metric not in ("text_score", "group_score"):
        raise ValueError(f"metric must be 'text_score' or 'group_score' for quads, got {metric!r}")
    found = decompose(g)
    leads = np.stack([g[:, 0, 0] - g[:, 0, 1], g[:, 1, 1] - g[:, 1, 0]], axis=1)
    truth = np.argmin(np.where(np.isnan(leads), np.inf, leads), axis=1)
    back = by_item.quad(g[:, :, ::-1])[metric].correct
    return _Judged(
        lambda p: by_item.quad(g - p[:, None, :])[metric], by_item.quad(g)[metric], truth, 1 - truth,
        np.full(len(g), 2, np.intp), lambda _: (found.gamma, back),
    )  # fmt: skip


def _exchanged(
    judged: _Judged, p: FloatArray, both: BoolArray, exchanges: int, seed: int
) -> tuple[float, int, int] | None:
    """Items won from alpha = 0 to 1 where each gets the priors of another item with as many texts."""
    rng = np.random.default_rng(seed)
    right = judged.own.correct & both
    won = []
    for _ in range(exchanges):
        source = np.arange(len(p))
        for size in np.unique(judged.texts[both]):
            alike = rng.permutation(np.flatnonzero(both & (judged.texts == size)))
            source[alike] = np.roll(alike, 1)
        moved = both & (source != np.arange(len(p)))
        won.append(int(np.sum(moved & ~right & (judged.without(p[source]).margin > 0))))
    return (float(np.mean(won)), min(won), max(won)) if won and both.sum() > 1 else None
