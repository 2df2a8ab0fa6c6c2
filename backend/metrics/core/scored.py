"""Some items of one protocol, or one pool, with their scores: what every metric's function is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from numpy.typing import ArrayLike

from backend.metrics import by_item, retrieval
from backend.metrics.core.compare import Outcomes
from backend.metrics.thresholds import DEFAULT


@dataclass(frozen=True)
class Scored:
    """scores: triplet (n, 3), for t2t the three text pairs; choice (n, k+1), truth first; quad (n, 2, 2); classify (n,
    classes), own class first; grounding (n, frames, 2); answers (n, 1); of a pool (images, texts). Log-odds of itm and
    vqa, mean log-probabilities a token of gen and prior. n_texts: (n,) how many texts each item has.
    p1_first: bool (n,), VISLA's names of the paraphrases. threshold: of probabilities.
    relevance: of a pool, bool (images, texts). embeddings: of a pool's texts, (texts, d), by one text encoder.
    n_images: (n,) how many frames each grounding item has; seconds: (n, frames), when they were taken, NaN as padding;
    boundaries: the seconds of each item's true ones. of_class: of whole classes, bool (n, classes); scores then have
    the classes in their own order. scaled: of quads, the scores on the scale of the reasons
    (`metrics/reasons/scales.py`), shaped like them; None: they are on it. across: of a pool, the scores by which text
    queries rank images, shaped like scores; None: the same. expected: of answers, bool (n,), whether yes is; asked:
    (n, 3), the group, question and image of each, see `metrics.answers`. clusters: (n,) what items share, resampled
    whole; None: each by itself.
    """

    scores: ArrayLike
    n_texts: ArrayLike | None = None
    p1_first: ArrayLike | None = None
    threshold: float = DEFAULT
    relevance: ArrayLike = ()
    embeddings: ArrayLike = ()
    n_images: ArrayLike = ()
    seconds: ArrayLike = ()
    boundaries: Sequence[ArrayLike] = ()
    of_class: ArrayLike = ()
    scaled: ArrayLike | None = None
    across: ArrayLike | None = None
    expected: ArrayLike | None = None
    asked: ArrayLike | None = None
    clusters: ArrayLike | None = None

    @cached_property
    def quad(self) -> dict[str, Outcomes]:
        """Of quads: the three scores by name, worked out once for all of them."""
        return by_item.quad(self.scores)

    @cached_property
    def recalls(self) -> dict[str, Outcomes]:
        """Of a pool: all recalls by name, one outcome a query, ranked once for all of them."""
        return retrieval.recall_outcomes(self.scores, self.relevance, across=self.across)[0]

    @cached_property
    def pooled(self) -> retrieval.Retrieval:
        """Of a pool: rates, sums and median ranks with their intervals."""
        return retrieval.recall_at_k(self.scores, self.relevance, across=self.across)
