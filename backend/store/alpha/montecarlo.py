"""How far the sampling of images is to blame: errors of a run's log P(t), of its items' margins, and of its rates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Kind, Protocol
from backend.metrics import alpha as alpha_
from backend.metrics import protocols, retrieval
from backend.metrics.alpha import montecarlo
from backend.metrics.alpha.item_errors import comparisons, item_errors
from backend.metrics.core.registry import deciding
from backend.store.alpha.curves import spoken, spoken_prior
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices, pools
from backend.store.scores.matrices import FloatArray
from backend.store.scores.setting import Norm, Setting

UNITS = {"token": "nats a token", "sum": "nats", "paper-score": "nats a token"}
BLIND = "a blind language model: no images are sampled, so there is no Monte-Carlo error"
ONE = "one sample shows no spread; `--kinds prior --prior noise:3` of flipside run takes three"
JUDGED = (Protocol.CHOICE, Protocol.TRIPLET, Protocol.QUAD, Protocol.CLASSIFY)

ITEM_COLUMNS = (
    "item_no", "item_id", "subset", "metric", "margin", "margin_error", "lo", "lo_error", "hi", "hi_error",
)  # fmt: skip


@dataclass(frozen=True)
class Sampled:
    """A block of kind gen with the samples of its prior: sums (samples, n, texts), counts (n, texts)."""

    block: matrices.Block
    sums: FloatArray
    counts: FloatArray


def prior_errors(
    store: Store, run_id: str, prior: str | None = None, norm: Norm = "token", subset: str | None = None
) -> dict[str, Any] | None:
    """The Monte-Carlo standard error of log P(t) over the texts of a run's items; None without a prior source.

    Keys: prior, norm, unit, n_samples, n_texts, se {mean, median, max} or None, effective_samples {median, min} or
    None, reason ("" or why se is None).
    """

    def make() -> dict[str, Any] | None:
        run = store.run(run_id)
        source = prior or run.default_prior
        where = run.prior(source) if source else None
        if source is None or where is None:
            return None
        errors, sizes, n_samples = [np.zeros(0)], [np.zeros(0)], 0
        for sums, counts in _all_texts(run, where, subset):
            n_samples = max(n_samples, len(sums))
            found = montecarlo.standard_error(montecarlo.prior_influence(sums, counts, norm))
            errors.append(found.ravel())
            sizes.append(montecarlo.effective_samples(sums / counts if norm == "paper-score" else sums).ravel())
        se, size = (np.concatenate(parts) for parts in (errors, sizes))
        known = ~np.isnan(se)
        shown = known.any()
        blind = source.partition(":")[0] in ("lm", "self")
        return {
            "prior": source,
            "norm": norm,
            "unit": UNITS[norm],
            "n_samples": n_samples,
            "n_texts": int((~np.isnan(size)).sum()),
            "se": _summary(se[known], ("mean", "median", "max")) if shown else None,
            "effective_samples": _summary(size[known], ("median", "min")) if shown else None,
            "reason": "" if shown else BLIND if blind else ONE,
        }

    return store.cached(("prior errors", run_id, prior, norm, subset), make)


def _summary(values: FloatArray, names: Sequence[str]) -> dict[str, float]:
    return {name: float(getattr(np, name)(values)) for name in names}


def _all_texts(
    run: StoredRun, where: tuple[StoredRun, str], subset: str | None
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Sums (samples, n, texts) and counts (n, texts) of every protocol's items."""
    for protocol in Protocol:
        items = matrices.items_of(run, protocol, subset)
        if len(items):
            sums, counts = matrices.prior_sums(*where, items, int(items["n_texts"].max()))
            yield sums, np.where(counts > 0, counts, np.nan)


def sampled(
    run: StoredRun,
    protocol: Protocol,
    prior: str,
    subset: str | None = None,
    block: matrices.Block | None = None,
    sums: FloatArray | None = None,
) -> Sampled | None:
    """A protocol's block with its prior samples; None without items or without this source. block, sums: where they
    have been read already."""
    if block is None:
        block = matrices.block(run, Kind.GEN, protocol, subset)
    where = run.prior(prior)
    if where is None or not len(block):
        return None
    if sums is None:
        sums = matrices.prior_of(run, *where, block, matrices.texts_of_prior(block))
    counts = block.n_tokens[:, 0, :] if protocol == Protocol.QUAD else block.n_tokens
    return Sampled(block, sums, counts)


#: The metric whose comparisons `item_errors` are about; of quads the text score, for α cancels in the others.
METRIC = {protocol: deciding(protocol, Kind.GEN) or "" for protocol in JUDGED} | {Protocol.QUAD: "text_score"}


def errors_of_items(store: Store, run_id: str, setting: Setting, subset: str | None = None) -> pd.DataFrame:
    """One row an item of ITEM_COLUMNS: its α-debiased margin, the interval of α in which it is right, and the
    Monte-Carlo standard error of each, in the unit of the normalisation (α for the ends). Choices, triplets, and the
    text score of quads (the image score has none: α cancels there).
    """

    def make() -> pd.DataFrame:
        run = store.run(run_id)
        prior = setting.prior or run.default_prior
        parts = []
        for protocol in JUDGED:
            block = spoken(store, run_id, protocol, subset)
            known = spoken_prior(store, run_id, protocol, subset, prior) if prior else None
            found = sampled(run, protocol, prior, subset, block, known) if prior else None
            if found is None:
                continue
            gen, p = alpha_.normalise(block.scores, block.n_tokens, found.sums, setting.norm)
            moved = montecarlo.prior_influence(found.sums, found.counts, setting.norm)
            errors = item_errors(comparisons(protocol, gen, p, moved, block.n_texts), setting.alpha)
            told = {name: block.items[name].to_numpy() for name in ("item_no", "item_id", "subset")}
            parts.append(pd.DataFrame({**told, "metric": METRIC[protocol], **errors._asdict()}))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(ITEM_COLUMNS))

    return store.cached(("item errors", run_id, setting, subset), make)


