"""Choices and triplets of a run under a setting, against their captions under other images: one row an item."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import SPOKEN, Kind
from backend.metrics.reasons import counterfactual, items, scales
from backend.metrics.reasons.counterfactual import CHOICE_CELLS
from backend.protocols import Protocol
from backend.store.build.stored_run import StoredRun
from backend.store.reasons import sources
from backend.store.scores import counterfactuals, matrices
from backend.store.scores.counterfactuals import UnderOthers
from backend.store.scores.matrices import FloatArray
from backend.store.scores.setting import Setting

#: The columns of `against`, in order.
COLUMNS = (
    "item_no", "item_id", "subset", "protocol", "m", "b", "g", "s", "z", "b_error", "n_other", "u", "same",
    "preferred", "prefer", "cell", "mirrored", "reason", "q", "scale", "may_fit", "sources_agree", "others",
    "least_low", "least_high", "elsewhere_low", "elsewhere_high",
)  # fmt: skip
#: So many margins under other images are kept to be drawn.
DRAWN = 32


def measured(run: StoredRun, kind: str) -> bool:
    """Whether the run has scored captions under other images by this kind."""
    return kind in counterfactuals.kinds_under_others(run)


def against(
    run: StoredRun, setting: Setting, block: matrices.Block, scores: FloatArray, subset: str | None = None
) -> pd.DataFrame:
    """One row an item that was scored under other images, in item order; empty where none was.

    block, scores: the items of one protocol under their own images, as the setting judges them (`judged_scores`).
    Columns: item_no, item_id, subset, protocol; m, b, g, s, z, b_error, n_other, u, cell, mirrored as in
    `counterfactual.Evidence`, in the unit of `scale`; same: under how many of the n_other images the verdict is the
    same; preferred: the text that scores highest under the own image, prefer: under how many of the others it does,
    too; reason and q (`items.of_choices`), decided within the subset; may_fit: whether other images may fit the
    captions; sources_agree: whether shares under several sources of images agree (`sources.agree`); others: the margins
    under the other images, a rising list; of more than `DRAWN` so many, evenly spaced by rank, both ends among them;
    least_low, least_high: the interval of the subset's share of items with evidence from their image, NaN where
    undefined; elsewhere_low, elsewhere_high: the same against images of other subsets, NaN where none was scored.
    """
    groups = counterfactuals.under_others(run, setting.kind, subset, block.protocol)
    frames = [_one(setting, block, scores, found) for found in groups]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COLUMNS))


@dataclass(frozen=True)
class Margins:
    """A subset's n items on the scale of reasons. own: (n, texts); others: (n, images, texts); m: (n,), table:
    (n, images), elsewhere: (n, images of other subsets): their margins. scale: its name."""

    own: FloatArray
    others: FloatArray
    m: FloatArray
    table: FloatArray
    elsewhere: FloatArray
    scale: str


def margins_of(setting: Setting, block: matrices.Block, scores: FloatArray, found: UnderOthers) -> Margins:
    """Scores under the own image and under others as margins. What the setting takes from a caption's score (the prior,
    under α) it takes under every image alike."""
    rows = np.searchsorted(block.items["item_no"].to_numpy(), found.items["item_no"].to_numpy())
    judged = scores[rows][:, : found.own.shape[1]]
    plain = scales.on_scale(found.own, setting.kind, found.n_tokens, setting.norm)
    counts = found.n_tokens[:, None, :] if setting.kind in SPOKEN else None
    others = scales.on_scale(found.scores, setting.kind, counts, setting.norm).values
    own = scales.judged_on_scale(judged, setting.kind, setting.norm).values
    if setting.kind == Kind.GEN:
        others = others + (own - plain.values)[:, None, :]
    triplet = found.protocol == Protocol.TRIPLET
    n_texts = None if triplet else found.items["n_texts"].to_numpy()

    def margins(table: FloatArray) -> FloatArray:
        return counterfactual.margins(table, n_texts, triplet=triplet)

    elsewhere = scales.on_scale(found.elsewhere, setting.kind, counts, setting.norm).values
    if setting.kind == Kind.GEN:
        elsewhere = elsewhere + (own - plain.values)[:, None, :]
    return Margins(own, others, margins(own[:, None, :])[:, 0], margins(others), margins(elsewhere), plain.name)


def _one(setting: Setting, block: matrices.Block, scores: FloatArray, found: UnderOthers) -> pd.DataFrame:
    made = margins_of(setting, block, scores, found)
    evidence = counterfactual.of_margins(made.m, made.table)
    shares = sources.by_source(made.m, made.table, made.elsewhere, found.items["cluster"])
    agree = sources.agree(shares)
    ends, away = (
        (shares[name].ci95 if name in shares else None) or (np.nan, np.nan) for name in (sources.SAME, sources.OTHER)
    )
    said = items.of_choices(evidence, np.full(len(found), found.may_fit), sources_agree=agree)
    names = np.array([*CHOICE_CELLS, ""], dtype=object)  # code -1 is the last
    preferred, prefer = _preferred(made)
    return found.items[["item_no", "item_id", "subset"]].reset_index(drop=True).assign(
        protocol=str(found.protocol), m=evidence.m, b=evidence.b, g=evidence.g, s=evidence.s, z=evidence.z,
        b_error=evidence.b_error, n_other=evidence.n_other, u=evidence.u,
        same=(np.isfinite(made.table) & ((made.table > 0) == evidence.right[:, None])).sum(axis=1),
        preferred=preferred, prefer=prefer, cell=names[evidence.cell], mirrored=names[evidence.mirrored],
        reason=np.array(said.reason, dtype=object), q=said.q, scale=made.scale, may_fit=found.may_fit,
        sources_agree=agree, others=pd.Series([_drawn(row) for row in made.table], dtype=object),
        least_low=ends[0], least_high=ends[1], elsewhere_low=away[0], elsewhere_high=away[1],
    )  # fmt: skip


def _drawn(margins: FloatArray) -> list[float]:
    """At most `DRAWN` of an item's margins under other images, rising.

    >>> _drawn(np.array([0.5, np.nan, -1.0])), len(_drawn(np.arange(500.0)))
    ([-1.0, 0.5], 32)
    """
    there = np.sort(margins[np.isfinite(margins)])
    if len(there) > DRAWN:
        there = there[np.linspace(0, len(there) - 1, DRAWN).round().astype(np.intp)]
    return [float(each) for each in there]


def _preferred(made: Margins) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The text of the highest own score (n,), -1 where there is none, and under how many other images it wins, too."""
    there = ~np.isnan(made.own).all(axis=1)
    best = np.full(len(made.own), -1, dtype=np.intp)
    best[there] = np.nanargmax(made.own[there], axis=1)
    elsewhere = np.argmax(np.where(np.isnan(made.others), -np.inf, made.others), axis=2)
    counted = np.isfinite(made.table) & (elsewhere == best[:, None])
    return best, np.asarray(counted.sum(axis=1), dtype=np.intp)
