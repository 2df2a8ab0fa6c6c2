"""The exact α-curves of a published site: for which α each item is right, and what is said of a curve."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from backend.kinds import Kind
from backend.metrics import alpha as alpha_
from backend.metrics.alpha.gains import gain
from backend.metrics.core.registry import by_name
from backend.prior_names import prior_name
from backend.store.alpha import uncertainty
from backend.store.build.store import Store
from backend.store.queries import AlphaCurve, alpha_curves
from backend.taxonomy import title
from pages.debias import to_copy
from pages.debias.options import DASHES
from pages.debias.verdict import Floor
from pages.static_site.packing import packed
from pages.static_site.tables import Side

DOMAIN = (0.0, 1.0)


def curves(store: Store, side: Side, place: "pd.Series[int]", benchmark: str) -> list[dict[str, Any]]:
    """Every curve of a side that speaks and has priors; none where its scores may not be handed on. place: item number
    -> place in the site's list of items.

    A curve: its metric, its source of P(t), `at` (the places of its items), the open pieces of α in which each is right
    (`owner` says of which of `at`; `lo`, `hi`), and by subset α*, the chance level, the findings of α* and of α = 1,
    and why nothing debiased may be claimed, "" where it may.
    """
    if side.kind != Kind.GEN or not side.scores:
        return []
    run = store.run(side.run_id)
    found = []
    for source in sorted(run.priors, key=lambda each: each != run.default_prior):
        found += [_curve(store, each, side, place, benchmark) for each in alpha_curves(store, side.run_id, source)]
    return found


def _curve(store: Store, of: AlphaCurve, side: Side, place: "pd.Series[int]", benchmark: str) -> dict[str, Any]:
    keep = of.sets.defined & of.items["item_no"].isin(place.index).to_numpy()
    sets, items = of.sets.take(keep), of.items[keep].reset_index(drop=True)
    owner, lo, hi = sets.pieces()
    order = np.lexsort((lo, owner))
    groups, cancels = {}, of.note == alpha_.CANCELS
    for subset in dict.fromkeys(items["subset"]):
        inside = (items["subset"] == subset).to_numpy()
        part = sets.take(inside)
        curve = alpha_.curve(part, domain=DOMAIN)
        best = curve.best()
        own = replace(of, sets=part, items=items[inside].reset_index(drop=True), curve=curve, best=best)
        groups[str(subset)] = {
            "best": None
            if best is None or cancels
            else {"alpha": best.alpha, "value": best.value, "lo": best.lo, "hi": best.hi, "text": best.text()},
            "chance": of.chance,
            **_said(store, own, side, str(subset), benchmark, cancels=cancels),
        }  # fmt: skip
    return {
        "metric": of.metric,
        "title": by_name(of.metric).title,
        "prior": of.prior,
        "label": prior_name(of.prior),
        "dash": DASHES.get(of.prior.partition(":")[0], "5 5"),
        "note": of.note,
        "cancels": cancels,
        "at": packed(place[items["item_no"]].to_numpy(), "<i4"),
        "owner": packed(owner[order], "<i4"),
        "lo": packed(lo[order], "<f8"),
        "hi": packed(hi[order], "<f8"),
        "groups": groups,
    }


def _said(
    store: Store, of: AlphaCurve, side: Side, subset: str, benchmark: str, *, cancels: bool
) -> dict[str, str]:  # fmt: skip
    """The sentences of a subset's curve: `finding` of α*, `whole` of α = 1, `thin` (see `to_copy.Caution`)."""
    named = to_copy.Of(side.name, of.metric, title(subset), prior_name(of.prior), benchmark)
    if cancels or of.best is None:
        found = to_copy.cancels(named, of.curve) if cancels else ""
        return {"finding": found, "whole": found, "thin": ""}
    caution = to_copy.Caution(
        uncertainty.samples_of(store, side.run_id, of, subset), uncertainty.held_out(of, DOMAIN), None, Floor(of.chance)
    )
    clusters = of.items["cluster"].to_numpy()
    star, whole = (
        to_copy.said(named, of.curve, gain(of.sets, at, 0.0, clusters=clusters), caution) for at in (of.best.alpha, 1.0)
    )
    return {"finding": star, "whole": whole, "thin": caution.thin}
