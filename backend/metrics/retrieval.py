"""Retrieval on a pool with a relevance matrix: recall at k, rsum and median rank, both ways."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores
from backend.metrics.core.compare import Outcomes, differences, from_margins
from backend.metrics.core.tables import Owners, Products, Table, relevant_counts
from backend.metrics.paired.halves import LEAST, between, ends, half_sums
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.relevance import similarity_relevance
from backend.metrics.statistics import UNDEFINED, Rate

_BLOCK = 4_000_000  # score cells held in float64 at a time


@dataclass(frozen=True)
class Retrieval:
    """Result of `recall_at_k`.

    rates: every metric by name, `i2t_recall_at_1` ... `rsum`, `i2t_median_rank`, `t2i_median_rank`. verdicts: the
    recalls, one verdict a query (images for i2t, texts for t2i). ranks: `i2t` and `t2i`, the 1-based rank of each
    query's best relevant candidate, float64, NaN where undefined.

    >>> sorted(recall_at_k([[1.0]], [[True]], ks=(1,)).rates)
    ['i2t_median_rank', 'i2t_recall_at_1', 'rsum', 't2i_median_rank', 't2i_recall_at_1']
    """

    rates: dict[str, Rate]
    verdicts: dict[str, Outcomes]
    ranks: dict[str, FloatArray]


def _side(scores: Table, relevance: Table, ks: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Ranks (q,) and margins (q, len(ks)) of queries in rows, a block of rows at a time.

    Candidates are put in order in the scores' own precision, which is half the work for float32, and subtracted in
    double: whatever stands k-th stands k-th in both.
    """
    n_queries, n_candidates = scores.shape
    ranks = np.full(n_queries, np.nan)
    margins = np.full((n_queries, len(ks)), np.nan)
    step = max(1, _BLOCK // max(1, n_candidates))
    for start in range(0, n_queries, step):
        rows = slice(start, start + step)
        block, good = np.asarray(scores[rows]), np.asarray(relevance[rows])
        n_good = np.count_nonzero(good, axis=1)
        best = np.max(block, axis=1, where=good, initial=-np.inf)
        wrong = np.array(block)
        wrong[good] = -np.inf
        known = (n_good > 0) & ~np.isnan(block).any(axis=1)
        # A relevant one is -inf among the wrong ones, so it is counted only where the best is as low.
        ahead = np.count_nonzero(wrong >= best[:, None], axis=1) - np.where(best == -np.inf, n_good, 0)
        ranks[rows] = np.where(known, 1 + ahead, np.nan)
        n_wrong = n_candidates - n_good
        places = sorted({n_candidates - k for k in ks if k <= n_candidates})
        ordered = np.partition(wrong, places, axis=1) if places else wrong
        for column, k in enumerate(ks):
            kth = ordered[:, n_candidates - k].astype(np.float64) if k <= n_candidates else np.full(len(block), -np.inf)
            margin = np.where(n_wrong >= k, differences(best.astype(np.float64), kth), np.inf)
            margins[rows, column] = np.where(known, margin, np.nan)
    return ranks, margins


def recall_outcomes(
    scores: ArrayLike, relevance: ArrayLike, ks: Sequence[int] = (1, 5, 10), across: ArrayLike | None = None
) -> tuple[dict[str, Outcomes], dict[str, FloatArray]]:
    """Outcomes by name (`i2t_recall_at_1`, ...) and ranks by side (`i2t`, `t2i`), without rates; see `recall_at_k`.

    across: scores by which text queries rank images, shaped like scores; None: the same. Scores may be `Products` and
    relevance `Owners` (core/tables.py): then no more than a block of the table is ever there.

    >>> verdicts, ranks = recall_outcomes([[0.9, 0.1], [0.8, 0.3]], [[True, False], [False, True]], ks=(1,))
    >>> verdicts["i2t_recall_at_1"].correct.tolist(), ranks["i2t"].tolist()
    ([True, False], [1.0, 2.0])
    """
    s, good = _checked(scores, relevance)
    if any(k < 1 for k in ks):
        raise ValueError(f"every k must be at least 1, got {tuple(ks)}")
    verdicts: dict[str, Outcomes] = {}
    ranks: dict[str, FloatArray] = {}
    of_texts = s if across is None else _checked(across, good)[0]
    for side, table, relevant in (("i2t", s, good), ("t2i", of_texts.T, good.T)):
        ranks[side], margins = _side(table, relevant, ks)
        verdicts |= {f"{side}_recall_at_{k}": from_margins(margins[:, column]) for column, k in enumerate(ks)}
    return verdicts, ranks


def _checked(scores: ArrayLike | Table, relevance: ArrayLike | Table) -> tuple[Table, Table]:
    """Both as tables of one shape; a float32 pool stays float32 until its blocks are computed."""
    if isinstance(scores, Products) or isinstance(relevance, Owners):
        table = scores if isinstance(scores, Products) else np.asarray(scores)
        good = relevance if isinstance(relevance, Owners) else np.asarray(relevance, dtype=np.bool_)
        if good.shape != table.shape:
            raise ValueError(f"relevance must have the shape of scores, {table.shape}, got {good.shape}")
        return table, good
    return _arrays(np.asarray(scores), np.asarray(relevance))


def _arrays(scores: ArrayLike, relevance: ArrayLike) -> tuple[FloatArray, BoolArray]:
    raw = np.asarray(scores)
    s = raw if raw.ndim == 2 and raw.dtype.kind == "f" else as_scores(raw, (None,))
    good = np.asarray(relevance, dtype=np.bool_)
    good = good if good.size else np.zeros(s.shape, dtype=np.bool_)
    if good.shape != s.shape:
        raise ValueError(f"relevance must have the shape of scores, {s.shape}, got {good.shape}")
    return s, good


def recall_at_k(
    scores: ArrayLike,
    relevance: ArrayLike,
    ks: Sequence[int] = (1, 5, 10),
    seed: int = 0,
    across: ArrayLike | None = None,
) -> Retrieval:
    """Recall at k both ways, rsum (sum of all recalls, a fraction each) and median ranks.

    scores: (images, texts), float32 or float64; relevance: bool of the same shape; across: as in `recall_outcomes`. A
    query is right at k iff fewer than
    k irrelevant candidates score at or above its best relevant one: a tied competitor counts as ahead, and where only
    that equality decides, as a tie. Margin: best relevant minus k-th best irrelevant score (inf with fewer than k of
    them). Undefined: a missing score among a query's candidates, or nothing relevant. Intervals: Wilson for image
    queries; texts, rsum and ranks resample whole images (a text belongs to the first image it is relevant to). `n` of
    rsum counts queries of both directions. Memory beyond the input is bounded.

    Raises ValueError where the shapes differ or a k is below 1.

    >>> result = recall_at_k([[0.9, 0.1], [0.8, 0.3]], [[True, False], [False, True]], ks=(1,))
    >>> result.rates["i2t_recall_at_1"].value, result.rates["t2i_recall_at_1"].value, result.rates["rsum"].value
    (0.5, 1.0, 1.5)
    """
    _, good = _checked(scores, relevance)
    verdicts, ranks = recall_outcomes(scores, relevance, ks, across)
    n_images = good.shape[0]
    *_, image_of_text = relevant_counts(good)
    rates = {name: found.rate(None if name.startswith("i2t") else image_of_text) for name, found in verdicts.items()}
    rates["rsum"] = _rsum(rates, verdicts, image_of_text, n_images, seed)
    rates["i2t_median_rank"] = _median(ranks["i2t"], np.arange(n_images), seed)
    rates["t2i_median_rank"] = _median(ranks["t2i"], image_of_text, seed)
    return Retrieval(rates, verdicts, ranks)


def _rsum(
    rates: dict[str, Rate], verdicts: dict[str, Outcomes], image_of_text: ArrayLike, n_images: int, seed: int
) -> Rate:
    """Sum of all recalls; its interval by random halves of the images, with their texts."""
    values = [found.value for found in rates.values()]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return UNDEFINED
    columns = []
    for name, found in verdicts.items():
        owner = np.arange(n_images) if name.startswith("i2t") else np.asarray(image_of_text)
        columns.append(np.bincount(owner, found.correct, minlength=n_images))
        columns.append(np.bincount(owner, found.defined, minlength=n_images))
    ci95 = None
    if n_images >= LEAST:
        sums = half_sums(np.stack(columns, axis=1), seed=seed)
        with np.errstate(invalid="ignore"):
            ci95 = between((sums[:, 0::2] / sums[:, 1::2]).sum(axis=1))
    first = [next(name for name in verdicts if name.startswith(side)) for side in ("i2t", "t2i")]
    ties = sum(found.ties for found in rates.values())
    return Rate(float(sum(known)), sum(rates[name].n for name in first), ties, ci95)


def _median(ranks: FloatArray, clusters: ArrayLike, seed: int) -> Rate:
    known = ranks[~np.isnan(ranks)]
    if not len(known):
        return UNDEFINED
    index, n = cluster_index(np.asarray(clusters)[~np.isnan(ranks)], len(known))
    rng = np.random.default_rng(seed)
    halves = [known[rng.integers(0, 2, n, dtype=np.int8)[index] > 0] for _ in range(500 if n >= LEAST else 0)]
    medians = np.array([np.median(half) if len(half) else np.nan for half in halves])
    found = ends(medians) if len(medians) else None  # ranks are whole numbers: that no half differs says something
    ci95 = None if found is None else (found.low, found.high)
    return Rate(float(np.median(known)), len(known), 0, ci95)


#: The name of before, which scripts may use.
recall_verdicts = recall_outcomes

__all__ = ["Retrieval", "recall_at_k", "recall_outcomes", "recall_verdicts", "similarity_relevance"]
