"""The plane of reasons as plain values: binding across, the larger bias up or down, a point a quad."""

from collections.abc import Collection

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.metrics.reasons.names import NAMES
from pages.equivariance.view import EDGE, sample
from pages.shared.drawing.cells import COLOURS
from pages.shared.drawing.plane.spec import Axis, Behind, Corner, Corners, Line, Mark, Plane, Points, Symbol, look

#: Cell -> (colour, symbol): the colours of the bars on Overview and Failures.
LOOKS: dict[str, tuple[str, Symbol]] = {
    "right": (COLOURS["right"], "circle"),
    "outvoted_by_caption": (COLOURS["outvoted_by_caption"], "triangle-up"),
    "outvoted_by_image": (COLOURS["outvoted_by_image"], "diamond"),
    "outvoted_by_both": (COLOURS["outvoted_by_both"], "square"),
    "no_binding": (COLOURS["no_binding"], "x"),
}
#: What each part of the plane means, written around it: a label inside would hide points.
CORNERS: Corners = (
    Corner("no binding seen"),
    Corner("↑ binds, but one caption gets more under both images"),
    Corner(""),
    Corner("↓ binds, but one image gets more with both captions"),
)
SIDE = "right: binding beats both biases"


def places(frame: pd.DataFrame) -> NDArray[np.float64]:
    """(n, 2): across γ; up |c| where the caption bias is the larger one, else down |r|. So a quad is right exactly
    where it lies farther right than from the middle line."""
    c, r = np.abs(frame["c"].to_numpy(float)), np.abs(frame["r"].to_numpy(float))
    return np.stack([frame["gamma"].to_numpy(float), np.where(c >= r, c, -r)], axis=1)


def halves(points: NDArray[np.float64]) -> tuple[float, float]:
    """Half the width and half the height that show all but the farthest 1 %; the width at least 0.4 of the height."""
    if not len(points):
        return 1.0, 1.0
    across, up = (float(v) * 1.12 for v in np.quantile(np.abs(points), 0.99, axis=0))
    up = up or 1.0
    return max(across, 0.4 * up), up


def shown(frame: pd.DataFrame, whole: pd.DataFrame) -> NDArray[np.float64]:
    """Where points stand: what lies beyond the frame that `whole` gives stands on its border."""
    half = np.array(halves(places(whole)))
    return np.clip(places(frame), -half, half)


def figure(frame: pd.DataFrame, whole: pd.DataFrame, dark: bool, ringed: Collection[str] = ()) -> Plane:
    """The plane of one model and kind. frame: rows of `store.reasons.plane.quads` that are shown; whole: all of the
    model's, which give the axes their scale; ringed: items that were picked in another plane."""
    here = places(frame)
    half = halves(here if frame is whole else places(whole))
    shown = np.zeros(len(frame), dtype=np.bool_)
    shown[sample(len(frame))] = True
    mirrored = here[shown] * (-1, 1)
    ids = frame["item_id"].to_numpy(dtype=object)
    if len(ringed):
        shown |= np.isin(ids, list(ringed))
    at = np.flatnonzero(shown)
    size, opacity = look(len(at))
    code = _codes(frame["cell"])
    counts = np.bincount(code, minlength=len(LOOKS))
    marks = [
        Mark(f"{NAMES[name]} {int(n):,}", colour, symbol, size, opacity)
        for (name, (colour, symbol)), n in zip(LOOKS.items(), counts, strict=True)
    ]
    gamma, c, r = (frame[name].to_numpy(np.float64) for name in ("gamma", "c", "r"))
    lines = (Line("binding γ = ", gamma, " σ"), Line("caption bias c = ", c, " σ"), Line("image bias r = ", r, " σ"))
    across, up = here.T
    every = Points(across, up, code, ids, _words(code, frame["nested"].to_numpy(dtype=np.bool_)), lines)
    wide, high = half[0] * EDGE, half[1] * EDGE
    reach = min(wide, high)
    wedge = ((0.0, 0.0), (reach, reach), (wide, reach), (wide, -reach), (reach, -reach))
    return Plane(
        Axis("binding γ (σ of the model's scores)", wide),
        Axis("← image |r| · the larger bias (σ) · caption |c| →", high, size_alone=True), half, tuple(marks),
        every.some(at[np.argsort(code[at], kind="stable")]), CORNERS, SIDE,
        legend=False,  # the table beside it has the same marks, with their numbers
        behind=_mirror(mirrored, half, size, dark), wedge=(wedge, "rgba(0,158,115,.14)"), ringed=ringed,
    )  # fmt: skip


def _mirror(at: NDArray[np.float64], half: tuple[float, float], size: float, dark: bool) -> Behind:
    """Every drawn quad's decoy, faint and not to be picked: the same quad with its binding turned round."""
    look_ = Mark("mirrored: what luck alone would give", "#7c8891" if dark else "#aab2af", "circle", size * 2 / 3, 0.35)
    return np.clip(at, [-half[0], -half[1]], half), look_


def _codes(cell: pd.Series) -> NDArray[np.uint8]:
    """Each cell's place among LOOKS."""
    found, names = pd.factorize(cell)
    return np.array([list(LOOKS).index(str(name)) for name in names], dtype=np.uint8)[found]


def _words(code: NDArray[np.uint8], nested: NDArray[np.bool_]) -> "NDArray[np.object_]":
    """What hovering says of each quad's cell (`_codes`)."""
    said = [[NAMES[name], f"{NAMES[name]}, order alone does not decide"] for name in LOOKS]
    return np.array(said, dtype=object)[code, nested.astype(np.intp)]
