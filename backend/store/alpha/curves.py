"""What the Debias and Equivariance pages ask: exact α-curves, prior agreement, deviations."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.items import SIMILARITIES, Kind, Protocol
from backend.kinds import PAIR_KINDS, SPOKEN, listed
from backend.metrics import alpha as alpha_
from backend.metrics import eqsim, protocols, statistics
from backend.metrics.core.registry import by_name
from backend.store.build.store import Store
from backend.store.scores import matrices, outcomes, pools
from backend.store.scores.setting import Norm, Setting


@dataclass(frozen=True)
class AlphaCurve:
    """One metric over α.

    items: frame of the items behind it, in the order of `sets`: item_no, item_id, subset, concept, perturbation, split,
    lo, hi (the open interval of α in which the item is right; empty: lo = inf; NaN: undefined, or a union).
    sets: for `alpha.flips`, `alpha.tune`, `alpha.split_half`. curve: exact. best: α* on all items. tuned: α* chosen on
    the dev half and its value on the test half (`alpha.tune`), None where the items have no such halves.
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
            block, gen, p = _terms(store, run_id, protocol, subset, setting)
            keep = _with_tag(block.items, perturbation)
            if p is not None and keep.any():
                for metric, sets in _sets(protocol, gen[keep], p[keep], block.n_texts[keep]).items():
                    level = by_name(metric).level(block.n_texts[keep])
                    found.append(_curve(metric, setting, block.items[keep], sets, level, halves))
        for pool in pools.pools(run, Kind.GEN, subset) if perturbation is None else []:
            gen, p = outcomes.pool_terms(run, pool, setting)
            if p is not None:
                unions = alpha_.recall_unions(gen, p, pool.relevance)
                level = by_name("i2t_recall_at_1").level(pool.scores.shape[1], pool.relevance.sum(axis=1))
                found.append(
                    _curve("i2t_recall_at_1", setting, pool.items.iloc[pool.image_item], unions, level, halves)
                )
        return found

    return store.cached(("alpha", run_id, prior, norm, subset, perturbation, halves), make)


def spoken(store: Store, run_id: str, protocol: Protocol, subset: str | None) -> matrices.Block:
    """The block of kind gen, read once for all priors, norms and strata; not to be changed."""
    key = ("spoken", run_id, protocol, subset)
    return store.cached(key, lambda: matrices.block(store.run(run_id), Kind.GEN, protocol, subset))


def _terms(
    store: Store, run_id: str, protocol: Protocol, subset: str | None, setting: Setting
) -> tuple[matrices.Block, NDArray[np.float64], NDArray[np.float64] | None]:
    """A block with its two terms (see `matrices.terms`), the same for all strata."""

    def make() -> tuple[matrices.Block, NDArray[np.float64], NDArray[np.float64] | None]:
        block = spoken(store, run_id, protocol, subset)
        if not len(block):
            return block, block.scores, None
        return block, *matrices.terms(store.run(run_id), block, setting)

    return store.cached(("spoken terms", run_id, protocol, subset, setting), make)


def _with_tag(items: pd.DataFrame, perturbation: str | None) -> NDArray[np.bool_]:
    if perturbation is None:
        return np.ones(len(items), dtype=np.bool_)
    return np.array([perturbation in tags.split(matrices.JOIN) for tags in items["perturbation"]], dtype=np.bool_)


def _sets(
    protocol: Protocol, gen: NDArray[np.float64], prior: NDArray[np.float64], n_texts: NDArray[np.intp]
) -> dict[str, alpha_.Intervals]:
    if protocol == Protocol.CHOICE:
        return {"accuracy": alpha_.intervals(gen, prior, n_texts)}
    if protocol == Protocol.CLASSIFY:
        return {"top1_accuracy": alpha_.intervals(gen, prior, n_texts)}
    if protocol == Protocol.TRIPLET:
        return {"i2t_accuracy": alpha_.intervals_triplet(gen, prior)}
    text, image = alpha_.intervals_quad_text(gen, prior), alpha_.intervals_quad_image(gen, prior)
    return {"text_score": text, "image_score": image, "group_score": text & image}


