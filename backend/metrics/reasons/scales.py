"""The scale on which reasons are measured: where an order of four scores alone does not decide, the scale does.

`itc` the cosine (a linear logit scale changes nothing), `itm` and `vqa` log-odds, `gen` the log-probability under the
page's `norm`, never its exponential; other people's scores log-odds where declared a probability, else as they come,
and so are the similarities of other systems, which nobody has called a cosine (`of_model`).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from backend.kinds import PAIR_KINDS, PROBABILITIES, SPOKEN, Kind, in_own_unit, listed
from backend.metrics.core.arrays import FloatArray

#: Probabilities nearer to 0 or 1 than this count as this near: beyond it float32 holds no difference.
CLIP = 1e-7
#: The name of the scale of numbers of which nobody has said what they are.
AS_THEY_COME = "as they come"
#: What other people's scores may be declared as.
Declared = Literal["probability", "as is"]


@dataclass(frozen=True)
class Scaled:
    """values: float64, shaped like the scores, NaN where missing. name: what the interface prints beside every reason.
    saturated: how many cells lay at or beyond the clip of a probability.

    >>> Scaled(np.zeros(1), "cosine", 0).name
    'cosine'
    """

    values: FloatArray
    name: str
    saturated: int


def on_scale(scores: ArrayLike, kind: str, n_tokens: ArrayLike | None = None, norm: str = "token") -> Scaled:
    """Stored scores of a kind, on the scale of its reasons.

    scores: any shape, in the unit of the store: cosine, log-odds (itm, vqa), sum of log-probabilities (gen).
    n_tokens, norm: of `gen` alone; the token count of each text, shaped like the scores (or so that it broadcasts), and
    `token`, `paper-score` (both the mean a token) or `sum`.

    Raises ValueError for a kind without pair scores, another norm, and `gen` without its counts.

    >>> found = on_scale([0.0, 50.0], "itm")
    >>> found.name, found.saturated, found.values.round(3).tolist()
    ('log-odds', 1, [0.0, 16.118])
    >>> on_scale([-4.0, -6.0], "gen", [2, 3]).values.tolist()
    [-2.0, -2.0]
    """
    if kind not in PAIR_KINDS:
        raise ValueError(f"kind must be {listed(PAIR_KINDS)}, got {kind!r}")
    s = np.asarray(scores, dtype=np.float64)
    if kind in PROBABILITIES:
        end = float(logit(1 - CLIP))
        return Scaled(np.clip(s, -end, end), "log-odds", int(np.sum(np.abs(s) >= end)))
    if kind == Kind.SCORE:
        return declared(s)
    if kind not in SPOKEN:
        return Scaled(s, "cosine", 0)
    if norm == "sum":
        return Scaled(s, "log-probability", 0)
    if norm not in ("token", "paper-score"):
        raise ValueError(f"norm must be 'token', 'sum' or 'paper-score', got {norm!r}")
    if n_tokens is None:
        raise ValueError(f"gen under norm {norm!r} needs n_tokens, the token count of each text")
    count = np.asarray(n_tokens, dtype=np.float64)
    return Scaled(s / np.where(count > 0, count, np.nan), "log-probability a token", 0)


def judged_on_scale(scores: ArrayLike, kind: str, norm: str = "token") -> Scaled:
    """Scores as they are judged (of gen log-probabilities under `norm` already, debiased or not), on the scale of the
    reasons. Shapes and errors as in `on_scale`.

    >>> judged_on_scale([-2.0], "gen").name, judged_on_scale([50.0], "itm").values.round(3).tolist()
    ('log-probability a token', [16.118])
    """
    return on_scale(scores, kind, np.ones(1) if kind in SPOKEN else None, norm)


def of_model(name: str, kind: str, model: str) -> str:
    """The name of a kind's scale for the scores of one model. name: that for models of ours.

    >>> of_model("cosine", "itc", "predictions:theirs"), of_model("cosine", "itc", "bundled:clip")
    ('as they come', 'cosine')
    """
    return AS_THEY_COME if in_own_unit(kind, model) else name


def declared(scores: ArrayLike, as_what: Declared = "as is") -> Scaled:
    """Other people's scores, on the scale that they were declared to be on. Raises ValueError for another declaration.

    >>> declared([0.5, 1.0], "probability").values.round(3).tolist(), declared([3.0]).name
    ([0.0, 16.118], 'as they come')
    """
    s = np.asarray(scores, dtype=np.float64)
    if as_what == "as is":
        return Scaled(s, AS_THEY_COME, 0)
    if as_what != "probability":
        raise ValueError(f"scores are declared 'probability' or 'as is', got {as_what!r}")
    if np.any((s < 0) | (s > 1)):
        raise ValueError(f"declared a probability, yet {float(np.nanmin(s))} to {float(np.nanmax(s))} was found")
    saturated = int(np.sum((s <= CLIP) | (s >= 1 - CLIP)))
    return Scaled(np.asarray(logit(np.clip(s, CLIP, 1 - CLIP)), dtype=np.float64), "log-odds", saturated)
