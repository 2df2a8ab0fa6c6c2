"""What several sidebars share: benchmark, model, score kind."""

from collections.abc import Sequence

import streamlit as st

from backend.errors import FlipsideError
from pages.parts import address, colours, stored
from pages.parts.header import empty, trouble
from pages.parts.tips import KINDS, kind_name


def choose_benchmark(together: bool = False) -> stored.Chosen | None:
    """The benchmark in the sidebar; None, after saying what to do, where nothing has been computed. together: whether
    all of them may be chosen at once."""
    try:
        known = stored.chosen()
    except FlipsideError as error:
        trouble(str(error))
        return None
    if not known:
        empty(
            "Nothing has been computed yet",
            "Score a model on a benchmark, for example: python -m backend run --model bundled:clip --benchmark world "
            "--kinds itc,t2t. The results appear here by themselves.",
        )
        return None
    if together and len(known) > 1:
        known = known | {stored.EVERYTHING: stored.everything(known)}
    names = list(known)
    with st.sidebar:
        name = st.selectbox(
            "Benchmark", names, key=address.one("benchmark", names, "world" if "world" in names else names[0]),
            format_func=lambda n: f"{'all benchmarks' if known[n].parts else n} · "
            f"{sum(known[n].subsets.values()):,} items", persist_state="session",
        )  # fmt: skip
    return known[name or names[0]]


def choose_model(models: Sequence[str], label: str = "Model", key: str = "model", default: str = "") -> str:
    """One model, in the order of every list."""
    listed = colours.order(models)
    names = colours.labels(listed)
    first = default if default in listed else listed[0]
    found = st.selectbox(
        label, listed, key=address.one(key, listed, first), format_func=names.__getitem__, persist_state="session"
    )
    return found or first


def choose_kind(kinds: Sequence[str], key: str = "kind", label: str = "Score kind") -> str:
    """One score kind of those that a model has."""
    found = st.selectbox(
        label, kinds, key=address.one(key, kinds, kinds[0]), persist_state="session",
        format_func=lambda k: f"{kind_name(k)} ({k})", help=kinds_help(kinds),
    )  # fmt: skip
    return found or kinds[0]


def kinds_help(kinds: Sequence[str]) -> str:
    """What each kind is, for a help tip."""
    return "\n\n".join(f"**{kind_name(kind)}** ({kind}): {KINDS[kind][2]}" for kind in kinds if kind in KINDS)
