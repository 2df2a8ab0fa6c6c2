"""What a metric is: its declaration, with the functions that compute it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from backend.items import Kind, Protocol
from backend.metrics.core.arrays import FloatArray
from backend.metrics.core.chance import Level
from backend.metrics.core.compare import Outcomes
from backend.metrics.core.scored import Scored
from backend.metrics.statistics import Rate

Direction = Literal["higher", "lower", "zero"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A declaration.

    name: as in `report --json`. title: for people. protocol, kinds: where it can be computed. direction: which values
    are better. bounds: smallest and largest value (None: unbounded). chance: what random scores reach, a number, a
    function of the items' shape (see `chance.Level`), or None where there is no such level; ask `level` for it.
    formula: one line. paper, where: the source; "ours" where a reading or the metric is Flipside's own.
    short: under a column and on a chip; the title where "". headline: it stands for its protocol where one number has
    to do. share: a fraction from 0 to 1, shown in per cent; anything else is shown as it is, with its unit.

    It has one of three functions. judge: one outcome an item, or a query of a pool, or None where the items lack what
    it needs. value: one number an item or query. measure: one number of a group. Means of other metrics' outcomes over
    orders of asking, classes or thresholds have none of them: `backend/store/rates` forms these.
    candidates: of `judge`, (how many an item has to choose from, how many of them are right), both (n,), where these
    are not its texts.
    """

    name: str
    title: str
    protocol: Protocol
    kinds: frozenset[Kind]
    direction: Direction
    bounds: tuple[float | None, float | None]
    chance: Level
    formula: str
    paper: str
    where: str
    short: str = ""
    headline: bool = False
    share: bool = True
    unit: str = ""
    judge: Callable[[Scored], Outcomes | None] | None = None
    measure: Callable[[Scored], Rate] | None = None
    value: Callable[[Scored], FloatArray] | None = None
    candidates: Callable[[Scored], tuple[ArrayLike, ArrayLike]] | None = None

    @property
    def label(self) -> str:
        """The short name."""
        return self.short or self.title

    @property
    def counted_in(self) -> str:
        """The unit of its values; "share" for fractions, which people read in per cent."""
        return "share" if self.share else self.unit

    def level(self, n_candidates: ArrayLike | None = None, n_relevant: ArrayLike = 1) -> float | None:
        """The chance level, averaged over items; None where there is none, or where it depends on items and none are
        given.

        n_candidates: of a choice or of classes the texts of each item, truth included, (n,) or a scalar (for
        `mean_per_class_accuracy` one entry a class); of recalls the candidates of each query (texts for i2t, images for
        t2i), with n_relevant the relevant ones among them; of grounding the boundaries between an item's frames, and
        those that are near enough.
        """
        if not callable(self.chance):
            return self.chance
        counts = np.zeros(0) if n_candidates is None else np.atleast_1d(np.asarray(n_candidates, dtype=np.float64))
        return self.chance(counts, n_relevant) if len(counts) else None
