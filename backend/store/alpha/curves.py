"""What the Debias page asks: exact α-curves, and how far sources of P(t) agree."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Kind, Protocol
from backend.metrics import alpha as alpha_
from backend.metrics import statistics
from backend.metrics.alpha.gains import gain
from backend.metrics.core.registry import by_name
from backend.metrics.paired.resampling import where_shared
from backend.store.build.store import Store
from backend.store.scores import matrices, outcomes, pools
from backend.store.scores.setting import Norm, Setting


@dataclass(frozen=True)
class AlphaCurve:
    """One metric over α.

    items: frame of the items behind it, in the order of `sets`: item_no, item_id, subset, concept, perturbation, split,
    lo, hi (the open interval of α in which the item is right; empty: lo = inf; NaN: undefined, or a union), cluster
    (what items share).
    sets: for `alpha.flips`, `alpha.tune`, `alpha.split_half`. curve: exact. best: α* on all items. tuned: α* chosen on
    the dev half and its value on the test half (`alpha.tune`, and `test_gain`: `gains.gain` over α = 0 there), None
    where the items have no such halves. halves: the two values of the tag `split`.
    prior: the source used. note: "" or why the curve is flat.
    """

    metric: str
    prior: str
    norm: str
    items: pd.DataFrame
    sets: alpha_.Intervals | alpha_.Unions
    curve: alpha_.Curve
    best: alpha_.Best | None
    tuned: dict[str, Any] | None
    note: str
    chance: float | None
    halves: tuple[str, str] = ("dev", "test")


def alpha_curves(
    store: Store,
    run_id: str,
    prior: str | None = None,
    norm: Norm = "token",
    subset: str | None = None,
    perturbation: str | None = None,
    halves: tuple[str, str] = ("dev", "test"),
) -> list[AlphaCurve]:
    """Every curve that a run with kind gen allows; empty without gen scores or without a prior source.

    perturbation: only items with this tag (a stratum of `choice`). halves: values of the tag `split` for tuning.
    """

    def make() -> list[AlphaCurve]:
        run = store.run(run_id)
        source = prior or run.default_prior
        if source is None or run.prior(source) is None:
            return []
        setting = Setting("gen", prior=source, norm=norm)
        found = []
        for protocol in (Protocol.CHOICE, Protocol.TRIPLET, Protocol.QUAD, Protocol.CLASSIFY):
            block, gen, p, keep = kept_terms(store, run_id, protocol, subset, perturbation, setting)
            if p is not None and keep.any():
                frame = _of_items(block.items if keep.all() else block.items[keep])
                for metric, sets in sets_of(protocol, gen[keep], p[keep], block.n_texts[keep]).items():
                    level = by_name(metric).level(block.n_texts[keep])
                    found.append(_curve(metric, setting, frame, sets, level, halves))
        for pool in pools.pools(run, Kind.GEN, subset) if perturbation is None else []:
            gen, p = outcomes.pool_terms(run, pool, setting)
            if p is not None:
                unions = alpha_.recall_unions(gen, p, pool.relevance)
                level = by_name("i2t_recall_at_1").level(pool.scores.shape[1], pool.relevance.sum(axis=1))
                frame = _of_items(pool.items.iloc[pool.image_item])
                found.append(_curve("i2t_recall_at_1", setting, frame, unions, level, halves))
        return found

    return store.cached(("alpha", run_id, prior, norm, subset, perturbation, halves), make)


def spoken(store: Store, run_id: str, protocol: Protocol, subset: str | None) -> matrices.Block:
    """The block of kind gen, read once for all priors, norms and strata; not to be changed."""
    key = ("spoken", run_id, protocol, subset)
    return store.cached(key, lambda: matrices.block(store.run(run_id), Kind.GEN, protocol, subset))


def spoken_prior(
    store: Store, run_id: str, protocol: Protocol, subset: str | None, prior: str | None
) -> NDArray[np.float64] | None:
    """The samples of a prior for the block of kind gen, sums (samples, n, texts), read once for all norms and strata;
    None without items or without this source. Not to be changed."""

    def make() -> NDArray[np.float64] | None:
        run, block = store.run(run_id), spoken(store, run_id, protocol, subset)
        where = run.prior(prior)
        if where is None or not len(block):
            return None
        return matrices.prior_of(run, *where, block, matrices.texts_of_prior(block))

    return store.cached(("spoken prior", run_id, protocol, subset, prior), make)


def kept_terms(
    store: Store, run_id: str, protocol: Protocol, subset: str | None, perturbation: str | None, setting: Setting
) -> tuple[matrices.Block, NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.bool_]]:
    """(block, g, p or None, which of its items have the tag `perturbation`: all where that is None)."""
    block, gen, p = _terms(store, run_id, protocol, subset, setting)
    return block, gen, p, _with_tag(block.items, perturbation)


def _terms(
    store: Store, run_id: str, protocol: Protocol, subset: str | None, setting: Setting
) -> tuple[matrices.Block, NDArray[np.float64], NDArray[np.float64] | None]:
    """A block with its two terms (see `matrices.terms`), the same for all strata."""

    def make() -> tuple[matrices.Block, NDArray[np.float64], NDArray[np.float64] | None]:
        block = spoken(store, run_id, protocol, subset)
        if not len(block):
            return block, block.scores, None
        sums = spoken_prior(store, run_id, protocol, subset, setting.prior)
        return block, *matrices.terms(store.run(run_id), block, setting, sums)

    return store.cached(("spoken terms", run_id, protocol, subset, setting), make)


def _with_tag(items: pd.DataFrame, perturbation: str | None) -> NDArray[np.bool_]:
    if perturbation is None:
        return np.ones(len(items), dtype=np.bool_)
    return np.array([perturbation in tags.split(matrices.JOIN) for tags in items["perturbation"]], dtype=np.bool_)


def sets_of(
    protocol: Protocol, gen: NDArray[np.float64], prior: NDArray[np.float64], n_texts: NDArray[np.intp]
) -> dict[str, alpha_.Intervals]:
    """By metric: for which α each item is right. gen, prior: the two terms, like `matrices.terms`."""
    if protocol == Protocol.CHOICE:
        return {"accuracy": alpha_.intervals(gen, prior, n_texts)}
    if protocol == Protocol.CLASSIFY:
        return {"top1_accuracy": alpha_.intervals(gen, prior, n_texts)}
    if protocol == Protocol.TRIPLET:
        return {"i2t_accuracy": alpha_.intervals_triplet(gen, prior)}
    text, image = alpha_.intervals_quad_text(gen, prior), alpha_.intervals_quad_image(gen, prior)
    return {"text_score": text, "image_score": image, "group_score": text & image}


def sets_under(
    protocol: Protocol, metric: str, gen: NDArray[np.float64], n_texts: NDArray[np.intp]
) -> Callable[[NDArray[np.float64]], alpha_.Intervals]:
    """From a prior to one metric's sets of `sets_of`, for many priors of the same scores: of quads the image side, on
    which the prior cancels, is worked out once."""
    if protocol != Protocol.QUAD or metric == "image_score":
        return lambda prior: sets_of(protocol, gen, prior, n_texts)[metric]
    image = alpha_.intervals_quad_image(gen)

    def of(prior: NDArray[np.float64]) -> alpha_.Intervals:
        if not np.isfinite(prior).all():  # what is missing in the prior is missing on the image side, too
            return sets_of(protocol, gen, prior, n_texts)[metric]
        text = alpha_.intervals_quad_text(gen, prior)
        return text if metric == "text_score" else text & image

    return of


def _of_items(items: pd.DataFrame) -> pd.DataFrame:
    """What an `AlphaCurve` says of its items, with room for lo and hi. items: of a block, with their tags."""
    named = ("item_no", "item_id", "subset", "concept", "perturbation")
    columns = {name: items[name].array for name in named}  # as they are: words need not become Python's
    nothing = np.full(len(items), np.nan)
    return pd.DataFrame(
        {
            **columns,
            "split": split_of(items["tags"]).array,
            "lo": nothing,
            "hi": nothing,
            "cluster": items["cluster"].array,
        }
    )


def split_of(tags: pd.Series) -> pd.Series:
    """The first value of each item's tag `split`, "" where it has none. tags: JSON; what many items say alike is read
    once.

    >>> split_of(pd.Series(['{"split": ["dev"]}', '{"concept": ["split"]}', "{}"])).tolist()
    ['dev', '', '']
    """
    which, different = pd.factorize(tags)
    read = [(json.loads(each).get("split") or [""])[0] for each in different.tolist()]
    return pd.Series(read, dtype="str").take(which).reset_index(drop=True)


def _curve(
    metric: str,
    setting: Setting,
    items: pd.DataFrame,
    sets: alpha_.Intervals | alpha_.Unions,
    chance: float | None,
    halves: tuple[str, str],
) -> AlphaCurve:
    """items: as `_of_items` gives them, the same for all metrics."""
    nothing = np.full(len(items), np.nan)
    frame = items.copy(deep=False)
    frame["lo"] = sets.lo if isinstance(sets, alpha_.Intervals) else nothing
    frame["hi"] = sets.hi if isinstance(sets, alpha_.Intervals) else nothing
    dev, test = (np.asarray(frame["split"] == name, dtype=np.bool_) for name in halves)
    tuned = alpha_.tune(sets, dev, test) if dev.any() and test.any() else None
    if tuned is not None:
        told = tuned["alpha"] is not None and sets.note != alpha_.CANCELS
        tuned["test_gain"] = gain(sets, tuned["alpha"], 0.0, test, frame["cluster"]).as_dict() if told else None
    curve = alpha_.curve(sets)
    return AlphaCurve(
        metric, setting.prior or "", setting.norm, frame, sets, curve, curve.best(), tuned, sets.note, chance, halves
    )


def prior_agreement(store: Store, run_id: str, reference: str = "lm", norm: Norm = "token") -> pd.DataFrame:
    """How far each prior source agrees with a blind language model on which of two captions is the likelier.

    reference: `lm` (the first blind model there is), or a source by name. Columns: prior, reference, subset, value, n,
    lo, hi; compared are the truth and the first foil of choices, and the first paraphrase and the negative of triplets;
    items in which either source ties are left out. Empty without a reference.
    One row a source and subset, and one for all (subset "").
    """

    def make() -> pd.DataFrame:
        run = store.run(run_id)
        sources = run.priors
        blind = next((s for s in sources if s == reference or (reference == "lm" and s.startswith("lm:"))), None)
        rows = []
        tables = {s: _preferences(store, run_id, Setting("prior", prior=s, norm=norm)) for s in sources}
        for source, table in tables.items() if blind else []:
            if source == blind:
                continue
            both = table.merge(tables[blind or ""].drop(columns="cluster"), on="item_no", suffixes=("", "_blind"))
            both = both[(both["gap"] != 0) & (both["gap_blind"] != 0)]
            agree = ((both["gap"] > 0) == (both["gap_blind"] > 0)).to_numpy(dtype=bool)
            for subset in ["", *both["subset"].unique()]:
                inside = np.ones(len(both), bool) if not subset else (both["subset"] == subset).to_numpy()
                cluster = pd.factorize(both["cluster"])[0][inside]
                rate = statistics.rate(agree[inside], clusters=where_shared(cluster))
                rows.append((source, blind, subset, rate.value, rate.n, *(rate.ci95 or (None, None))))
        return pd.DataFrame(rows, columns=["prior", "reference", "subset", "value", "n", "lo", "hi"])

    return store.cached(("agreement", run_id, reference, norm), make)


def _preferences(store: Store, run_id: str, setting: Setting) -> pd.DataFrame:
    """item_no, subset, cluster, gap: log P(truth) minus that of a competitor that is the same for every source."""
    parts = []
    for protocol, other in ((Protocol.CHOICE, 1), (Protocol.TRIPLET, 2)):
        block = matrices.prior_scores(store.run(run_id), protocol, setting)
        if len(block) and block.scores.shape[1] > other:
            gap = block.scores[:, 0] - block.scores[:, other]
            parts.append(block.items[["item_no", "subset", "cluster"]].assign(gap=gap).dropna())
    empty = pd.DataFrame(columns=["item_no", "subset", "cluster", "gap"])
    return pd.concat(parts, ignore_index=True) if parts else empty
