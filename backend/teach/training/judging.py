"""What held-out minimal pairs say while a model learns: the same verdicts as a run's, by the same functions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from backend.errors import UsageError
from backend.items import Item, Protocol
from backend.metrics import by_item
from backend.metrics.reasons.quads import decompose
from backend.teach.students.base import Student
from backend.teach.training.recall import Seen, recall

#: Items whose pictures are in memory together.
AT_ONCE = 32


class LeftError(Exception):
    """Judging was left before its end, for the training is asked to stop."""


def refuse(items: Sequence[Item]) -> None:
    """UsageError where there is nothing to judge by: quads and choices with their images."""
    if not any(_usable(item) for item in items):
        raise UsageError("no held-out item is a quad or a choice with its images: hold out other items, or none.")


def judge(
    student: Student[Any, Any], items: Sequence[Item], asked: Callable[[], bool] = lambda: False
) -> dict[str, float | int | None]:
    """Rates and means over the held-out items, by name; of a protocol without an item there are none. asked: whether
    to stop, asked before each AT_ONCE items; then LeftError is raised.

    Quads: n_quads, text_score, image_score, group_score, group_match, the means gamma, abs_gamma, abs_c, abs_r in the
    raw score's unit, and spread, the standard deviation of all their cells, by which these are made comparable between
    models. Choices: n_choices, accuracy. Ties count as failures. Dual encoders also retrieve (`recall`): text_r1,
    image_r1 among n_images and n_captions; a matching head would have to read every pair.
    """
    quads = [item for item in items if item.protocol is Protocol.QUAD and _usable(item)]
    choices = [item for item in items if item.protocol is Protocol.CHOICE and _usable(item)]
    found: dict[str, float | int | None] = {}
    seen = Seen() if student.compares_texts else None
    with student.judged():
        if quads:
            found |= _of_quads(np.stack([np.array(s).reshape(2, 2) for s in _scores(student, quads, asked, seen)]))
        if choices:
            right = [float(s[0] > max(s[1:])) for s in _scores(student, choices, asked, seen)]
            found |= {"n_choices": len(right), "accuracy": float(np.mean(right))}
        if seen is not None:
            found |= recall(seen, [*quads, *choices])
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


def _scores(
    student: Student[Any, Any], items: Sequence[Item], asked: Callable[[], bool], seen: Seen | None = None
) -> list[list[float]]:
    """The raw scores of each item, image by image, each with all the item's texts. seen: keeps a dual encoder's
    vectors."""
    found: list[list[float]] = []
    for start in range(0, len(items), AT_ONCE):
        if asked():
            raise LeftError
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
        read = student.read(texts)
        raw = student.paired(images, torch.tensor(rows, device=student.device), read).raw.cpu().tolist()
        if seen is not None:
            seen.add(part, images, texts, read)
        for item in part:
            n = len(item.images) * len(item.texts)
            found.append(raw[:n])
            raw = raw[n:]
    return found