def errors_of_rates(
    store: Store,
    run_id: str,
    setting: Setting,
    alphas: tuple[float, ...],
    subset: str | None = None,
    near: bool = True,
) -> dict[str, list[dict[str, Any]]]:
    """For each metric that α can change, at each α: {"alpha", "value", "se", "n_within_2_se"}.

    se: Monte-Carlo standard error of the rate, from images drawn again out of the sampled ones; None with one sample.
    n_within_2_se: items whose margin is within two standard errors of 0, None for pools and the group score.
    near: whether to count those items, which takes most of the time; else None.
    """

    def make() -> dict[str, list[dict[str, Any]]]:
        run = store.run(run_id)
        prior = setting.prior or run.default_prior
        found: dict[str, list[dict[str, Any]]] = {}
        for protocol in JUDGED if prior else ():
            known = spoken_prior(store, run_id, protocol, subset, prior or "")
            one = sampled(run, protocol, prior or "", subset, spoken(store, run_id, protocol, subset), known)
            if one is not None:
                close: dict[float, int | None] = dict.fromkeys(alphas)
                if near:
                    close = _near(store, run_id, setting, alphas, METRIC[protocol], subset)
                for metric, lines in _of_block(one, setting.norm, alphas).items():
                    found[metric] = [
                        line | {"n_within_2_se": close[line["alpha"]] if metric == METRIC[protocol] else None}
                        for line in lines
                    ]
        for pool in pools.pools(run, Kind.GEN, subset) if prior else ():
            where = run.prior(prior or "")
            if where is not None:
                sums = pools.pool_prior(*where, pool)
                own = pools.own_samples(*where, pool, len(sums))
                if own.any():
                    sums = np.where(own[:, :, None], np.nan, sums[:, None, :])
                lines = _of_pool(pool, sums, setting.norm, alphas)
                name = "i2t_recall_at_1" if "i2t_recall_at_1" not in found else f"i2t_recall_at_1 ({pool.subset})"
                found[name] = [line | {"n_within_2_se": None} for line in lines]
        return found

    return store.cached(("rate errors", run_id, setting, alphas, subset, near), make)


def _near(
    store: Store, run_id: str, setting: Setting, alphas: tuple[float, ...], metric: str, subset: str | None
) -> dict[float, int | None]:
    """How many items are within two standard errors of a tie, by α."""
    found: dict[float, int | None] = {}
    for at in alphas:
        frame = errors_of_items(store, run_id, setting.with_(alpha=at), subset)
        own = frame[frame["metric"] == metric]
        sure = own["margin_error"].notna()
        close = own["margin"].abs() <= 2 * own["margin_error"]
        found[at] = int((close & sure & (own["margin_error"] > 0)).sum()) if sure.any() else None
    return found


def _of_block(one: Sampled, norm: Norm, alphas: tuple[float, ...]) -> dict[str, list[dict[str, Any]]]:
    """Rates of a block at each α with their errors."""
    block = one.block
    gen, prior = alpha_.normalise(block.scores, block.n_tokens, one.sums, norm)

    def shares(p: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = []
        for at in alphas:
            s = alpha_.debias(gen, p, at)
            if block.protocol == Protocol.QUAD:
                judged = protocols.quad(s)
                verdicts = [judged["text_score"], judged["group_score"]]
            elif block.protocol == Protocol.TRIPLET:
                verdicts = [protocols.triplet_i2t(s)]
            else:
                verdicts = [protocols.choice(s, block.n_texts)]
            rows.append([_share(v.correct, v.defined) for v in verdicts])
        return np.array(rows)

    names = ["text_score", "group_score"] if block.protocol == Protocol.QUAD else [METRIC[block.protocol]]
    return _lines(names, alphas, shares(prior), montecarlo.resampled_error(shares, one.sums, one.counts, norm))


def _of_pool(pool: pools.Pool, sums: FloatArray, norm: Norm, alphas: tuple[float, ...]) -> list[dict[str, Any]]:
    """Recall at 1 of a pool at each α with its error. sums: (samples, texts), or (samples, images, texts) with NaN
    where a sample is left out of an image's P(t)."""
    gen, prior = alpha_.normalise(pool.scores, pool.n_tokens, sums, norm)
    relevance = pool.relevance

    def shares(p: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = []
        for at in alphas:
            verdicts, _ = retrieval.recall_outcomes(alpha_.debias(gen, p, at), relevance, ks=(1,))
            found = verdicts["i2t_recall_at_1"]
            rows.append([_share(found.correct, found.defined)])
        return np.array(rows)

    counts = pool.n_tokens if sums.ndim > 2 else pool.n_tokens[0] if len(pool.n_tokens) else np.ones(len(prior))
    error = montecarlo.resampled_error(shares, sums, counts, norm, resamples=50)
    return _lines(["i2t_recall_at_1"], alphas, shares(prior), error)["i2t_recall_at_1"]


def _share(correct: NDArray[np.bool_], defined: NDArray[np.bool_]) -> float:
    return float(correct[defined].mean()) if defined.any() else float("nan")


def _lines(
    names: Sequence[str], alphas: tuple[float, ...], values: FloatArray, errors: FloatArray
) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [
            {"alpha": at, "value": _plain(values[row, column]), "se": _plain(errors[row, column])}
            for row, at in enumerate(alphas)
        ]
        for column, name in enumerate(names)
    }


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


__all__ = ["ITEM_COLUMNS", "Sampled", "errors_of_items", "errors_of_rates", "prior_errors", "sampled"]
