"""A file of Winoground scores as rows of a run: read, transformed, and still in the order that the file gives them."""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend import plain_json
from backend.benchmarks.winoground_stub import N_ITEMS
from backend.errors import FlipsideError
from backend.intake.real.score_files import Transformation
from backend.predictions import labels
from backend.predictions.parts import Part
from backend.predictions.scale import in_order, log_odds


def read(path: Path) -> NDArray[np.float64]:
    """The scores of a file, (400, 2, 2): item, image, caption. FlipsideError where one is missing, twice there, or no
    finite number."""
    found = np.full((N_ITEMS, 2, 2), np.nan)
    for key, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = plain_json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise FlipsideError(f"{path}:{key}: is no record with a label and a score.")
        label = labels.parse(str(record.get("label")))
        if label is None or not label.item.isdecimal() or int(label.item) >= N_ITEMS:
            raise FlipsideError(f"{path}:{key}: {str(record.get('label'))[:40]!r} is no label like 7_c0_i1.")
        at = (int(label.item), label.image, label.caption)
        value = record.get("score")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise FlipsideError(f"{path}:{key}: the score is {str(value)[:40]!r}, expected a finite number.")
        if not np.isnan(found[at]):
            raise FlipsideError(f"{path}:{key}: {record['label']} is there twice.")
        found[at] = value
    if missing := int(np.isnan(found).sum()):
        raise FlipsideError(f"{path}: {missing} of {found.size} scores are missing. Fetch the file again.")
    return found


def stored(scores: NDArray[np.float64], transformation: Transformation) -> NDArray[np.float32]:
    """The numbers that are kept, shaped like the scores: of every item, equal where the file's are equal, and larger
    where the file's are larger, though single precision has fewer digits.

    Raises ValueError for log-odds of what is no probability.

    >>> stored(np.array([[[1.0, 1.0 - 2.0**-53], [0.5, 0.5]]]), "log-odds")[0, 0, 0] > 36
    np.True_
    >>> stored(np.array([[[1.0, 1.0 + 2.0**-52], [0.5, 0.5]]]), "none")[0].tolist()
    [[1.0, 1.0000001192092896], [0.5, 0.5]]
    """
    values = scores
    if transformation == "logit / 100":
        values = scores / 100
    if transformation == "log-odds":
        if np.any((scores < 0) | (scores > 1)):
            raise ValueError(f"{scores.min()} to {scores.max()} are no probabilities")
        values = log_odds(scores)
    return in_order(scores.reshape(len(scores), -1), values.reshape(len(scores), -1)).reshape(scores.shape)


def part(values: NDArray[np.float32]) -> Part:
    """The rows of a run on the stub, whose item numbers are Winoground's own."""
    rows = Part()
    for number in range(len(values)):
        for image in (0, 1):
            for caption in (0, 1):
                rows.add((number, image, caption, -1, -1), float(values[number, image, caption]))
    return rows