def _curve(
    metric: str,
    setting: Setting,
    items: pd.DataFrame,
    sets: alpha_.Intervals | alpha_.Unions,
    chance: float | None,
    halves: tuple[str, str],
) -> AlphaCurve:
    split = [(json.loads(tags).get("split") or [""])[0] for tags in items["tags"]]
    nothing = np.full(len(items), np.nan)
    frame = pd.DataFrame(
        {
            "item_no": items["item_no"].to_numpy(),
            "item_id": items["item_id"].to_numpy(),
            "subset": items["subset"].to_numpy(),
            "concept": items["concept"].to_numpy(),
            "perturbation": items["perturbation"].to_numpy(),
            "split": split,
            "lo": sets.lo if isinstance(sets, alpha_.Intervals) else nothing,
            "hi": sets.hi if isinstance(sets, alpha_.Intervals) else nothing,
        }
    )
    dev, test = (np.array([half == name for half in split]) for name in halves)
    tuned = alpha_.tune(sets, dev, test) if dev.any() and test.any() else None
    curve = alpha_.curve(sets)
    return AlphaCurve(
        metric, setting.prior or "", setting.norm, frame, sets, curve, curve.best(), tuned, sets.note, chance
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
            both = table.merge(tables[blind or ""], on="item_no", suffixes=("", "_blind"))
            both = both[(both["gap"] != 0) & (both["gap_blind"] != 0)]
            agree = ((both["gap"] > 0) == (both["gap_blind"] > 0)).to_numpy(dtype=bool)
            for subset in ["", *both["subset"].unique()]:
                rate = statistics.rate(agree if not subset else agree[(both["subset"] == subset).to_numpy()])
                rows.append((source, blind, subset, rate.value, rate.n, *(rate.ci95 or (None, None))))
        return pd.DataFrame(rows, columns=["prior", "reference", "subset", "value", "n", "lo", "hi"])

    return store.cached(("agreement", run_id, reference, norm), make)


def _preferences(store: Store, run_id: str, setting: Setting) -> pd.DataFrame:
    """item_no, subset, gap: log P(truth) minus that of a competitor that is the same for every prior source."""
    parts = []
    for protocol, other in ((Protocol.CHOICE, 1), (Protocol.TRIPLET, 2)):
        block = matrices.prior_scores(store.run(run_id), protocol, setting)
        if len(block) and block.scores.shape[1] > other:
            gap = block.scores[:, 0] - block.scores[:, other]
            parts.append(block.items[["item_no", "subset"]].assign(gap=gap).dropna())
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["item_no", "subset", "gap"])


def deviations(store: Store, run_id: str, kind: str, subset: str | None = None, normalise: str = "raw") -> pd.DataFrame:
    """One row a quad: item_no, item_id, subset, concept, s11, s12, s21, s22, v1, v2_text, v2_image, their scale-free
    forms (`*_scale_free`, per subset), deviation over |margin| (`*_over_margin`), text_margin, image_margin,
    group_margin. Scores are normalised as `eqsim.normalise` says: raw, softmax-cells or softmax-pool, of cosines with
    the model's own logit scale. UsageError for a kind that gives an image with a text no number of its own.
    """
    if kind not in SIMILARITIES:
        raise UsageError(f"deviations need scores of an image with a text: kind {listed(PAIR_KINDS)}, not {kind}.")

    def make() -> pd.DataFrame:
        block = matrices.block(store.run(run_id), kind, Protocol.QUAD, subset)
        counts = block.n_tokens if kind in SPOKEN else None
        scale = logit_scale(store, run_id) if kind == Kind.ITC else 1.0
        s = block.scores
        if len(block):
            s = eqsim.normalise(block.scores, kind, normalise, counts, logit_scale=scale)
        dev, over = eqsim.deviations(s), eqsim.dev_over_margin(eqsim.deviations(s), s)
        columns: dict[str, Any] = {
            "item_no": block.items["item_no"].to_numpy(),
            "item_id": block.items["item_id"].to_numpy(),
            "subset": block.items["subset"].to_numpy(),
            "concept": block.items["concept"].to_numpy(),
        }
        columns |= {f"s{i + 1}{j + 1}": s[:, i, j] for i in range(2) for j in range(2)}
        free = {name: np.full(len(s), np.nan) for name in dev._fields}
        for name in np.unique(columns["subset"].astype(str)):
            rows = columns["subset"] == name
            for field, values in eqsim.scale_free(eqsim.deviations(s[rows]), s[rows])._asdict().items():
                free[field][rows] = values
        columns |= dev._asdict()
        columns |= {f"{name}_scale_free": values for name, values in free.items()}
        columns |= {f"{name}_over_margin": values for name, values in over._asdict().items()}
        judged = protocols.quad(s)
        columns |= {f"{name.removesuffix('_score')}_margin": v.margin for name, v in judged.items()}
        return pd.DataFrame(columns)

    return store.cached(("deviations", run_id, kind, subset, normalise), make)


def logit_scale(store: Store, run_id: str) -> float:
    """The model's own logit scale, with which a softmax of its cosines is taken; 1 where the record has none."""
    described = store.run(run_id).record.get("model")
    found = described.get("logit_scale") if isinstance(described, dict) else None
    return float(found) if isinstance(found, int | float) and found > 0 else 1.0
