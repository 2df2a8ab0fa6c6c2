"""For each item of an α-curve the exact set of α in which it is right: what Debias lists and hands out."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from backend.metrics.alpha import CANCELS
from backend.store.alpha.curves import AlphaCurve
from backend.store.build.store import Store

#: Captions and images of an item that a small card shows.
FIRST = 4
Which = Literal["changes", "always", "never", "all"]
Order = Literal["near", "narrow", "wide", "item"]


def ranges(
    curve: AlphaCurve, domain: tuple[float, float], which: Which = "changes", order: Order = "near", alpha: float = 0.0
) -> pd.DataFrame:
    """Items with a verdict: position, item_id, subset, concept, perturbation, n_flips, share, nearest, right.

    position: in `curve.items` and `curve.sets`. n_flips: break-points inside the closed domain. share: of the domain's
    length in which the item is right. nearest: its break-point closest to `alpha`, NaN without one. right: at `alpha`.
    which: items whose verdict changes within the domain, that are right all over it, nowhere in it, or all of them.
    order: nearest flip first, narrowest or widest share, or the benchmark's own order; ties keep the benchmark's order.
    """
    low, high = domain
    n = len(curve.sets)
    owner, lo, hi = curve.sets.pieces()
    inside = np.clip(np.minimum(hi, high) - np.maximum(lo, low), 0.0, None)
    share = np.bincount(owner, inside, n) / (high - low)
    ends, whose = np.concatenate([lo, hi]), np.concatenate([owner, owner])
    known = np.isfinite(ends) & (ends >= low) & (ends <= high)
    ends, whose = ends[known], whose[known]
    n_flips = np.bincount(whose, minlength=n)
    nearest = np.full(n, np.nan)
    far_first = np.argsort(-np.abs(ends - alpha), kind="stable")
    nearest[whose[far_first]] = ends[far_first]  # the last one written is the nearest
    frame = curve.items[["item_id", "subset", "concept", "perturbation"]].reset_index(drop=True)
    frame = frame.assign(
        position=np.arange(n), n_flips=n_flips, share=share, nearest=nearest, right=curve.sets.contains(alpha)
    )
    keep = {
        "changes": n_flips > 0,
        "always": (n_flips == 0) & (share > 0),
        "never": (n_flips == 0) & (share == 0),
        "all": np.ones(n, dtype=np.bool_),
    }[which]
    found = frame[keep & curve.sets.defined]
    by = {
        "near": (found["nearest"] - alpha).abs(),
        "narrow": found["share"],
        "wide": -found["share"],
        "item": found["position"],
    }[order]
    sorted_: pd.DataFrame = found.loc[by.sort_values(kind="stable", na_position="last").index]
    return sorted_


def pieces(
    curve: AlphaCurve, positions: "np.ndarray[tuple[int], np.dtype[np.intp]]"
) -> list[list[tuple[float, float]]]:
    """The disjoint open intervals of some items, ascending, by their positions in the curve; [] where right nowhere."""
    owner, lo, hi = curve.sets.pieces()
    order = np.lexsort((lo, owner))
    owner, lo, hi = owner[order], lo[order], hi[order]
    first, last = np.searchsorted(owner, positions, "left"), np.searchsorted(owner, positions, "right")
    return [list(zip(lo[a:b].tolist(), hi[a:b].tolist(), strict=True)) for a, b in zip(first, last, strict=True)]


def captions(store: Store, benchmark: str, item_ids: Sequence[str]) -> dict[str, str]:
    """The first caption of some items of a benchmark (hash), by id; for most protocols the true one."""
    found = store.cursor().execute(
        "SELECT item_id, coalesce(texts[1], '') FROM items WHERE benchmark = ? AND item_id IN (SELECT unnest(?))",
        [benchmark, list(item_ids)],
    )
    return dict(found.fetchall())


def pictured(store: Store, benchmark: str, item_ids: Sequence[str]) -> dict[str, tuple[list[str], list[str]]]:
    """Captions and image URIs of some items of a benchmark (hash), by id: the first ones of each, up to `FIRST`."""
    found = store.cursor().execute(
        f"""SELECT item_id, texts[1:{FIRST}], image_uris[1:{FIRST}] FROM items
        WHERE benchmark = ? AND item_id IN (SELECT unnest(?::VARCHAR[]))""",
        [benchmark, list(item_ids)],
    )
    return {str(item_id): (list(texts or []), list(uris or [])) for item_id, texts, uris in found.fetchall()}


def table(curve: AlphaCurve, frame: pd.DataFrame) -> pd.DataFrame:
    """One row a piece, for files: item_id, subset, concept, perturbation, lo, hi, open at both ends; -inf and inf where
    it has no end there, an item that is right nowhere has one row without numbers. frame: of `ranges`."""
    if curve.note == CANCELS:
        frame = frame.iloc[:0]
    found = pieces(curve, frame["position"].to_numpy(dtype=np.intp))
    rows = [
        (line.item_id, line.subset, line.concept, line.perturbation, low, high)
        for line, own in zip(frame.itertuples(), found, strict=True)
        for low, high in (own or [(np.nan, np.nan)])
    ]
    return pd.DataFrame(rows, columns=["item_id", "subset", "concept", "perturbation", "lo", "hi"])
