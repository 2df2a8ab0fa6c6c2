"""From stored arrays to every verdict they allow: the one door that the store, the pages and the command line use."""

from numpy.typing import ArrayLike

from backend.items import Kind, Protocol
from backend.metrics import classification, protocols
from backend.metrics.core.compare import Outcomes


def outcomes(
    protocol: Protocol,
    kind: Kind,
    scores: ArrayLike,
    n_texts: ArrayLike | None = None,
    p1_first: ArrayLike | None = None,
) -> dict[str, Outcomes]:
    """Every per-item verdict of one protocol and kind, by metric name.

    scores: triplet (n, 3), for t2t the three text pairs; choice (n, k+1); quad (n, 2, 2); classify (n, classes), the
    item's own class moved to column 0. p1_first: bool (n,) from `protocols.rename_paraphrases`; without it P1-N and
    P2-N are left out. Retrieval has a pool instead of items: see `retrieval.recall_at_k`. `prior` judges no quad: both
    images get the same number. `verdict` (scores from `contests.as_scores`) judges the text side of a quad only: no
    model was asked to choose between images.

    Raises ValueError for a protocol or kind that has no per-item verdict.

    >>> sorted(outcomes(Protocol.QUAD, Kind.ITC, [[[2, 1], [1, 2]]]))
    ['group_score', 'image_score', 'text_score']
    """
    if protocol == Protocol.TRIPLET and kind == Kind.T2T:
        pairs = protocols.triplet_pairs_t2t(scores, p1_first) if p1_first is not None else {}
        return {"t2t_accuracy": protocols.triplet_t2t(scores), **pairs}
    if kind != Kind.T2T:
        if protocol == Protocol.TRIPLET:
            pairs = protocols.triplet_pairs_i2t(scores, p1_first) if p1_first is not None else {}
            return {"i2t_accuracy": protocols.triplet_i2t(scores), **pairs}
        if protocol == Protocol.CHOICE:
            return {"accuracy": protocols.choice(scores, n_texts)}
        if protocol == Protocol.CLASSIFY and kind not in (Kind.PRIOR, Kind.VERDICT):
            return {
                "top1_accuracy": protocols.choice(scores, n_texts),
                "top5_accuracy": classification.top_k(scores, n_texts, 5),
            }
        if protocol == Protocol.QUAD and kind == Kind.VERDICT:
            return {"text_score": protocols.quad(scores)["text_score"]}
        if protocol == Protocol.QUAD and kind != Kind.PRIOR:
            return protocols.quad(scores)
    raise ValueError(f"{protocol} items have no per-item verdict from {kind} scores")
