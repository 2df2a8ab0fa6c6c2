"""Runs, Add: about how long it takes to score models, from how long they took before. Nothing is drawn."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from backend.kinds import IMAGE_KINDS, Kind, that_apply
from pages.runs.add.states import Subject
from pages.runs.view import duration

#: Seconds in which a model's process starts and reads its libraries and weights: bundled models, 2 cores (measured).
START = 8.0
#: From here on a machine counts as busy: work takes so many times as long.
BUSY = 1.25


def pace(records: Iterable[Mapping[str, Any]]) -> float | None:
    """Scores a second of a model, the best of its sessions (small ones are mostly their start); None where nothing
    tells. records: of its runs, as `run.json` has them; what is not as it should be is passed over."""
    found = []
    for record in records:
        sessions = record.get("sessions")
        for session in sessions if isinstance(sessions, list) else []:
            scores, seconds = (
                session.get(name) if isinstance(session, dict) else None for name in ("scores", "seconds")
            )
            if isinstance(scores, int | float) and isinstance(seconds, int | float) and scores > 0 and seconds > 0:
                found.append(scores / seconds)
    return max(found, default=None)


def scores(kinds: Iterable[str], subject: Subject) -> int:
    """About how many scores the kinds are on a benchmark: every text with each of its item's pictures, of which a quad
    has two, and texts with texts."""
    texts, items = subject.n_texts or 0, max(1, subject.n_items or 1)
    pictures = min(2, max(1, round((subject.n_images or 0) / items)))
    applies = that_apply(list(kinds), subject.protocols)
    return sum(texts * (pictures if Kind(kind) in IMAGE_KINDS else 1) for kind in applies)


def busy() -> float:
    """How many times as long work takes here as on an idle machine, by what has run in the last minute: 1.0 where
    little has, and where the system does not tell."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return 1.0
    return slowdown(load, os.cpu_count() or 1)


def slowdown(load: float, cores: int) -> float:
    """A job that would fill all cores gets its share of them beside `load` others. A little is no news.

    >>> slowdown(0.3, 2), slowdown(2.0, 2), slowdown(16.0, 2)
    (1.0, 2.0, 9.0)
    """
    found = (load + cores) / cores
    return found if found >= BUSY else 1.0


def seconds(chosen: Sequence[tuple[str, Sequence[str]]], subjects: Sequence[Subject], paces: Mapping[str, float | None],
            at_once: int = 1, slower: float = 1.0) -> float | None:  # fmt: skip
    """About how long it takes; None where a model's pace is not known. chosen: (model, kinds); at_once: how many jobs
    run at a time; slower: how many times as long work takes now (`busy`)."""
    total = 0.0
    for model, kinds in chosen:
        speed = paces.get(model)
        if not speed:
            return None
        total += sum(START + scores(kinds, subject) / speed for subject in subjects)
    jobs = max(1, len(chosen) * len(subjects))
    return slower * total / min(max(1, at_once), jobs)


def words(found: float | None, slower: float = 1.0) -> str:
    """The estimate beside the button, rounded up to what it can be trusted to. slower: as for `seconds`.

    >>> words(None), words(17.2), words(300.0)
    ('time: not known before it has begun', 'about 20 s', 'about 5 min')
    >>> words(90.0, 3.0)
    'about 2 min, as this machine is busy now'
    """
    if found is None:
        return "time: not known before it has begun"
    step = 5 if found < 60 else 60
    said = f"about {duration(-(-found // step) * step)}".replace(" 0 s", "")
    return f"{said}, as this machine is busy now" if slower > 1 else said
