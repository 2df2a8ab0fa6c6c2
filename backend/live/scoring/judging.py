"""What live scores mean: verdicts of a protocol, deviations of a quad, and the α at which a verdict flips."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Final

import numpy as np

from backend.items import Kind, Protocol
from backend.live.scoring.scoring import Array, ModelScores
from backend.metrics import alpha, eqsim, protocols
from backend.metrics.core.compare import Outcomes
from backend.metrics.core.registry import METRICS
from backend.metrics.core.scored import Scored

#: How a page full of images and captions can be judged: a protocol's name, or "grid" where nothing is known to be true.
GRID: Final = "grid"
NAMES: Final[dict[str, str]] = {
    Protocol.QUAD: "Quad",
    Protocol.TRIPLET: "Triplet",
    Protocol.CHOICE: "Choice",
    GRID: "Free grid",
}


@dataclass(frozen=True)
class Verdict:
    """One judgement. correct: None where undefined; margin: positive score minus the best competitor."""

    metric: str
    correct: bool | None
    margin: float | None
    tie: bool = False


@dataclass(frozen=True)
class Flip:
    """For which α one judgement of debiased scores is right: the open interval (low, high), empty where low > high.

    constant: α cancels, because the same text stands on both sides.
    """

    metric: str
    low: float
    high: float
    constant: bool = False

    def right_at(self, value: float) -> bool:
        """Whether the judgement is right at this α; at the interval's ends it is a tie, which is wrong."""
        return self.low < value < self.high

    def points(self, upto: float) -> list[float]:
        """The α from 0 to `upto` at which the judgement changes."""
        return sorted(end for end in (self.low, self.high) if isfinite(end) and 0 <= end <= upto)


def layouts(n_images: int, n_texts: int) -> list[str]:
    """How so many images and captions can be judged, the likeliest first."""
    if n_images == 2 and n_texts == 2:
        return [Protocol.QUAD, GRID]
    if n_images == 1 and n_texts == 3:
        return [Protocol.TRIPLET, Protocol.CHOICE, GRID]
    if n_images == 1 and n_texts >= 2:
        return [Protocol.CHOICE, GRID]
    return [GRID]


def truth(layout: str) -> frozenset[tuple[int, int]]:
    """Which images and captions belong together in a layout."""
    return frozenset(Protocol(layout).info.truth if layout != GRID else ())


def roles(layout: str, n_texts: int) -> list[str]:
    """What each caption is: `1` and `2` in a quad, `P1`, `P2`, `N` in a triplet, `true` and `foil`s in a choice."""
    if layout == Protocol.CHOICE:
        return ["true", *(f"foil {k}" if n_texts > 2 else "foil" for k in range(1, n_texts))]
    if layout != GRID and (named := Protocol(layout).info.roles):
        return list(named)
    return [str(k) for k in range(1, n_texts + 1)]


def verdicts(matrix: Array, layout: str) -> list[Verdict]:
    """The judgements of one score matrix (images, texts): by the headlines of its protocol, of a quad by all scores."""
    given = Scored(matrix[None] if layout == Protocol.QUAD else matrix)
    found = []
    for metric in METRICS:
        shown = metric.headline or metric.protocol == Protocol.QUAD
        if metric.protocol == layout and shown and Kind.ITC in metric.kinds and metric.judge:
            found.append(_verdict(metric.name, metric.judge(given)))
    return found


def text_verdict(t2t: Array) -> Verdict:
    """Text-to-text on three captions: the paraphrases are closer to each other than either is to the negative."""
    return _verdict("t2t_accuracy", protocols.triplet_t2t([[t2t[0, 1], t2t[0, 2], t2t[1, 2]]]))


def deviations(matrix: Array) -> list[tuple[str, float, float, float]]:
    """EqSim's deviations of a quad: name, signed value, divided by the spread of its four cells, |value| / |margin|."""
    raw = eqsim.deviations(matrix[None])
    free = eqsim.scale_free(raw, matrix[None])
    ratio = eqsim.dev_over_margin(raw, matrix[None])
    return [
        (name, float(getattr(raw, name)[0]), float(getattr(free, name)[0]), float(getattr(ratio, name)[0]))
        for name in raw._fields
    ]


def flips(scores: ModelScores, layout: str) -> list[Flip]:
    """The exact α-intervals of each judgement of debiased generation scores; empty without them."""
    if "gen" not in scores.matrices or scores.prior is None:
        return []
    gen, prior = scores.matrices["gen"], scores.prior[None]
    if layout == Protocol.QUAD:
        text, image = alpha.intervals_quad_text(gen[None], prior), alpha.intervals_quad_image(gen[None], prior)
        sums = np.array([[np.trace(gen), gen[0, 1] + gen[1, 0]]])  # each caption's prior is in both: α cancels
        return [
            _flip("text_score", text),
            _flip("image_score", image, constant=True),
            _flip("group_score", text & image),
            _flip("group_match", alpha.intervals(sums, np.zeros((1, 2))), constant=True),
        ]
    if layout == Protocol.TRIPLET:
        return [_flip("i2t_accuracy", alpha.intervals_triplet(gen, prior))]
    if layout == Protocol.CHOICE:
        return [_flip("accuracy", alpha.intervals(gen, prior))]
    return []


def comparisons(scores: ModelScores, layout: str) -> list[tuple[str, float, float]]:
    """The comparisons that α decides, each a straight line over α: what is compared, its margin at α = 0, its slope.

    The debiased margin at α is margin + slope · α; all of them above zero is a right verdict (a quad's text score).
    """
    if "gen" not in scores.matrices or scores.prior is None:
        return []
    gen, prior = scores.matrices["gen"], scores.prior
    pairs: dict[str, list[tuple[int, int, int]]] = {
        Protocol.QUAD: [(0, 0, 1), (1, 1, 0)],
        Protocol.TRIPLET: [(0, 0, 2), (0, 1, 2)],
        Protocol.CHOICE: [(0, 0, k) for k in range(1, len(prior))],
    }
    names = roles(layout, len(prior))
    return [
        (
            (f"image {i + 1}: caption " if layout == Protocol.QUAD else "") + f"{names[a]} over {names[b]}",
            float(gen[i, a] - gen[i, b]),
            float(prior[b] - prior[a]),
        )
        for i, a, b in pairs.get(layout, [])
    ]


def _flip(metric: str, found: alpha.Intervals, *, constant: bool = False) -> Flip:
    low, high = float(found.lo[0]), float(found.hi[0])
    return Flip(metric, inf if np.isnan(low) else low, -inf if np.isnan(high) else high, constant)


def _verdict(metric: str, found: Outcomes | None) -> Verdict:
    if found is None or not found.defined[0]:
        return Verdict(metric, None, None)
    return Verdict(metric, bool(found.correct[0]), float(found.margin[0]), bool(found.ties[0]))
