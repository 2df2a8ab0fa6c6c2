"""Boundary grounding: when an item's frames were taken, by its tags, and the mean of its accuracies."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backend.metrics import grounding, statistics
from backend.metrics.core.registry import by_name
from backend.metrics.statistics import Rate

#: Tags of grounding items: frames a second (frame k is taken at k / this), or each frame's second; the true boundaries.
RATE, SECONDS, BOUNDARIES = "frames_per_second", "frame_seconds", "boundary_seconds"


def moments(
    tags: Iterable[str], n_frames: Sequence[int] | NDArray[np.intp], most: int
) -> tuple[NDArray[np.float64], list[ArrayLike]]:
    """Seconds of the frames (n, most), padded with NaN, and of the true boundaries. tags: JSON of each item.

    What an item does not say is NaN: no boundary of it is near enough.

    >>> seconds, truths = moments(['{"frames_per_second": ["5"], "boundary_seconds": ["0.375"]}'], [3], 3)
    >>> seconds.tolist(), truths
    ([[0.0, 0.2, 0.4]], [[0.375]])
    """
    counts = np.asarray(n_frames, dtype=np.intp)
    seconds = np.full((len(counts), most), np.nan)
    truths: list[ArrayLike] = []
    for row, (text, n) in enumerate(zip(tags, counts, strict=True)):
        said = json.loads(text)
        if said.get(SECONDS):
            given = [float(value) for value in said[SECONDS][:n]]
            seconds[row, : len(given)] = given
        elif said.get(RATE):
            seconds[row, :n] = np.arange(n) / float(said[RATE][0])
        truths.append([float(value) for value in said.get(BOUNDARIES, [])])
    return seconds, truths


def mean(outcomes: pd.DataFrame) -> tuple[Rate, float | None] | None:
    """The mean of the accuracies over all thresholds of some outcomes (see `outcomes.compute`), and its chance level;
    None where none of them is of grounding. Ties are items: one at a threshold is one at all of them."""
    names = [grounding.metric(threshold) for threshold in grounding.THRESHOLDS]
    judged = outcomes[outcomes["metric"].isin(names) & outcomes["correct"].notna()]
    if judged.empty:
        return None
    by_item = judged.assign(correct=judged["correct"].astype(float)).groupby("item_no", sort=True)
    shares, firsts = by_item["correct"].mean(), by_item[["cluster", "ties"]].first()
    ci95 = statistics.of_clusters(shares.to_numpy(), firsts["cluster"].to_numpy())
    rate = Rate(float(shares.mean()), len(shares), int(firsts["ties"].sum()), ci95)
    levels = [
        by_name(str(name)).level(part["candidates"].to_numpy(), part["relevant"].to_numpy())
        for name, part in judged.groupby("metric", sort=False)
    ]
    known = [level for level in levels if level is not None]
    return rate, float(np.mean(known)) if known else None
