"""Arrays of scores: t2v_metrics' table of every item's cells (items, images, texts), and EqBen's CodaLab submission:
one similarity for each pair of `ann_json_finegrained_random.json`, in its order."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from backend.arrays_in import DAMAGED
from backend.benchmarks.eqben_pairs import LIST
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import json_list, text
from backend.errors import FlipsideError, UsageError
from backend.predictions.claim import About, Claim, Place, Score, Unmatched


def claims(path: Path, data: Path | None) -> Iterator[Claim | Unmatched]:
    """A score for each pair, known by its image and caption. Nothing in the file is executed."""
    try:
        scores = np.load(path, allow_pickle=False, mmap_mode="r")
    except DAMAGED as error:
        # What numpy says of a file that is none of its own is how to run the code that may be in it.
        pickled = "pickle" in str(error) or "object" in str(error).lower()
        said = "it holds no plain numbers" if pickled else (str(error).splitlines() or [""])[0][:120]
        raise FlipsideError(
            f"{path}: cannot be read as an array of numbers ({said}). Save it with numpy.save."
        ) from None
    if isinstance(scores, np.ndarray) and scores.ndim == 3 and scores.dtype.kind in "fiu":
        yield from _cells(path, scores)
        return
    if not isinstance(scores, np.ndarray) or scores.ndim != 1 or scores.dtype.kind not in "fiu":
        found = f"{scores.shape} of {scores.dtype}" if isinstance(scores, np.ndarray) else "an archive"
        raise UsageError(
            f"{path}: expected one row of numbers, one for each pair of EqBen's {LIST}, or a table "
            f"(items, images, texts) as t2v_metrics makes it; found {found}."
        )
    pairs = None if data is None or not data.is_dir() else Folder(data).find(LIST)
    if pairs is None:
        raise UsageError(f"{path}: its numbers stand in the order of {LIST}, which is not in --data. Put it there.")
    n = 0
    for at, pair in json_list(pairs):
        n += 1
        place = Place(path.name, at)
        if n > len(scores):
            continue  # counted to the end, so that the error can say how many there are
        try:
            about = About(image=text(pair, "image"), caption=text(pair, "caption"))
        except Malformed as reason:
            yield Unmatched(place, f"pair {at} of {LIST}: {reason}")
            continue
        value = float(scores[n - 1])
        if not math.isfinite(value):
            yield Unmatched(place, f"number {at} is {value}, no finite number")
            continue
        yield Score(about, place, value)
    if n != len(scores):
        raise FlipsideError(
            f"{path}: {len(scores):,} numbers, but {pairs} has {n:,} pairs. Use the array that was made for this list."
        )


#: What is said of a table of cells.
GUESS = (
    "read as t2v_metrics' scores: the table's first axis counts the benchmark's items in its order, the second their "
    "images, the third their texts"
)


def is_of_cells(path: Path) -> bool:
    """Whether an array is such a table."""
    try:
        return bool(np.load(path, allow_pickle=False, mmap_mode="r").ndim == 3)
    except (*DAMAGED, AttributeError):
        return False


def _cells(path: Path, scores: np.ndarray) -> Iterator[Claim | Unmatched]:
    """A score for each cell of each item. FlipsideError for a table without any."""
    if not scores.size:
        raise FlipsideError(
            f"{path}: its table has the shape {scores.shape}, so it holds no score. Save the scores that were computed."
        )
    for number, item in enumerate(scores):
        place = Place(path.name, str(number))
        if not np.isfinite(item).all():
            yield Unmatched(place, "has a score that is no finite number")
            continue
        for image, row in enumerate(item):
            for text_index, value in enumerate(row):
                yield Score(About(position=number, of=len(scores)), place, float(value), "", image, text_index)
