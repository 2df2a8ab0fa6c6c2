"""How sensitive each model is to edits of the captions, and which of its verdicts are near misses.

Edits that keep the meaning change nothing that a caption says: the verdicts that they flip are the model's own
restlessness, and what edits that change the meaning do is counted beyond it. The number of edits does not matter.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from backend.metrics import statistics
from backend.metrics.core.arrays import BoolArray, FloatArray
from backend.metrics.reasons import sensitivity
from backend.metrics.reasons.sensitivity import Sensitivity
from backend.metrics.statistics import Paired, Rate
from backend.perturb.base import Effect
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.labels import edited_captions
from backend.store.labels.edited_captions import Edited
from backend.store.rates.asking_orders import has_margins
from backend.store.scores.noise import noise_of
from backend.store.scores.setting import Setting

#: Editions of the true caption alone are what d' is defined on; those of every caption serve where there are no others.
TEXTS: Final = ("truth", "all")


@dataclass(frozen=True)
class Flips:
    """Flips one way. n items have edits of both effects (or of the one that was scored). kept, changed: mean over them
    of the share of an item's edits that flip it, of edits that keep and that change the meaning; None where none was
    scored. beyond: changed - kept, by item, with its interval over images; n = 0 without both."""

    n: int
    kept: float | None
    changed: float | None
    beyond: Paired


@dataclass(frozen=True)
class Sensitive:
    """One model and kind. items: verdicts of the run. texts: which captions the editions edit, "truth" or "all"; kept,
    changed: names of those that keep and that change the meaning. lost: right to wrong, won: wrong to right.
    d_prime: over all items, None of verdicts without margins (`asking_orders.has_margins`). near_miss: share of the
    wrong items with `enough` edits that differ for the model; near: their ids. edits: median of such edits an item."""

    model: str
    kind: str
    run: str
    items: int
    texts: str
    kept: tuple[str, ...]
    changed: tuple[str, ...]
    lost: Flips
    won: Flips
    d_prime: Sensitivity
    edits: float
    near_miss: Rate
    near: tuple[str, ...]
    enough: int = edited_captions.ENOUGH


def counts(store: Store, benchmark: str) -> list[Sensitive]:
    """For every model's default run on a benchmark (hash) and each kind with scored editions of either effect."""

    def make() -> list[Sensitive]:
        found = []
        runs = catalog.models(store, benchmark)
        for model, run_id in zip(runs["model"], runs["run_id"], strict=True):
            run = store.run(str(run_id))
            scored = [each.kind for effect in Effect for each in edited_captions.scored_editions(run, effect)]
            for kind in sorted(set(scored)):
                keeping, changing = (edited_captions.verdicts(run, kind, effect) for effect in Effect)
                if noted := _counted(store, str(model), kind, run.run_id, keeping, changing):
                    found.append(noted)
        return found

    return store.cached(("sensitive", benchmark), make)


def near_of_run(store: Store, run_id: str, kind: str) -> pd.DataFrame:
    """Of a run's verdicts of a kind, at its default setting, those with enough edits to tell: run_id, item_no, metric,
    near (whether it is a near miss, as `Sensitive.near` counts them). Empty without such edits."""

    def make() -> pd.DataFrame:
        keeping = edited_captions.verdicts(store.run(run_id), kind, Effect.PRESERVING)
        if keeping is None:
            return pd.DataFrame(columns=["run_id", "item_no", "metric", "near"])
        own = keeping.items["margin"].to_numpy(dtype=float)
        near, enough, _ = near_misses(own, keeping, noise_of(store, run_id, Setting(kind)).bound or 0.0)
        return keeping.items.loc[enough, ["item_no", "metric"]].assign(run_id=run_id, near=near[enough])

    return store.cached(("near misses", run_id, kind), make)


