"""Margins of A against those of B: four quadrants of right and wrong, for a lasso."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import written
from backend.store.queries import Shared
from pages.compare.sides import Named
from pages.equivariance.pick import caught
from pages.shared.data.frames import titles
from pages.shared.drawing import signs
from pages.shared.drawing.plane.spec import Axis, Corner, Line, Mark, Plane, Points, Symbol, look
from pages.shared.frame.tips import margin_unit

#: So many points are drawn at most; of more verdicts a sample of the items, and that is said.
MOST = 20_000
Ends = tuple[float, float]


def plane(found: Shared, named: Sequence[Named], dark: bool, ends: Ends) -> Plane:
    """A plane of the first two sides. What lies beyond the frame (`ends`) stands on its border. Legend and corners
    count every verdict, drawn or not."""
    keep = drawn(found.frame["item_id"].to_numpy())
    a, b = found.correct[:, 0], found.correct[:, 1]
    grey = "#9aa5af" if dark else "#6d7781"
    names = [entry.label for entry in named[:2]]
    size = look(int(keep.sum()))[0] * 6.5 / 6
    # What both have right or both wrong says nothing on who is better: only the rest is coloured as gain and loss.
    kinds: tuple[tuple[str, str, NDArray[np.bool_], str, Symbol, float], ...] = (
        ("both right", "both right", a & b, grey, "circle", 0.45),
        ("both wrong", "both wrong", ~a & ~b, grey, "x-thin", 0.7),
        (f"{signs.DOWN} only {names[0]} right", "only A right", a & ~b, signs.LOSS, "triangle-down", 0.75),
        (f"{signs.UP} only {names[1]} right", "only B right", ~a & b, signs.GAIN, "triangle-up", 0.75),
    )
    marks, share, n = [], {}, max(1, len(found))
    code = np.zeros(len(found), dtype=np.uint8)
    for k, (name, words, inside, colour, symbol, opacity) in enumerate(kinds):
        code[inside], count = k, int(inside.sum())
        marks.append(Mark(f"{name}  {count:,}", colour, symbol, size, opacity))
        share[words] = Corner(words, written.percent(count / n), f" · {count:,}")
    corners = (share["only B right"], share["both right"], share["both wrong"], share["only A right"])
    at = np.flatnonzero(keep)
    return Plane(
        _axis(named[0], "A", ends[0]), _axis(named[1], "B", ends[1]), ends, tuple(marks),
        _points(found, code).some(at[np.argsort(code[at], kind="stable")]), corners,
    )  # fmt: skip


def _axis(of: Named, letter: str, end: float) -> Axis:
    return Axis(f"margin of {letter}, {of.label} ({margin_unit(of.side.setting.kind, of.model)})", end * 1.03)


def _points(found: Shared, code: NDArray[np.uint8]) -> Points:
    """Every verdict; hovering says its item and concept and both margins."""
    x, y = found.margin[:, 0], found.margin[:, 1]
    ids, concepts = (found.frame[name].to_numpy(dtype=object) for name in ("item_id", "concept"))
    named = {joined: titles(str(joined)) for joined in pd.unique(concepts)}
    words = np.array([named[joined] for joined in concepts], dtype=object)
    return Points(x, y, code, ids, words, (Line("A ", x), Line("B ", y)))


def ends_of(found: Shared) -> Ends:
    """How far the frame reaches on either side of zero, for A and for B: all but the farthest margins of these
    verdicts. It is taken from the whole benchmark, so that choosing a subset does not stretch a model's margins."""
    return _reach(found.margin[:, 0]), _reach(found.margin[:, 1])


def selected(found: Shared, selection: Mapping[str, Any], ends: Ends) -> list[str]:
    """Item ids of a selection (`canvas.selection`), each once: every verdict inside its lassos and boxes, drawn or
    not."""
    hit = caught(np.clip(found.margin[:, :2], [-ends[0], -ends[1]], ends), selection)
    return [] if hit is None else [str(i) for i in dict.fromkeys(found.frame["item_id"].to_numpy()[hit])]


def drawn(ids: "NDArray[np.object_]", most: int = MOST) -> NDArray[np.bool_]:
    """Which verdicts are drawn, from the item id of each: all, or those of items drawn at random.

    Every item has its own fixed number, made of its id, and the lowest ones are drawn as long as there is room: all
    verdicts of an item or none, the same items in every comparison, whatever their order.

    >>> drawn(np.array(["a/1", "a/1", "a/2", "a/3"], dtype=object), most=2).sum() <= 2
    np.True_
    """
    if len(ids) <= most:
        return np.ones(len(ids), dtype=np.bool_)
    code, names = pd.factorize(ids)
    order = np.argsort(pd.util.hash_array(np.asarray(names, dtype=object)), kind="stable")
    kept = np.zeros(len(names), dtype=np.bool_)
    kept[order[np.cumsum(np.bincount(code)[order]) <= most]] = True
    return np.asarray(kept[code], dtype=np.bool_)


def _reach(values: "np.ndarray[Any, Any]") -> float:
    known = np.abs(values[np.isfinite(values)])
    return float(np.quantile(known, 0.995)) * 1.08 if len(known) and known.max() > 0 else 1.0
