"""Which images the samples of a prior were drawn from, so that an item's own, and its cluster's, can be left out.

A P(t) that counts the item's own image takes the truth's score away from itself. So samples under the item's own
images, and under those of its cluster (`item_clusters`), are left out item by item; nothing is scored again. Where a
run's record does not say which images were drawn, all samples are taken, and UNKNOWN is said beside the result.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.store.build.stored_run import StoredRun

#: The sources whose samples are images of something.
IMAGES = "prior@images:"
#: What is said where a record does not name the images.
UNKNOWN = "own images may be among the samples"
LEFT_OUT = "an item's own images and their cluster are left out"


def images_of(run: StoredRun, part: str) -> list[str] | None:
    """The keys of the images behind the samples of a prior part, in their order; "" for one that is no image of the
    benchmark. None where the part samples no images, or the record does not say which."""
    if not part.startswith(IMAGES):
        return None
    priors = run.record.get("priors")
    details = priors.get(part) if isinstance(priors, dict) else None
    keys = details.get("images") if isinstance(details, dict) else None
    n = details.get("samples") if isinstance(details, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys) or len(keys) != n:
        return None
    return [str(key) for key in keys]


def said(run: StoredRun, source: str | None = None) -> str:
    """What holds for a source's samples: LEFT_OUT, UNKNOWN, or "" where it samples no images."""
    where = run.prior(source)
    if where is None or not where[1].startswith(IMAGES):
        return ""
    return UNKNOWN if images_of(*where) is None else LEFT_OUT


def own(run: StoredRun, part: str, items: pd.DataFrame, samples: int) -> NDArray[np.bool_]:
    """Which of the samples are under an item's own images or cluster, bool (samples, n). items: with `cluster`."""
    keys = images_of(run, part) or []
    found = np.zeros((samples, len(items)), dtype=np.bool_)
    if not any(keys) or not len(items):
        return found
    cluster_of = _clusters(run, keys)
    of_items = items["cluster"].to_numpy(dtype=object)
    for k, key in enumerate(keys[:samples]):
        if key in cluster_of:
            found[k] = of_items == cluster_of[key]
    return found


def _clusters(run: StoredRun, keys: Sequence[str]) -> dict[str, str]:
    """image key -> its cluster in the run's benchmark; without keys that none of its items shows."""
    rows = run.cursor.execute(
        """SELECT DISTINCT key, cluster FROM (
            SELECT unnest(image_keys) AS key, cluster FROM items
            WHERE benchmark = $benchmark AND list_has_any(image_keys, $keys))
        WHERE list_contains($keys, key)""",
        {"benchmark": run.benchmark, "keys": list(dict.fromkeys(key for key in keys if key))},
    ).fetchall()
    return dict(rows)
