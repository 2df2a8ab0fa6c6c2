"""Does a language prior decide a run's items? Won and lost when P(t) is taken away, beside a control; and which.

Judged as the curve of Debias is: by its metric, under its normalisation, on its stratum of foils.
"""

from dataclasses import dataclass

import numpy as np

from backend.kinds import Kind
from backend.metrics.alpha.gains import Gain, gain
from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons.language_prior import language_prior
from backend.metrics.reasons.priors import fewest_samples
from backend.protocols import Protocol
from backend.store.alpha.curves import kept_terms, sets_of
from backend.store.alpha.effective import is_sampled
from backend.store.alpha.montecarlo import sampled
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices
from backend.store.scores.matrices import Block
from backend.store.scores.setting import Norm, Setting

#: Protocols whose captions compete under one image, with the metric of each that is judged by where none is named.
METRICS = {
    Protocol.CHOICE: "accuracy", Protocol.TRIPLET: "i2t_accuracy", Protocol.QUAD: "text_score",
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """One subset of items alone under one source of P(t), judged by `metric` under `norm`.

    change: α = 1 against α = 0 on the items with a verdict at both, the curve's own verdicts; its p keeps items that
    share images together. exchanged: items won where each gets another item's priors, mean, smallest and largest; None
    with fewer than two items. samples: effective samples of an item's text that has fewest, median over items; None for
    a blind language model, which is not sampled, and where no sample is left. known: items with enough of them. items:
    ids of `LanguagePrior.label`: wrong, the winning foil likelier, right at α = 1 by more than luck; that a prior is
    why follows of them only where `change` and `exchanged` show that one decides."""

    subset: str
    protocol: Protocol
    prior: str
    norm: Norm
    metric: str
    change: Gain
    exchanged: tuple[float, int, int] | None
    samples: float | None
    known: int
    items: tuple[str, ...]


def of_run(
    store: Store, run_id: str, prior: str, norm: Norm = "token", subset: str | None = None, metric: str | None = None,
    perturbation: str | None = None,
) -> list[Found]:  # fmt: skip
    """A row a subset of the run's choices, triplets and quads under a source of P(t) (one of `StoredRun.priors`); empty
    without `gen` or without this source, and of a metric that no α changes or that judges something else.

    subset: this one alone. metric: None for the first of each protocol (`METRICS`), else items judged by it alone, as
    `text_score` or `group_score` of quads. perturbation: only items with this tag, a stratum of choices."""
    key = ("prior items", run_id, prior, norm, subset, metric, perturbation)
    return store.cached(key, lambda: _of_run(store, run_id, prior, norm, subset, metric, perturbation))


def _of_run(
    store: Store, run_id: str, prior: str, norm: Norm, subset: str | None, metric: str | None, perturbation: str | None
) -> list[Found]:
    run = store.run(run_id)
    if Kind.GEN not in run.parts or run.prior(prior) is None:
        return []
    asked = {metric or first: protocol for protocol, first in METRICS.items() if metric in (None, first)}
    if metric == "group_score":
        asked = {metric: Protocol.QUAD}
    return [
        found
        for name, protocol in asked.items()
        for found in _of_protocol(store, run, prior, protocol, name, norm, subset, perturbation)
    ]


def _of_protocol(
    store: Store, run: StoredRun, prior: str, protocol: Protocol, metric: str, norm: Norm, subset: str | None,
    perturbation: str | None,
) -> list[Found]:  # fmt: skip
    setting = Setting("gen", prior=prior, norm=norm)
    block, gen, p, kept = kept_terms(store, run.run_id, protocol, subset, perturbation, setting)
    drawn = sampled(run, protocol, prior, subset, block)
    where = run.prior(prior)
    if drawn is None or p is None or where is None:
        return []
    # Of quads a text has as many tokens under both images.
    counts = np.fmax(block.n_tokens[:, 0], block.n_tokens[:, 1]) if protocol == Protocol.QUAD else block.n_tokens
    sums = drawn.sums[(~np.isnan(drawn.sums)).any(axis=(1, 2))]
    blind = _blind(run, block, counts, norm)
    of_source = is_sampled(where[1])
    found = []
    for name, places in block.items.groupby("subset", sort=False).indices.items():
        rows = np.asarray(places, dtype=np.intp)
        rows = rows[kept[rows]]
        mine = sums[:, rows]
        if not mine.size or not np.isfinite(mine).any():
            continue
        said = language_prior(
            block.scores[rows], mine, counts[rows], None if blind is None else blind[rows], protocol=protocol,
            norm=norm, metric=metric, exact=not of_source,
        )  # fmt: skip
        sets = sets_of(protocol, gen[rows], p[rows], block.n_texts[rows])[metric]
        change = gain(sets, 1.0, clusters=block.items["cluster"].to_numpy()[rows])
        items = block.items["item_id"].to_numpy()[rows]
        least = fewest_samples(mine, counts[rows], norm)
        least = least[np.isfinite(least)]
        found.append(
            Found(str(name), protocol, prior, norm, metric, change, said.exchanged,
                  float(np.median(least)) if of_source and len(least) else None, int(said.known.sum()),
                  tuple(items[said.label]))
        )  # fmt: skip
    return found


def _blind(run: StoredRun, block: Block, counts: FloatArray, norm: Norm) -> FloatArray | None:
    """log P of a blind language model, which says which text is the likelier one, (n, texts): its own sums under `sum`,
    else its mean a token in the unit of the token counts; None without one."""
    name = next((source for source in run.priors if source.startswith("lm:")), None)
    where = run.prior(name) if name else None
    if where is None:
        return None
    sums, own = matrices.prior_sums(*where, block.items, counts.shape[1])
    if norm == "sum":
        return np.asarray(sums[0], dtype=np.float64)
    return np.asarray(sums[0] / np.where(own > 0, own, np.nan) * counts, dtype=np.float64)
