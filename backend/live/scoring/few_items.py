"""A model asked here and now about a few items that it has no run on: verdicts as a run would give them, not stored."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from backend.errors import FlipsideError
from backend.images import open_stored
from backend.kinds import Kind
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import ModelScores, score
from backend.metrics.core import evaluate, registry
from backend.protocols import ALONE, Protocol

#: More items than this are scored by a job in a process of its own.
MOST: Final = 24
COLUMNS: Final = ("item_id", "kind", "metric", "correct", "margin", "ties")


def ask(pool: Pool, spec: str, uris: Sequence[str], texts: Sequence[str]) -> ModelScores:
    """Every score that a model gives for an item's images with its texts, without a prior (nothing is taken away);
    what goes wrong is its `problem`."""
    try:
        images = [open_stored(uri) for uri in uris if uri]
    except FlipsideError as error:
        return ModelScores(spec, problem=str(error))
    return score(pool, spec, images, texts, "")


def verdicts(item_id: str, protocol: str, scores: ModelScores, expected: bool | None = None) -> pd.DataFrame:
    """COLUMNS for one item: every headline and other metric of each kind, at the kind's default setting. correct is
    boolean, missing where undefined. Empty for protocols that need more than the item itself (pools, class lists)."""
    rows: list[tuple[Any, ...]] = []
    if protocol in ALONE:
        cells = [(kind, scores.judged(kind)) for kind in scores.matrices]
        if scores.t2t is not None and protocol == Protocol.TRIPLET:
            t2t = scores.t2t
            cells.append((Kind.T2T, np.array([[t2t[0, 1], t2t[0, 2], t2t[1, 2]]])))
        for kind, matrix in cells:
            shaped = matrix[None] if Protocol(protocol).info.images != 1 else matrix[:1]
            if not registry.applicable(Protocol(protocol), Kind(kind)):
                continue
            yes = None if expected is None else [expected]
            for metric, found in evaluate.outcomes(Protocol(protocol), Kind(kind), shaped, expected=yes).items():
                correct = bool(found.correct[0]) if found.defined[0] else None
                rows.append((item_id, str(kind), metric, correct, float(found.margin[0]), bool(found.ties[0])))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({"correct": "boolean", "ties": "boolean", "margin": float})


def score_items(
    pool: Pool, spec: str, items: Sequence[Any], progress: Callable[[int, int], object] | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """Verdicts (COLUMNS) of a model on up to MOST items (`ItemDetail`s), and why some have none.

    FlipsideError where the model cannot be loaded: nothing is judged then.
    """
    parts: list[pd.DataFrame] = []
    left_out: list[str] = []
    for k, detail in enumerate(items):
        if progress is not None:
            progress(k, len(items))
        if detail.protocol not in ALONE:
            left_out.append(f"{detail.item_id}: a {detail.protocol} item is judged against more than itself")
            continue
        if not all(detail.image_uris):
            left_out.append(f"{detail.item_id}: its image is missing")
            continue
        scores = ask(pool, spec, detail.image_uris, detail.texts)
        if scores.problem and not parts and spec not in pool.loaded():
            raise FlipsideError(scores.problem)
        if scores.problem:
            left_out.append(f"{detail.item_id}: {scores.problem}")
            continue
        yes = bool(detail.truth) if detail.protocol == Protocol.ANSWERS else None
        parts.append(verdicts(detail.item_id, detail.protocol, scores, yes))
    empty = pd.DataFrame({name: pd.Series(dtype=object) for name in COLUMNS})
    return pd.concat(parts, ignore_index=True) if parts else empty, left_out
