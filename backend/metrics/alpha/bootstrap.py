"""How far alpha* and its gain can be trusted: items and sampled images are drawn again, together.

The interval of `curves.Best` is the plateau of one sample: the alphas that give the same verdicts on these items. It
says nothing of other items. Here whole clusters are drawn with replacement, and with them the images behind P(t); each
draw has its own exact curve. A gain is judged on the items that its draw left out, because an alpha flatters itself on
the items that chose it (docs/methods.md has the coverage, counted in worlds whose best alpha is known).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.curves import Domain
from backend.metrics.alpha.sorted_pieces import Counts, Pieces, Sets, Where
from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.paired.resampling import cluster_index, percentiles

#: From the prior term p under one draw of its images to the items' sets of alpha.
ToSets = Callable[[FloatArray], Sets]
DRAWS = 400
#: At so many alphas the band is known; its width between them is drawn as a straight line.
PLACES = 201
#: Images that can be drawn in so many different ways come alike again, and what follows from a draw of them is kept, up
#: to so many bytes.
AGAIN, KEPT = 100, 64 * 2**20


@dataclass(frozen=True)
class Spread:
    """What `draws` draws of items and images say.

    n_clusters: what was drawn; n_samples: images drawn again behind P(t), 0 where they were held. alphas, low, high:
    float64 (PLACES,), the pointwise 95 % band of the curve. star: where 95 % of the draws have their plateau of alpha*,
    from the low end of the lower ones to the high end of the upper ones. gain, gain_ci95: mean and interval over draws
    of what the left-out items' share right is at the draw's alpha* less that at the low end of the domain, alpha = 0.
    likely: the share of draws in which that gain is above 0.

    >>> from backend.metrics.alpha import Intervals
    >>> half = Intervals(np.full(40, 0.5), np.full(40, np.inf))
    >>> found = spread(half, draws=20)
    >>> found.star, found.gain, found.likely
    ((0.5, 1.0), 1.0, 1.0)
    """

    draws: int
    n_clusters: int
    n_samples: int
    alphas: FloatArray
    low: FloatArray
    high: FloatArray
    star: tuple[float, float]
    gain: float
    gain_ci95: tuple[float, float]
    likely: float


def spread(
    sets: Sets, clusters: ArrayLike | None = None, priors: "Priors | None" = None, domain: Domain = (0.0, 1.0),
    draws: int = DRAWS, seed: int = 0,
) -> Spread | None:  # fmt: skip
    """The uncertainty of a curve's alpha*, band and gain; None with fewer than two clusters or without a defined item.

    sets: the items' own. clusters: (n,) ids of what items share; None: each stands for itself. priors: how P(t) is
    drawn again; None (a blind model, one sample, a pool): it is held, and the spread is over items alone.
    """
    index, _ = cluster_index(clusters, len(sets))
    known = np.flatnonzero(sets.defined)
    if not len(known):
        return None
    _, place = np.unique(index[known], return_inverse=True)
    n_clusters = int(place.max()) + 1
    if n_clusters < 2:
        return None
    cluster = np.zeros(len(sets), dtype=np.intp)
    cluster[known] = place.reshape(-1)
    rng = np.random.default_rng(seed)
    alphas = np.linspace(*domain, PLACES)
    where = Where(domain, _widened(domain, sets.valid), cluster, n_clusters, alphas)
    curves, stars, gains = np.empty((draws, PLACES)), np.empty((draws, 2)), np.full(draws, np.nan)
    of_images = _of_images(sets, priors, where)
    for k in range(draws):
        images = None if priors is None else priors.times(rng)
        drawn = np.bincount(rng.integers(0, n_clusters, n_clusters), minlength=n_clusters).astype(np.int32)
        pieces = of_images(images, drawn)
        curves[k], (low, high), stars[k] = pieces.curve(drawn)
        gains[k] = pieces.gained(drawn, low + (high - low) / 2)
    # Of columns without NaN both say the same, and this one sorts them all at once.
    of = np.nanpercentile if np.isnan(curves).any() else np.percentile
    low, high = of(curves, [2.5, 97.5], axis=0)
    told = gains[~np.isnan(gains)]
    if not len(told):
        return None
    return Spread(
        draws, n_clusters, 0 if priors is None else priors.n_samples, alphas, low, high,
        (_inside(percentiles(stars[:, 0])[0], domain), _inside(percentiles(stars[:, 1])[1], domain)),
        float(told.mean()), percentiles(told),
        float(np.mean(told > 0)),
    )  # fmt: skip


def _widened(domain: Domain, valid: Domain) -> Domain:
    """The domain with as much again on either side, as far as sets are known. A plateau that would lie beyond an end
    of the domain is looked for there and then moved to the end: else no draw would ever be as far out as the end is."""
    low, high = domain
    return max(valid[0], 2 * low - high), min(valid[1], 2 * high - low)


def _inside(alpha: float, domain: Domain) -> float:
    return min(max(alpha, domain[0]), domain[1])


def _of_images(sets: Sets, priors: "Priors | None", where: Where) -> Callable[[IntArray | None, Counts], Pieces]:
    """The pieces under so many of each image, for a draw of the clusters. Few images are drawn alike again and again
    (two of them in three ways): then the pieces are sorted once and stay, up to KEPT bytes of them; else those that the
    draw holds are sorted alone."""
    if priors is None:
        held = Pieces.of(sets, where)
        return lambda *_: held
    ways, kept, room = comb(2 * priors.n_samples - 1, priors.n_samples), dict[bytes, Pieces](), [KEPT]

    def of(images: IntArray | None, drawn: Counts) -> Pieces:
        assert images is not None  # noqa: S101 - they were drawn from priors
        found = kept.get(key := images.tobytes())
        if found is None:
            again = ways <= AGAIN and room[0] > 0
            found = Pieces.of(priors.sets(images), where, None if again else drawn)
            if again:
                kept[key] = found
                room[0] -= found.nbytes
        return found

    return of


@dataclass(frozen=True)
class Priors:
    """P(t) under images drawn again, with replacement, from those that were sampled; one draw holds for all texts.

    weight: float64 (K, m), exp(log P(t | image k) - top), 0 where the image is left out for that text; there: (K, m),
    1 where it is not. top: (m,). shape: of p. divide: (m,) what the log of the mean is divided by. to_sets: from p.

    >>> from backend.metrics.alpha import Intervals
    >>> two = Priors.of([[[-4.0, -4.0]], [[-4.0, -4.0]]], [[2, 2]], "token", lambda p: Intervals(p[:, 0], p[:, 1]))
    >>> two.drawn(np.random.default_rng(0)).lo.tolist()
    [-2.0]
    """

    weight: FloatArray
    there: FloatArray
    top: FloatArray
    divide: FloatArray
    shape: tuple[int, ...]
    to_sets: ToSets

    @cached_property
    def _whole(self) -> bool:
        """Whether no image is left out of any text: then each text has as many as are drawn."""
        return bool((self.there == 1).all())

    @property
    def n_samples(self) -> int:
        """Images that are drawn from."""
        return len(self.weight)

    @classmethod
    def of(cls, prior_sums: ArrayLike, n_tokens: ArrayLike, norm: str, to_sets: ToSets) -> "Priors":
        """prior_sums: (K, ..., texts) sums of log-probabilities, NaN left out; n_tokens: (..., texts); norm as in
        `alpha.normalise`."""
        sums, count = np.asarray(prior_sums, dtype=np.float64), np.asarray(n_tokens, dtype=np.float64)
        if norm not in ("token", "sum", "paper-score"):
            raise ValueError(f"norm must be 'token', 'sum' or 'paper-score', got {norm!r}")
        count = np.where(count > 0, count, np.nan)
        values = (sums / count if norm == "paper-score" else sums).reshape(len(sums), -1)
        there = ~np.isnan(values)
        top = np.where(there, values, -np.inf).max(axis=0, initial=-np.inf)
        top = np.where(np.isfinite(top), top, np.nan)
        weight = np.where(there, np.exp(values - top), 0.0)
        divide = count.reshape(-1) if norm == "token" else np.ones(values.shape[1])
        return cls(weight, there.astype(np.float64), top, divide, sums.shape[1:], to_sets)

    def of_counts(self, counts: ArrayLike) -> FloatArray:
        """p, shaped like the texts, where image k stands counts[k] times; NaN for a text that has none of them."""
        times = np.asarray(counts, dtype=np.float64)
        there = times.sum() if self._whole else times @ self.there
        with np.errstate(divide="ignore", invalid="ignore"):
            p = (self.top + np.log((times @ self.weight) / there)) / self.divide
        return p.reshape(self.shape)

    def times(self, rng: np.random.Generator) -> IntArray:
        """One draw of the images: how often each of them comes, (K,)."""
        k = self.n_samples
        return np.bincount(rng.integers(0, k, k), minlength=k)

    def sets(self, counts: ArrayLike) -> Sets:
        """The items' sets of alpha where image k stands counts[k] times."""
        return self.to_sets(self.of_counts(counts))

    def drawn(self, rng: np.random.Generator) -> Sets:
        """The items' sets of alpha under one draw of the images."""
        return self.sets(self.times(rng))
