"""Does it matter which other images captions are scored under? Where it does, no item has a reason of its own."""

import numpy as np
import pandas as pd

from backend.metrics.reasons import counterfactual, mirror
from backend.metrics.reasons.mirror import Share
from backend.store.scores.matrices import FloatArray

Interval = tuple[float, float]

#: The two sources, as they are named.
SAME, OTHER = "images of the same subset", "images of other subsets"
#: So many images of a source, and so many draws, decide whether two of them agree.
_IMAGES, _RESAMPLES = 32, 200


def share(m: FloatArray, table: FloatArray, clusters: pd.Series, seed: int = 0) -> Share:
    """At least so many items have evidence from their image, with an interval over items and images together.

    m: (n,) margins under the own image; table: (n, images) under others, NaN left out; clusters: (n,), what items
    share.
    """
    few = table[:, :_IMAGES]
    found = mirror.at_least(counterfactual.of_margins(m, few).z)
    ends = counterfactual.joint_interval(m, few, None, clusters.to_numpy(), _RESAMPLES, seed)
    return Share(found.n, found.plus, found.minus, found.value, ends)


def by_source(m: FloatArray, same: FloatArray, other: FloatArray, clusters: pd.Series) -> dict[str, Share]:
    """The share under each source of images that there is. same, other: (n, images) margins, as in `share`."""
    tables = {SAME: same, OTHER: other}
    return {name: share(m, table, clusters) for name, table in tables.items() if np.isfinite(table).any()}


def agree(shares: dict[str, Share]) -> bool:
    """Whether the shares' intervals under all sources of images meet; True with one source, of which nothing can be
    said (scores of pairs, a benchmark of one subset). shares: of `by_source`."""
    return counterfactual.agree([each.ci95 for each in shares.values()])
