"""Accuracy over the edit-distance gap: does a text encoder follow words where they speak against the meaning?

After VISLA, figure 8, which shows that its paraphrases lie farther apart in letters than a false caption lies from
them. The gap of a triplet is the edit distance of its two true captions less that of the false one to the nearer of
them: above 0 the words mislead. Accuracy over it is ours.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from backend.metrics import statistics
from backend.metrics.core.arrays import FloatArray
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.catalog import catalog

#: Parts of equally many triplets.
PARTS = 5


@dataclass(frozen=True)
class Part:
    """Triplets whose gap lies between two ends (both included). middle: their median gap, in characters."""

    low: int
    high: int
    middle: float
    accuracy: Rate


@dataclass(frozen=True)
class Line:
    """One model's T2T accuracy over the parts."""

    model: str
    parts: tuple[Part, ...]


def gaps(store: Store, benchmark: str) -> pd.DataFrame:
    """item_no, cluster and gap (characters, Levenshtein) of each triplet of a benchmark (hash)."""
    return store.cached(
        ("edit distance", benchmark),
        lambda: (
            store.cursor()
            .execute(
                """SELECT item_no, cluster,
                levenshtein(texts[1], texts[2])
                    - least(levenshtein(texts[1], texts[3]), levenshtein(texts[2], texts[3])) AS gap
                FROM items WHERE benchmark = ? AND protocol = 'triplet' ORDER BY item_no""",
                [benchmark],
            )
            .df()
        ),
    )


def lines(store: Store, benchmark: str) -> list[Line]:
    """T2T accuracy over the gap, for every model's default run on a benchmark (hash) that has judged triplets by it."""
    return store.cached(("over edit distance", benchmark), lambda: _lines(store, benchmark))


def cuts(gap: FloatArray) -> list[tuple[int, int]]:
    """The ends of PARTS parts of about equally many values; equal values stay together, so there may be fewer.

    >>> cuts(np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6]))
    [(0, 0), (1, 2), (3, 4), (5, 6)]
    """
    values = np.sort(np.asarray(gap))
    ends = sorted({int(each[-1]) for each in np.array_split(values, PARTS) if len(each)})
    found, low = [], None
    for high in ends:
        inside = values[(values <= high) & ((values > low) if low is not None else True)]
        found.append((int(inside[0]), high))
        low = high
    return found


def _lines(store: Store, benchmark: str) -> list[Line]:
    known = gaps(store, benchmark)
    models = catalog.models(store, benchmark)
    found = []
    for model, run_id in zip(models["model"], models["run_id"], strict=True):
        judged = store.cursor().execute(
            """SELECT item_no, correct FROM outcomes
            WHERE run_id = ? AND metric = 't2t_accuracy' AND correct IS NOT NULL""", [run_id],
        ).df()  # fmt: skip
        both = known.merge(judged, on="item_no")
        if both.empty:
            continue
        parts = []
        for low, high in cuts(known["gap"].to_numpy()):
            rows = both[both["gap"].between(low, high)]
            accuracy = statistics.rate(rows["correct"].to_numpy(dtype=bool), clusters=rows["cluster"].to_numpy())
            if accuracy.n:
                parts.append(Part(low, high, float(rows["gap"].median()), accuracy))
        found.append(Line(str(model), tuple(parts)))
    return found
