"""From stored arrays to every verdict they allow: the one door that the store, the pages and the command line use."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from backend import plugins
from backend.items import Kind, Protocol
from backend.kinds import SIMILARITIES
from backend.metrics.core import registry
from backend.metrics.core.compare import Outcomes
from backend.metrics.core.scored import Scored
from backend.metrics.reasons.scales import judged_on_scale


def outcomes(
    protocol: Protocol,
    kind: Kind,
    scores: ArrayLike,
    n_texts: ArrayLike | None = None,
    p1_first: ArrayLike | None = None,
    expected: ArrayLike | None = None,
) -> dict[str, Outcomes]:
    """Every per-item verdict of one protocol and kind, by metric name.

    scores: triplet (n, 3), for t2t the three text pairs; choice (n, k+1); quad (n, 2, 2); classify (n, classes), the
    item's own class moved to column 0; answers (n, 1). p1_first: bool (n,) from `protocols.rename_paraphrases`; without
    it P1-N and P2-N are left out. expected: of answers, bool (n,), whether yes is; without it nothing is judged.
    Retrieval has a pool instead of items: see `retrieval.recall_at_k`. `prior` judges no quad: both images get the same
    number. `verdict` (scores from `contests.as_scores`) judges the text side of a quad only: no model was asked to
    choose between images.

    Metrics of other installed packages stand behind ours; one that raises is left out and named (`plugins.troubles`).

    Raises ValueError for a protocol or kind that has no per-item verdict.

    >>> sorted(outcomes(Protocol.QUAD, Kind.ITC, [[[2, 1], [1, 2]]]))
    ['group_match', 'group_score', 'image_score', 'text_score']
    """
    scaled = judged_on_scale(scores, kind).values if protocol == Protocol.QUAD and kind in SIMILARITIES else None
    given = Scored(scores, n_texts, p1_first, scaled=scaled, expected=expected)
    by_item = registry.METRICS if protocol in registry.BY_ITEM else []
    ours = [metric for metric in by_item if metric.protocol == protocol and kind in metric.kinds]
    found = {metric.name: metric.judge(given) for metric in ours if metric.judge is not None}
    if not found:
        raise ValueError(f"{protocol} items have no per-item verdict from {kind} scores")
    return {name: judged for name, judged in found.items() if judged is not None} | _brought(protocol, kind, given)


def _brought(protocol: Protocol, kind: Kind, given: Scored) -> dict[str, Outcomes]:
    """By metrics of other packages, which get scores of their own that they may change."""
    found = {}
    for name, metric in registry.BROUGHT.usable():
        if metric.protocol != protocol or kind not in metric.kinds:
            continue
        n = len(np.asarray(given.scores))
        try:
            judged = metric.judge(replace(given, scores=np.array(given.scores, dtype=np.float64)))
            if not isinstance(judged, Outcomes) or len(judged) != n:
                raise TypeError(f"it must give one Outcomes of {n} items")  # noqa: TRY301
        except (Exception, SystemExit) as error:  # noqa: BLE001 - code of strangers may raise anything
            plugins.note(str(registry.BROUGHT.blamed(name, error)))
            continue
        found[name] = judged
    return found
