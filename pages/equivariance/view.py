"""The plane of Equivariance as plain values: (s22 − s21, s11 − s12), a point a quad."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import written
from pages.equivariance.pick import half_of, plane, shares
from pages.shared.drawing.cells import COLOURS
from pages.shared.drawing.colours import RIGHT, WRONG
from pages.shared.drawing.plane.spec import Axis, Behind, Corner, Corners, Line, Mark, Plane, Points, Symbol, look

#: Column of the frame → (title, formula).
MEASURES = {
    "v1": ("v1", "s12 − s21"),
    "v2_text": ("v2, text side", "(s11 − s12) − (s22 − s21)"),
    "v2_image": ("v2, image side", "(s11 − s21) − (s22 − s12)"),
}
#: Verdict of a quad → (words, colour, symbol), each as the cell of the plane of reasons that it belongs to: where the
#: image score alone is wrong, an image outvotes the binding, where the text score alone is, a caption.
CLASSES: dict[str, tuple[str, str, Symbol]] = {
    "group": ("group ✓", RIGHT, "circle"),
    "text": ("text ✓ image ✗", COLOURS["outvoted_by_image"], "diamond"),
    "image": ("text ✗ image ✓", COLOURS["outvoted_by_caption"], "triangle-up"),
    "none": ("both ✗", WRONG, "x"),
}
#: So many points are drawn; of more quads an even sample, and that is said.
DRAWN = 20_000
#: The frame reaches so much beyond the farthest points, which stand whole within it.
EDGE = 1.04


def classes(text: Sequence[bool], image: Sequence[bool]) -> NDArray[np.str_]:
    """Which verdict each quad gets, as a key of `CLASSES`.

    >>> classes([True, True, False, False], [True, False, True, False]).tolist()
    ['group', 'text', 'image', 'none']
    """
    t, i = np.asarray(text, dtype=bool), np.asarray(image, dtype=bool)
    return np.where(t & i, "group", np.where(t, "text", np.where(i, "image", "none")))


def sample(n: int, most: int = DRAWN, seed: int = 0) -> NDArray[np.intp]:
    """Positions of the quads that are drawn, ascending: all, or an even sample of `most`.

    >>> len(sample(10)), len(sample(50_000))
    (10, 20000)
    """
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def scatter(
    frame: pd.DataFrame, unit: str, dark: bool, ringed: Collection[str] = (), whole: pd.DataFrame | None = None
) -> Plane:
    """The plane for one model and kind. ringed: items that were picked in another plane. whole: all quads of the model,
    where `frame` is one category of them: they give the axes their scale and lie faint behind, so that a cloud that has
    collapsed does not look like a healthy one.

    Upper right: both images prefer their own caption. On the diagonal: equivariant. At the origin: collapsed.
    """
    points = plane(frame)
    half = half_of(points if whole is None else plane(whole))
    which = classes(list(frame["text_score"].fillna(False)), list(frame["image_score"].fillna(False)))
    shown = np.zeros(len(frame), dtype=np.bool_)
    shown[sample(len(frame))] = True
    ids = frame["item_id"].to_numpy(dtype=object)
    if len(ringed):
        shown |= np.isin(ids, list(ringed))  # what was picked elsewhere is found again, drawn by chance or not
    at = np.flatnonzero(shown)
    size, opacity = look(len(at))
    code, marks = np.zeros(len(frame), dtype=np.uint8), []
    for k, (key, (words, colour, symbol)) in enumerate(CLASSES.items()):
        own = which == key
        code[own] = k
        marks.append(Mark(f"{words} {int(own.sum()):,}", colour, symbol, size, opacity))
    lines = (Line("s22 − s21 = ", points[:, 0]), Line("s11 − s12 = ", points[:, 1]))
    every = Points(points[:, 0], points[:, 1], code, ids, None, lines)
    edge = half * EDGE
    return Plane(
        Axis(f"image 2: s22 − s21 ({unit})", edge), Axis(f"image 1: s11 − s12 ({unit})", edge), (half, half),
        tuple(marks), every.some(at[np.argsort(code[at], kind="stable")]), _quadrants(shares(frame)),
        square=True, diagonal=True, behind=None if whole is None else _others(frame, whole, half, dark), ringed=ringed,
    )  # fmt: skip


def _others(frame: pd.DataFrame, whole: pd.DataFrame, half: float, dark: bool) -> Behind:
    """The other quads of the model, faint and not to be picked; at most DRAWN of them, drawn at random."""
    rest = whole[~whole["item_id"].isin(frame["item_id"])]
    places = np.clip(plane(rest), -half, half)[sample(len(rest))]
    known = places[np.isfinite(places).all(axis=1)]
    return known, Mark(f"other quads {len(rest):,}", "#6d7983" if dark else "#b4bcb9", "circle", 4, 0.3)


def _quadrants(share: dict[str, float]) -> Corners:
    """What each part of the plane means, and how much of it there is."""
    parts = {"caption1": "caption 1 wins both", "right": "both right", "swapped": "both swapped",
             "caption2": "caption 2 wins both"}  # fmt: skip
    one, right, swapped, two = (Corner(words, written.share(share[part])) for part, words in parts.items())
    return one, right, swapped, two
