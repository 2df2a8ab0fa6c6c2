"""Many images ranked for one prompt by every score that a model gives."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.kinds import PAIR_KINDS
from backend.live.scoring.grid import table
from backend.live.scoring.memory import Remembering
from backend.live.scoring.pool import Pool
from backend.models import Picture

log = logging.getLogger(__name__)
#: Images that go to a model at once, so that progress can be told between.
AT_ONCE: Final = 32


@dataclass
class Ranked:
    """One model's scores of all images, (images,) float64 by kind: cosine for itc, log-odds for itm and vqa, mean
    natural-log probability a token for gen. problem: one sentence where it could not score."""

    spec: str
    scores: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    problem: str = ""

    def order(self, kind: str) -> list[int]:
        """Positions of the images, the best first; equal scores keep their order, undefined ones come last."""
        return [int(k) for k in np.argsort(-self.scores[kind], kind="stable")]

    def ranks(self, kind: str) -> NDArray[np.float64]:
        """The rank of each image from 1; tied ones share the mean of their ranks, as everywhere in statistics."""
        from scipy.stats import rankdata  # half a second that other pages need not wait for

        return np.asarray(rankdata(-self.scores[kind], method="average", nan_policy="omit"), dtype=np.float64)


def rank(
    pool: Pool,
    spec: str,
    images: Sequence[Picture],
    keys: Sequence[str],
    prompt: str,
    kinds: Sequence[str],
    told: Callable[[int], object] = lambda _: None,
) -> Ranked:
    """Score all images against a prompt; what the pool remembers is not asked again.

    keys: what names each image's content. told: called with the number of images that are done.
    A model's failure becomes its `problem`.
    """
    found: dict[str, list[float]] = {}
    try:
        with pool.share(spec) as loaded:
            model = Remembering(loaded, spec, pool.memory, {id(i): k for i, k in zip(images, keys, strict=True)})
            asked = [kind for kind in PAIR_KINDS if kind in kinds and kind in model.kinds]
            for start in range(0, len(images), AT_ONCE):
                part = images[start : start + AT_ONCE]
                for kind in asked:
                    found.setdefault(kind, []).extend(table(model, kind, part, [prompt])[:, 0].tolist())
                told(min(start + AT_ONCE, len(images)))
    except FlipsideError as error:
        return Ranked(spec, problem=str(error))
    except (RuntimeError, ValueError, OSError, MemoryError) as error:
        log.exception("ranking with %s", spec)
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:160].rstrip(".")
        return Ranked(spec, problem=f"{spec} failed while scoring ({first}); the other models are unaffected.")
    return Ranked(spec, {kind: np.array(values, dtype=np.float64) for kind, values in found.items()})


def agreement(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """Spearman's rank correlation of two lists of scores; None with fewer than three images or where one is constant.

    >>> agreement(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0]))
    1.0
    """
    from scipy.stats import spearmanr

    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 3 or np.ptp(one[both]) == 0 or np.ptp(other[both]) == 0:
        return None
    return round(float(spearmanr(one[both], other[both]).statistic), 12)
