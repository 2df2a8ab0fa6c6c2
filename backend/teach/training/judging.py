"""What held-out minimal pairs say while a model learns: the same verdicts as a run's, by the same functions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from backend.errors import UsageError
from backend.items import Item, Protocol
from backend.metrics import by_item
from backend.metrics.reasons.quads import decompose
from backend.teach.students.base import Student

#: Items whose pictures are in memory together.
AT_ONCE = 32


def refuse(items: Sequence[Item]) -> None:
    """UsageError where there is nothing to judge by: quads and choices with their images."""
    if not any(_usable(item) for item in items):
        raise UsageError("no held-out item is a quad or a choice with its images: hold out other items, or none.")


def judge(student: Student[Any, Any], items: Sequence[Item]) -> dict[str, float | int | None]:
    """Rates and means over the held-out items, by name; of a protocol without an item there are none.

    Quads: n_quads, text_score, image_score, group_score, group_match, the means gamma, abs_gamma, abs_c, abs_r in the
    raw score's unit, and spread, the standard deviation of all their cells, by which these are made comparable between
    models. Choices: n_choices, accuracy. Ties count as failures.
    """
    quads = [item for item in items if item.protocol is Protocol.QUAD and _usable(item)]
    choices = [item for item in items if item.protocol is Protocol.CHOICE and _usable(item)]
    found: dict[str, float | int | None] = {}
    with student.judged():
        if quads:
            found |= _of_quads(np.stack([np.array(s).reshape(2, 2) for s in _scores(student, quads)]))
        if choices:
            right = [float(s[0] > max(s[1:])) for s in _scores(student, choices)]
            found |= {"n_choices": len(right), "accuracy": float(np.mean(right))}
    return found


def _usable(item: Item) -> bool:
    fits = item.protocol in (Protocol.QUAD, Protocol.CHOICE)
    return fits and bool(item.images) and not any(image.missing for image in item.images)


def _of_quads(scores: Any) -> dict[str, float | int | None]:
    parts, verdicts = decompose(scores), by_item.quad(scores)
    return {
        "n_quads": len(scores),
        **{name: float(np.mean(verdicts[name].correct)) for name in ("text_score", "image_score", "group_score")},
        "group_match": float(np.mean(parts.gamma > 0)),
        "gamma": float(np.mean(parts.gamma)),
        "abs_gamma": float(np.mean(np.abs(parts.gamma))),
        "abs_c": float(np.mean(np.abs(parts.c))),
        "abs_r": float(np.mean(np.abs(parts.r))),
        "spread": float(np.std(scores)),
    }


def _scores(student: Student[Any, Any], items: Sequence[Item]) -> list[list[float]]:
    """The raw scores of each item, image by image, each with all the item's texts."""
    found: list[list[float]] = []
    for start in range(0, len(items), AT_ONCE):
        part = items[start : start + AT_ONCE]
        images = student.see([image.uri for item in part for image in item.images])
        rows: list[int] = []
        texts: list[str] = []
        place = 0
        for item in part:
            for _ in item.images:
                rows += [place] * len(item.texts)
                texts += item.texts
                place += 1
        raw = student.paired(images, torch.tensor(rows, device=student.device), student.read(texts)).raw.cpu().tolist()
        for item in part:
            n = len(item.images) * len(item.texts)
            found.append(raw[:n])
            raw = raw[n:]
    return found
