"""What stands where no change can be shown, and what to do next."""

import shlex

import streamlit as st

from backend.store.compare import series as stored_series
from pages.compare import series
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address
from pages.shared.frame.header import empty


def no_series(benchmark: stored.StoredBenchmark) -> None:
    """No series has two checkpoints here: one checkpoint alone, or none."""
    address.end()
    alone = stored_series.alone(stored.store(), benchmark.hash)
    if not alone:
        empty("No two checkpoints of one training are here", series.how(benchmark))
        _train()
        return
    name, (point, base) = next(iter(alone.items()))
    title = f"Only one checkpoint of {name} has been scored here: {colours.labels(benchmark.models)[point.model]}"
    kind = next(iter(benchmark.kinds[point.model]), "itc")
    if base:
        words = ["flipside", "run", "--model", base, "--benchmark", benchmark.name.partition("@")[0], "--kinds", kind]
        empty(title, f"Score what it was taught from, {base}, and the change shows here: {shlex.join(words)}")
    else:
        empty(title, f"Score another one of it. {series.how(benchmark)}")
    _train()


def no_kind(benchmark: stored.StoredBenchmark) -> None:
    """The two checkpoints were scored by different kinds."""
    address.end()
    before, after = (str(st.session_state.get(key, "")) for key in ("before", "after"))
    names = colours.labels(benchmark.models)
    a, b = (f"{names.get(model, model)} has {', '.join(benchmark.kinds.get(model, []))}" for model in (before, after))
    kind = next(iter(benchmark.kinds.get(before, [])), "itc")
    words = ["flipside", "run", "--model", after, "--benchmark", benchmark.name.partition("@")[0], "--kinds", kind]
    empty(
        "These two checkpoints have no score kind in common",
        f"{a}; {b}. Choose others in the sidebar, or score the later one by the kind of the other: {shlex.join(words)}",
    )


def no_verdict() -> None:
    """Both have the kind, and no item that both have a verdict on."""
    address.end()
    empty(
        "No item has a verdict under both checkpoints",
        "Their runs cover different items, or this kind judges none of these. Score both on the whole benchmark, or "
        "choose another score kind in the sidebar.",
    )


def _train() -> None:
    st.page_link(
        "pages/teach/page.py", label="Train a model here", icon=":material/school:", query_params={"view": "train"}
    )
