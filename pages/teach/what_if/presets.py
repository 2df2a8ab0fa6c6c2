"""Where the what-if begins: a quad of each cell, made up, or one whose scores are stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from backend.metrics.reasons.names import CELLS, NAMES
from backend.protocols import Protocol

#: The score kinds that can be taught, and what their raw scores are called.
UNITS: Final = {"itc": "cosine", "itm": "log-odds"}
#: Between which numbers a score of either is taken. A cosine ends there; log-odds beyond it are certain to float32.
BOUNDS: Final = {"itc": (-1.0, 1.0), "itm": (-100.0, 100.0)}
#: CLIP's first temperature (its section 2.5), where a model's record has no logit scale.
SCALE: Final = 1 / 0.07
#: What stands in the address for a quad of stored scores.
STORED: Final = "item"
#: Cell -> γ, c and r of a quad made up for it, in cosine.
_PARTS: Final = {
    "right": (0.06, 0.015, 0.035),
    "outvoted_by_caption": (0.02, 0.045, 0.01),
    "outvoted_by_image": (0.02, 0.01, 0.045),
    "outvoted_by_both": (0.015, 0.03, 0.045),
    "no_binding": (-0.02, 0.015, 0.035),
}
#: Mean of the four scores, and how many log-odds stand for one of cosine.
_MEAN: Final = {"itc": (0.3, 1.0), "itm": (0.5, 25.0)}
#: What the page calls each beginning, in its order.
BEGINNINGS: Final = {cell: NAMES[cell] for cell in CELLS[Protocol.QUAD]} | {STORED: "a stored item"}

Scores = tuple[float, float, float, float]


@dataclass(frozen=True)
class Start:
    """The quad that is edited. key: tells it from every other; scores: s11, s12, s21, s22 (image, caption), raw, in the
    unit of the kind; scale: the model's logit scale; title: what it is; texts, images: of a stored item, two each, or
    none. is_made_up: whether nobody scored it."""

    key: str
    kind: str
    scores: Scores
    scale: float
    title: str
    texts: Sequence[str] = field(default=())
    images: Sequence[str] = field(default=())
    is_made_up: bool = True


def made_up(cell: str, kind: str) -> Start:
    """The quad made up for a cell.

    >>> made_up("outvoted_by_image", "itc").scores
    (0.375, 0.315, 0.245, 0.265)
    >>> made_up("no_binding", "itm").scores
    (1.25, 1.5, 0.5, -1.25)
    """
    mean, unit = _MEAN[kind]
    gamma, c, r = (unit * part for part in _PARTS[cell])
    s11, s12 = mean + r + c + gamma, mean + r - c - gamma
    s21, s22 = mean - r + c - gamma, mean - r - c + gamma
    scores = (round(s11, 6), round(s12, 6), round(s21, 6), round(s22, 6))
    return Start(f"{cell} {kind}", kind, scores, SCALE, f"Made-up scores: {NAMES[cell]}")


def read_scores(said: str, kind: str) -> Scores | None:
    """Four scores as an address names them, in the order s11, s12, s21, s22; None for anything else.

    >>> read_scores("0.31,0.3,0.29,0.33", "itc")
    (0.31, 0.3, 0.29, 0.33)
    >>> [read_scores(said, "itc") for said in ("0.3,0.3,0.3", "nan,0,0,0", "0,0,0,1e9", "inf,0,0,0", "a,b,c,d")]
    [None, None, None, None, None]
    """
    try:
        found = [float(part) for part in said.split(",")]
    except ValueError:
        return None
    low, high = BOUNDS[kind]
    if len(found) != 4 or not all(isfinite(value) and low <= value <= high for value in found):
        return None
    return found[0], found[1], found[2], found[3]


def write_scores(scores: Scores) -> str:
    """Four scores for an address, to a millionth: what is nearer than that is no verdict of anybody's.

    >>> write_scores((0.31, 0.3, 0.290000004, -0.33))
    '0.31,0.3,0.29,-0.33'
    """
    return ",".join(f"{round(value, 6) + 0.0:.10g}" for value in scores)
