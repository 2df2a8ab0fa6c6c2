"""The report of the five jobs: medians, as JSON and as the page docs/five-jobs.md. Pure functions."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from statistics import median
from textwrap import fill

from scripts.five_jobs.hand import Count
from scripts.five_jobs.jobs import JOBS

#: Job letter -> side ("before", "now") -> what each round took.
Found = Mapping[str, Mapping[str, Sequence[Count]]]

_HEAD = (
    "Five things that a new user wants, played by a script in a real Chromium (1440 × 900, a fresh session each "
    "time) on the product as it was before the pages were rebuilt (commit ee3c3a4) and as it is. `python -m "
    "scripts.five_jobs --before DIR` plays them again; DIR is a checkout of that commit with its own `.venv`."
)
_HOW = (
    "Medians of {rounds} rounds, before and after in turns, on {cores} cores with other work. Seconds run from "
    "the address to the answer without any reading or thinking, so they are the product's waits and the wheel's "
    "way, not a person's. A letter typed and a chord are one key each; choosing a file in the system's dialog is "
    "one click."
)
_STEPS = (
    "The steps are in `scripts/five_jobs/before.py` and `now.py`: on each side the shortest way that somebody who"
    " sees the screen would take. Whatever is not in the window, or lies behind something, is scrolled to by the "
    "wheel first, and a job whose answer cannot be seen at its end fails (`hand.py`)."
)


def middle(counts: Sequence[Count]) -> Count:
    """The median of each number over the rounds.

    >>> middle([Count(clicks=1, seconds=2.0), Count(clicks=3, seconds=9.0), Count(clicks=1, seconds=4.0)])
    Count(clicks=1, keys=0, fields=0, scrolled=0, seconds=4.0)
    """
    found = {each.name: median(getattr(count, each.name) for count in counts) for each in fields(Count)}
    return Count(**{name: value if name == "seconds" else round(value) for name, value in found.items()})


def plain(found: Found) -> dict[str, object]:
    """Everything that was counted, as JSON has it: the rounds and their median."""
    return {
        letter: {side: {"median": middle(counts).plain(), "rounds": [count.plain() for count in counts]}
                 for side, counts in sides.items()}
        for letter, sides in found.items()
    }  # fmt: skip


def _cell(before: float | None, now: float | None, places: int = 0) -> str:
    """`6 → 2`, or one number where one side alone was played.

    >>> _cell(6, 2), _cell(None, 2), _cell(8.24, 3.1, 1)
    ('6 → **2**', '2', '8.2 → **3.1**')
    """
    said = [f"{value:,.{places}f}" for value in (before, now) if value is not None]
    return f"{said[0]} → **{said[1]}**" if len(said) == 2 else "".join(said)


def rows(found: Found) -> list[str]:
    """The lines of the table, a job a line and all of them together at the end."""
    lines = []
    total = {side: Count() for side in ("before", "now")}
    both = [job for job in JOBS if len(found.get(job.letter, {})) == 2]
    for job in JOBS:
        sides = {side: middle(counts) for side, counts in found.get(job.letter, {}).items()}
        if not sides:
            continue
        lines.append(_line(f"{job.letter} · {job.title}", sides))
        for side, count in sides.items() if job in both else ():
            for each in fields(Count):
                setattr(total[side], each.name, getattr(total[side], each.name) + getattr(count, each.name))
    return [*lines, _line(f"all {len(both)}", total)] if len(both) > 1 else lines


def _line(name: str, sides: Mapping[str, Count]) -> str:
    before, now = sides.get("before"), sides.get("now")
    cells = [
        _cell(getattr(before, each.name, None), getattr(now, each.name, None), 1 if each.name == "seconds" else 0)
        for each in fields(Count)
    ]
    return f"| {name} | {' | '.join(cells)} |"


def page(found: Found, rounds: int) -> str:
    """docs/five-jobs.md."""
    said = [
        "# Five jobs, before and after",
        "",
        fill(_HEAD, 120),
        "",
        "| job | clicks | keys | fields | pixels scrolled | seconds |",
        "|---|---:|---:|---:|---:|---:|",
        *rows(found),
        "",
        fill(_HOW.format(rounds=rounds, cores=os.cpu_count()), 120),
        "",
        "## What each job is",
        "",
        "| job | what the user was told | what had to be there at the end |",
        "|---|---|---|",
        *(f"| {job.letter} | {job.task} | {job.answer} |" for job in JOBS),
        "",
        fill(_STEPS, 120),
        "",
    ]
    return "\n".join(said)
