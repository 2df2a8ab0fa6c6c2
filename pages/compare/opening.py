"""Which two models Compare opens on: the one that a reader comes from, or the best, against the next best."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.compare import data
from pages.shared.data.best import Entry
from pages.shared.data.stored import StoredBenchmark

#: Where a benchmark has both, the two that the guided visit and the documents speak of.
USUAL = ("itc bundled:clip", "itc bundled:clip-relational")


def opening(benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """The keys of A, the baseline, and B. known: key -> (model, kind) of all that can be chosen, at least two."""
    state = st.session_state
    came = (str(state.get("model", "")), str(state.get("kind", "")))
    if came[0] not in benchmark.runs and all(key in known for key in USUAL):
        return USUAL
    return pair(list(known), known, data.ranked(benchmark), came)


def pair(
    keys: Sequence[str], known: Mapping[str, tuple[str, str]], ranked: Sequence[Entry], came: tuple[str, str]
) -> tuple[str, str]:
    """A and B: B the model that one comes from, under its kind there, else the best; A the best of the others.

    >>> known = {"itc a": ("a", "itc"), "itc b": ("b", "itc"), "itm b": ("b", "itm"), "itc c": ("c", "itc")}
    >>> ranked = [Entry(m, k, 0.0, frozenset()) for m, k in (("b", "itm"), ("c", "itc"), ("a", "itc"))]
    >>> pair(list(known), known, ranked, ("", "")), pair(list(known), known, ranked, ("a", "itc"))
    (('itc c', 'itm b'), ('itm b', 'itc a'))
    """
    best = [key for entry in ranked for key in keys if known[key] == (entry.model, entry.kind)]
    own = [key for key in keys if known[key][0] == came[0]]
    b = next((key for key in own if known[key] == came), next((key for key in best if key in own), None))
    b = b or next(iter([*own, *best, *keys]))
    others = [key for key in (*best, *keys) if key != b]
    return next((key for key in others if known[key][0] != known[b][0]), others[0]), b
