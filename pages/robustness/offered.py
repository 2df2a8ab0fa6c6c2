"""Robustness: which models and how many items the form offers, and what stands there where no model can be run."""

from typing import Final

import streamlit as st

from backend.errors import FlipsideError
from backend.kinds import PREDICTIONS
from backend.live.scoring import pool
from pages.shared.data import commands, stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing
from pages.shared.frame.header import chart_caption
from pages.shared.frame.hidden import hide

#: Items that are edited, as far as there are so many, and how many at first.
SIZES: Final = (60, 120, 300, 1000)
FEW: Final = 120
#: Models that a sentence lists.
NAMED: Final = 4


def able(benchmark: stored.StoredBenchmark) -> list[str]:
    """The models with scores of it that can be run from here, what the pages offer first: other systems' scores have no
    weights, and a browser user may name neither every server nor every folder."""
    if found := colours.order({*pool.available()} & {*benchmark.models}):
        return found
    return [model for model in benchmark.models if not commands.cannot_run(model) and _is_free(model)]


def _is_free(model: str) -> bool:
    try:
        pool.guard(model)
    except FlipsideError:
        return False
    return True


def answered_elsewhere(benchmark: stored.StoredBenchmark) -> None:
    """Instead of the form where no model can be run from here: why, and what brings scores of edited captions."""
    names = colours.labels(benchmark.models)
    whys: dict[str, list[str]] = {}
    for model in benchmark.models:
        whys.setdefault(commands.cannot_run(model) or "a terminal may run it, the browser may not", []).append(model)
    said = "; ".join(f"{listing([names[model] for model in of], NAMED)}: {why}" for why, of in whys.items())
    chart_caption(f"No model with scores of {benchmark.name} can be run from this page ({said}).")
    if any(not commands.cannot_run(model) for model in benchmark.models):
        chart_caption("In a terminal:")
        typed = [commands.edited(benchmark), commands.scored_edits(benchmark)]
    elif theirs := [model for model in benchmark.models if model.startswith(PREDICTIONS)]:
        chart_caption(
            "Make editions, have the system judge their items, and add what it says: on Runs (Edits, then "
            "Predictions), or in a terminal:"
        )
        typed = commands.answered_elsewhere(benchmark, theirs[0])
    else:
        return
    st.code(hide("\n".join(typed)), language="bash", wrap_lines=True)


def sizes(total: int) -> list[int]:
    """How many items of a benchmark can be edited: some of them, or all where they are few.

    >>> sizes(8), sizes(120), sizes(4830)
    ([8], [60, 120], [60, 120, 300, 1000])
    """
    return [*(size for size in SIZES if size < total), *([total] if total <= SIZES[-1] else [])]


def sized(size: int, total: int) -> str:
    """Which items are edited, in words.

    >>> sized(8, 8), sized(60, 120), sized(1, 1)
    ('all 8 items', '60 random items', 'the one item')
    """
    if total == 1:
        return "the one item"
    return f"all {total:,} items" if size >= total else f"{size:,} random items"
