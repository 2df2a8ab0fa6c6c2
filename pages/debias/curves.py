"""What the α-curve of Debias is drawn from: its lines, the plane of its comparisons, printed points."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from backend.metrics.alpha.gains import Gain, gain
from backend.prior_names import prior_name
from backend.protocols import Protocol
from backend.store.queries import AlphaCurve, Setting
from backend.store.reasons import bars
from backend.store.scores.setting import as_norm
from pages.debias.options import DASHES, Options
from pages.debias.view import Line, plane_of
from pages.shared.data import stored

#: Protocols whose comparisons are few enough an item to be points of a plane.
IN_A_PLANE = ("choice", "triplet", "quad")


def curve_of(run: str, source: str, norm: str, subset: str, tag: str | None, metric: str) -> AlphaCurve | None:
    """One curve; None where the source has no scores for it."""
    return next((c for c in stored.alpha_curves(run, source, norm, subset, tag) if c.metric == metric), None)


def won(run: str, curve: AlphaCurve, subset: str, stratum: str | None, alpha: float) -> Gain:
    """What α wins over none on the items of a curve, which was asked with this subset and stratum (see `gain`)."""
    key = ("debias won", run, curve.prior, curve.norm, curve.metric, subset, stratum, alpha)
    return stored.store().cached(key, lambda: gain(curve.sets, alpha, 0.0, clusters=curve.items["cluster"]))


def unbound(run: str, protocol: str, subset: str) -> str:
    """The share of a subset's quads that bind, with its interval in words, where no binding is seen; else ""."""
    if protocol != Protocol.QUAD:
        return ""
    rows = bars.of_run(stored.store(), run, Setting("gen"))
    for row in rows[rows["subset"] == subset].head(1).to_dict("records"):
        if row["n"] and not np.isnan(row["low"]):
            share, ends = (row["plus"] - row["minus"]) / row["n"], (row["low"], row["high"])
            return bars.said(Protocol.QUAD, share, ends)[1] if bars.state(share, ends) == "not seen" else ""
    return ""


def lines(found: Mapping[str, AlphaCurve | None], colour: str) -> list[Line]:
    """A line for each prior source: the model's colour, told apart by their dashes."""
    return [
        Line(source, prior_name(source), colour, curve.sets, DASHES.get(source.partition(":")[0], "5 5"))
        for source, curve in found.items()
        if curve is not None
    ]


def points(
    terms: tuple[pd.DataFrame, Any, Any] | None, shown: pd.Series, unit: str, triplet: bool
) -> dict[str, Any] | None:
    """The plane of all comparisons of the items whose numbers are shown."""
    if terms is None:
        return None
    items, gen, prior = terms
    keep = items["item_no"].isin(shown).to_numpy()
    gen, prior = gen[keep], prior[keep]
    if triplet:  # each paraphrase against the negative
        gen, prior = (np.concatenate([table[:, [0, 2]], table[:, [1, 2]]]) for table in (gen, prior))
    return plane_of(comparisons(np.asarray(gen), np.asarray(prior)), unit)


def comparisons(gen: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """All comparisons of items as points (prior difference, difference with the image).

    Quads (n, 2, 2): each image's own caption against the other. Choices (n, k+1): the truth, column 0, against each
    foil. Triplets are brought into that form by `points`.

    >>> comparisons(np.array([[-1.0, -2.0]]), np.array([[-3.0, -2.0]])).tolist()
    [[-1.0, 1.0]]
    """
    if gen.ndim == 3:
        own = np.stack([gen[:, 0, 0] - gen[:, 0, 1], gen[:, 1, 1] - gen[:, 1, 0]], axis=1)
        without = np.stack([prior[:, 0] - prior[:, 1], prior[:, 1] - prior[:, 0]], axis=1)
        return np.stack([without.ravel(), own.ravel()], axis=1)
    return np.stack([(prior[:, :1] - prior[:, 1:]).ravel(), (gen[:, :1] - gen[:, 1:]).ravel()], axis=1)


def plane(options: Options, protocol: str, shown: pd.Series) -> dict[str, Any] | None:
    """The plane for a setting; None for pools and classes."""
    if protocol not in IN_A_PLANE:
        return None
    setting = Setting("gen", 0.0, options.prior, as_norm(options.norm) or "token")
    unit = "nats" if options.norm == "sum" else "nats a token"
    return points(stored.terms(options.run, protocol, options.subset, setting), shown, unit, protocol == "triplet")