def _counted(
    store: Store, model: str, kind: str, run: str, keeping: Edited | None, changing: Edited | None
) -> Sensitive | None:
    known = keeping or changing
    if known is None or not len(known.items):
        return None
    own, cluster = known.items["margin"].to_numpy(dtype=float), known.items["cluster"].to_numpy()
    texts, kept, changed = _comparable(known, keeping, changing)
    right, wrong = own > 0, own <= 0
    near, enough, edits = near_misses(own, keeping, noise_of(store, run, Setting(kind)).bound or 0.0)
    return Sensitive(
        model, kind, run, len(own), texts, tuple(kept.editions), tuple(changed.editions),
        _flips(right, ~(kept.margins > 0), ~(changed.margins > 0), kept, changed, cluster),
        _flips(wrong, kept.margins > 0, changed.margins > 0, kept, changed, cluster),
        sensitivity.d_prime(kept.margins - own[:, None], changed.margins - own[:, None], cluster)
        if has_margins(store, run, kind) else Sensitivity(None, None, kept.scored, changed.scored),
        float(np.median(edits[edits > 0])) if (edits > 0).any() else 0.0,
        statistics.rate(near, enough & wrong, clusters=cluster), tuple(known.items["item_id"][near]),
    )  # fmt: skip


def _comparable(known: Edited, keeping: Edited | None, changing: Edited | None) -> tuple[str, Edited, Edited]:
    """The first of TEXTS that editions of both effects edit, else of either; and those editions."""
    nothing = Edited(known.items, np.zeros((len(known.items), 0)), [], [])
    both = {texts: [(each or nothing).only(texts) for each in (keeping, changing)] for texts in TEXTS}
    whole = [texts for texts, pair in both.items() if all(each.editions for each in pair)]
    some = [texts for texts, pair in both.items() if any(each.editions for each in pair)]
    texts = (whole or some or list(TEXTS))[0]
    return texts, both[texts][0], both[texts][1]


def _flips(
    before: BoolArray, kept: BoolArray, changed: BoolArray, keeping: Edited, changing: Edited, cluster: ArrayLike
) -> Flips:
    """before: (n,), the items that can flip this way; kept, changed: (n, e), whether the edited verdict is the other.
    Shares are of all items with edits, as on the rest of the page."""
    still, moved = (
        _share(before, flips, edited.margins) for flips, edited in ((kept, keeping), (changed, changing))
    )  # fmt: skip
    if keeping.editions and changing.editions:
        there = ~np.isnan(still) & ~np.isnan(moved)
        still, moved = (np.where(there, share, np.nan) for share in (still, moved))
    known = ~np.isnan(still) | ~np.isnan(moved)
    beyond = statistics.paired_bootstrap(moved, still, cluster)
    return Flips(int(known.sum()), _mean(still), _mean(moved), beyond)


def _share(before: BoolArray, flips: BoolArray, margins: FloatArray) -> FloatArray:
    """The share of each item's scored edits that flip it, (n,); NaN for an item without any."""
    scored = ~np.isnan(margins)
    number = scored.sum(axis=1)
    share = (before[:, None] & flips & scored).sum(axis=1) / np.maximum(number, 1)
    return np.where(number > 0, share, np.nan)


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def near_misses(own: FloatArray, keeping: Edited | None, noise: float) -> tuple[BoolArray, BoolArray, FloatArray]:
    """(near a miss, has evidence, edits that differ for the model), each (n,): wrong items whose margin is smaller than
    what edits that keep the meaning move it towards zero by (the 90th percentile). own: (n,) margins."""
    if keeping is None:
        nothing = np.zeros(len(own), dtype=np.bool_)
        return nothing, nothing, np.zeros(len(own))
    alike = edited_captions.read_alike(keeping.margins, noise)
    label, known = sensitivity.near_miss(own, keeping.margins, alike.tolist(), edited_captions.ENOUGH)
    scored = ~np.isnan(keeping.margins)
    differ = np.array([len(set(ids[there])) for ids, there in zip(alike, scored, strict=True)], dtype=np.float64)
    return label & (own <= 0), known, differ
