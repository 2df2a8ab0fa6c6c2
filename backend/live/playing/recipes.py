"""The smallest edit found so far that turns a model's answer, kept so that it can be played again.

Fewest words changed come first, then the smallest covered area. Edits that keep the meaning (after which a sound model
answers as before), edits that change it, words of one's own of which nobody said what they do, and covers alone are
kept apart: turning means something else in each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.live.playing import play as played
from backend.live.playing.covering import Box
from backend.live.playing.play import Play
from backend.live.scoring import judging
from backend.live.scoring.scoring import Array
from backend.metrics.core.registry import deciding
from backend.perturb.base import Effect
from backend.protocols import Protocol

#: The kind of a recipe that leaves all captions as they are.
COVER: Final = "cover"
#: An answer: right or wrong by the layout's truth, or, where nothing is known to be true, each image's caption.
Answer = bool | tuple[int, ...]


@dataclass(frozen=True)
class Recipe:
    """An edit that turned one model's answer. kind: an Effect's value, `meaning.UNKNOWN`, or `COVER`; words: changed in
    all captions; area: covered, summed over the pictures; before, after: the answers."""

    kind: str
    texts: tuple[str, ...]
    covers: Mapping[int, Box]
    told: Mapping[int, str]
    words: int
    area: float
    what: str
    before: Answer
    after: Answer

    @property
    def size(self) -> tuple[int, float]:
        """What recipes are compared by."""
        return self.words, self.area

    def play(self) -> Play:
        """The edited experiment that turned the answer."""
        return Play(self.texts, dict(self.covers), dict(self.told))


#: (model's spec, score kind) -> kind of recipe -> the smallest one.
Kept = dict[tuple[str, str], dict[str, Recipe]]


def answer(matrix: Array, layout: str) -> Answer | None:
    """What a model answers, from its (images, texts) matrix as it is judged: whether it is right by the metric that
    decides the layout, or, on a free grid, the winning caption of each image. None where undefined or tied there.

    >>> answer(np.array([[0.2, 0.1], [0.1, 0.3]]), "quad"), answer(np.array([[0.2, 0.1]]), "grid")
    (True, (0,))
    """
    if not np.isfinite(matrix).all() or matrix.shape[1] < 2:
        return None
    if layout == judging.GRID:
        best = matrix.max(axis=1, keepdims=True)
        return None if ((matrix == best).sum(axis=1) > 1).any() else tuple(map(int, matrix.argmax(axis=1)))
    decides = deciding(Protocol(layout))
    found = next((v for v in judging.verdicts(matrix, layout) if v.metric == decides), None)
    return None if found is None else found.correct


def made(
    base: Sequence[str], now: Play, sizes: Sequence[tuple[int, int]], before: Answer | None, after: Answer | None
) -> Recipe | None:
    """The recipe that an edited experiment is for a model whose answer it turned; None where it did not, and where two
    captions are the same now, which nobody could tell apart."""
    if before is None or after is None or before == after or not now.changed(base):
        return None
    if len(set(now.texts)) < len(now.texts):
        return None
    words = sum(played.words_changed(base[j], now.texts[j]) for j in now.edited(base))
    return Recipe(
        now.effect(base) or COVER, now.texts, dict(now.covers), dict(now.told), words, now.area(sizes),
        played.told(base, now, sizes), before, after,
    )  # fmt: skip


def keep(kept: Kept, who: tuple[str, str], found: Recipe | None) -> bool:
    """Keep a recipe where it is smaller than the one of its kind that this model has; True where it was kept."""
    if found is None:
        return False
    own = kept.setdefault(who, {})
    if found.kind in own and own[found.kind].size <= found.size:
        return False
    own[found.kind] = found
    return True


#: Kinds in the order in which a page lists them.
ORDER: Final = (str(Effect.PRESERVING), str(Effect.CHANGING), "unknown", COVER)
