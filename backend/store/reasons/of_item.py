"""What is said of one item: for every model and kind a sentence with its numbers, or why there is none.

The numbers are those of the table that `runs.of_run` gives; the words come from `sentence.py`. Begin with `of_item`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from backend.kinds import Kind
from backend.metrics import alpha as alpha_
from backend.metrics.reasons.alpha_ends import REACHES, ends
from backend.metrics.reasons.priors import effective_samples
from backend.prior_names import prior_name
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.reasons import not_measured, runs
from backend.store.reasons.facts import AlphaFacts, ChoiceFacts, Facts, QuadFacts, Said, Unmeasured
from backend.store.reasons.sentence import said
from backend.store.reasons.words import CARRIED_BY
from backend.store.scores import matrices
from backend.store.scores.setting import Setting


@dataclass(frozen=True)
class ItemOf:
    """The item in question: the benchmark's hash, its number, id, subset, protocol and texts."""

    benchmark: str
    item_no: int
    item_id: str
    subset: str
    protocol: str
    texts: Sequence[str]


@dataclass(frozen=True)
class Explanation:
    """One verdict of one model: what is said of it. row: the item's row of `runs.of_run`, empty without a cell; table:
    the rows of its whole subset."""

    model: str
    run_id: str
    kind: str
    said: Said
    row: Mapping[str, Any]
    table: pd.DataFrame = field(default_factory=pd.DataFrame, compare=False)

    @property
    def measured(self) -> bool:
        """Whether the item has a cell."""
        return bool(self.row.get("cell"))


def of_item(
    store: Store, item: ItemOf, verdicts: Sequence[tuple[str, str, str]], names: Mapping[str, str],
    titles: Mapping[str, str] | None = None,
) -> list[Explanation]:  # fmt: skip
    """An explanation for each (model, run id, kind), in their order. names: model -> what a sentence calls it; titles:
    subset -> what it is called."""
    subset = (titles or {}).get(item.subset, item.subset)
    return [_one(store, item, *each, names.get(each[0], each[0]), subset) for each in verdicts]


def _one(store: Store, item: ItemOf, model: str, run_id: str, kind: str, name: str, subset: str) -> Explanation:
    table = pd.DataFrame()
    if item.protocol in CARRIED_BY:
        table = runs.of_run(store, run_id, Setting(kind), Protocol(item.protocol), item.subset)
    own = table[table["item_no"] == item.item_no] if len(table) else table
    if not len(own):
        why = not_measured.why(store.run(run_id), Protocol(item.protocol), kind)
        return Explanation(model, run_id, kind, said(Unmeasured(name, why.said, why.command)), {})
    row = {str(key): value for key, value in own.iloc[0].to_dict().items()}
    alpha = _alpha(store, item, run_id) if kind == Kind.GEN else None
    spread = float(np.sqrt((table["gamma"] ** 2).mean())) if item.protocol == Protocol.QUAD else float("nan")
    facts = facts_of(item.protocol, row, name, subset, item.texts, medians_of(table, item.protocol), alpha, spread)
    return Explanation(model, run_id, kind, said(facts), row, table)


def medians_of(table: pd.DataFrame, protocol: str) -> tuple[float, float, float]:
    """Those of gamma, |c| and |r|, or of m, b and g."""
    if protocol == Protocol.QUAD:
        gamma, c, r = (table["gamma"], table["c"].abs(), table["r"].abs())
    else:
        gamma, c, r = (table["m"], table["b"], table["g"])
    return float(gamma.median()), float(c.median()), float(r.median())


def short_of(protocol: str, row: Mapping[str, Any], texts: Sequence[str] = ()) -> str:
    """The line of a card, from a row with the columns of `evidence.NUMBERS`; "" for one without a cell."""
    nan = float("nan")
    return said(facts_of(protocol, row, "the model", "", texts, (nan, nan, nan))).short if row.get("cell") else ""


def facts_of(
    protocol: str, row: Mapping[str, Any], name: str, subset: str, texts: Sequence[str],
    medians: tuple[float, float, float], alpha: AlphaFacts | None = None, spread: float = float("nan"),
) -> Facts:  # fmt: skip
    """What a sentence is made of, from a row of `runs.of_run`; see `QuadFacts` and `ChoiceFacts` for the rest."""
    known = {key: row[key] for key in ("cell", "reason", "q", "scale")} | {"medians": medians, "alpha": alpha}
    if protocol == Protocol.QUAD:
        return QuadFacts(
            name, subset, tuple(texts), row["gamma"], row["c"], row["r"], bool(row["nested"]), int(row["saturated"]),
            spread=spread, **known,
        )  # fmt: skip
    return ChoiceFacts(
        name, subset, tuple(texts), protocol == Protocol.TRIPLET, row["m"], row["b"], row["g"], row["s"], row["z"],
        int(row["n_other"]), int(row["same"]), int(row["preferred"]), int(row["prefer"]),
        may_fit=bool(row["may_fit"]), sources_agree=bool(row["sources_agree"]),
        compared=row["elsewhere_low"] == row["elsewhere_low"], **known,
    )  # fmt: skip


def _alpha(store: Store, item: ItemOf, run_id: str) -> AlphaFacts | None:
    """For which α the item is right, by the run's default prior; None where there is no prior for it."""
    run, setting = store.run(run_id), Setting(Kind.GEN)
    where, source = run.prior(), run.default_prior
    protocol = Protocol(item.protocol)
    own = matrices.items_of(run, protocol, item.subset)
    own = own[own["item_no"] == item.item_no].reset_index(drop=True)
    block = matrices.block(run, Kind.GEN, protocol, item.subset, own)
    if where is None or source is None or not len(block):
        return None
    gen, prior = matrices.terms(run, block, setting)
    if prior is None or np.isnan(prior).all():
        return None
    sums = matrices.prior_of(run, *where, block, prior.shape[1])
    effective = effective_samples(sums)
    samples = float(np.nanmin(effective)) if len(sums) > 1 and not np.isnan(effective).all() else None
    words = prior_name(source)
    if protocol == Protocol.QUAD:
        found = ends(gen, prior)
        reach = REACHES[found.reach[0]] if found.reach[0] >= 0 else ""
        return AlphaFacts(float(found.group.lo[0]), float(found.group.hi[0]), words, reach, samples)
    if protocol == Protocol.TRIPLET:
        sets = alpha_.intervals_triplet(gen, prior)
    else:
        sets = alpha_.intervals(gen, prior, block.n_texts)
    return AlphaFacts(float(sets.lo[0]), float(sets.hi[0]), words, "", samples)
