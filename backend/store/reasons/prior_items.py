"""Does a language prior decide a run's items? Won and lost when P(t) is taken away, beside a control; and which.

Choices by their accuracy, triplets by both paraphrases before the negative, quads by their text score.
"""

from dataclasses import dataclass

import numpy as np

from backend.kinds import Kind
from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons.language_prior import language_prior
from backend.metrics.reasons.priors import ENOUGH_SAMPLES, effective_samples
from backend.metrics.statistics import McNemar
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices
from backend.store.scores.matrices import Block

#: Protocols whose captions compete under one image.
PROTOCOLS = (Protocol.CHOICE, Protocol.TRIPLET, Protocol.QUAD)
#: What `Found.known` compares with.
ENOUGH = ENOUGH_SAMPLES


@dataclass(frozen=True)
class Found:
    """One subset of items alone under one source of P(t). n: items with a verdict at both alphas. change: right at
    α = 0 (a) against right at α = 1 (b): `only_b` won, `only_a` lost. exchanged: items won where each gets another
    item's priors, mean, smallest and largest; None with fewer than two items. samples: effective sample size, that of
    an item's least certain text, median over items; None for a blind language model, which is not sampled. known: items
    with enough of it. items: ids of those that are wrong, and a language prior is seen to be why."""

    subset: str
    protocol: Protocol
    prior: str
    n: int
    change: McNemar
    exchanged: tuple[float, int, int] | None
    samples: float | None
    known: int
    items: tuple[str, ...]


def of_run(store: Store, run_id: str, prior: str) -> list[Found]:
    """A row a subset of the run's choices, triplets and quads under a source of P(t) (one of `StoredRun.priors`); empty
    without `gen` or without this source. Log-probabilities a token, as the default norm has it."""
    return store.cached(("prior items", run_id, prior), lambda: _of_run(store.run(run_id), prior))


def _of_run(run: StoredRun, prior: str) -> list[Found]:
    where = run.prior(prior)
    if Kind.GEN not in run.parts or where is None:
        return []
    return [found for protocol in PROTOCOLS for found in _of_protocol(run, prior, *where, protocol)]


def _of_protocol(run: StoredRun, prior: str, prior_run: StoredRun, part: str, protocol: Protocol) -> list[Found]:
    block = matrices.block(run, Kind.GEN, protocol)
    if not len(block):
        return []
    # Of quads a text has as many tokens under both images.
    counts = np.fmax(block.n_tokens[:, 0], block.n_tokens[:, 1]) if protocol == Protocol.QUAD else block.n_tokens
    samples = matrices.prior_of(run, prior_run, part, block, counts.shape[1])
    samples = samples[(~np.isnan(samples)).any(axis=(1, 2))]
    blind = _blind(run, block, counts)
    found = []
    for subset, places in block.items.groupby("subset", sort=False).indices.items():
        rows = np.asarray(places, dtype=np.intp)
        drawn = samples[:, rows]
        if drawn.size and np.isfinite(drawn).any():
            mine = None if blind is None else blind[rows]
            said = language_prior(block.scores[rows], drawn, counts[rows], mine, protocol=protocol)
            items = block.items["item_id"].to_numpy()[rows]
            found.append(
                Found(str(subset), protocol, prior, said.won_back.n, said.won_back, said.exchanged, _sampled(drawn),
                      int(said.known.sum()), tuple(items[said.label]))
            )  # fmt: skip
    return found


def _sampled(samples: FloatArray) -> float | None:
    """The effective sample size of an item's least certain text, median over items."""
    if len(samples) < 2:
        return None
    each = effective_samples(samples)
    each = np.where(np.isnan(each), np.inf, each).min(axis=1)
    return float(np.median(each[np.isfinite(each)])) if np.isfinite(each).any() else None


def _blind(run: StoredRun, block: Block, counts: FloatArray) -> FloatArray | None:
    """log P of a blind language model in the unit of the token counts, (n, texts): it says which text is the likelier
    one; None without one."""
    name = next((source for source in run.priors if source.startswith("lm:")), None)
    where = run.prior(name) if name else None
    if where is None:
        return None
    sums, own = matrices.prior_sums(*where, block.items, counts.shape[1])
    return np.asarray(sums[0] / np.where(own > 0, own, np.nan) * counts, dtype=np.float64)
