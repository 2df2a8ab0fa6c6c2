"""A benchmark that an address asks for, or that another page had chosen, and that this page cannot show: said in the
page, with what leads to it, and not only by showing another one."""

from collections.abc import Collection

import streamlit as st

from backend.benchmarks import names as known_benchmarks
from backend.called import on_pages
from backend.live import real_results
from pages.shared.data import commands, stored
from pages.shared.frame import address
from pages.shared.frame.plain import plain

_ASKED = "_absent_benchmark"
#: Characters of an unknown name that are shown.
_SHOWN = 60


def note(names: Collection[str]) -> None:
    """Before the benchmark's widget: remember what is asked for in vain. names: what can be chosen."""
    state = st.session_state
    linked = address.asked("benchmark")
    wanted = linked[0] if linked else str(state.get("benchmark", ""))
    if linked or (wanted and wanted not in names):
        state.pop(_ASKED, None)
    if not wanted or wanted in names or wanted == stored.EVERYTHING:
        return
    state[_ASKED] = (address.here(), wanted, "")
    address.drop("benchmark")  # what is said below is more than the toast of an unknown value


def draw(shown: str) -> None:
    """Say it, for as long as the one that took its place is shown on this page. shown: its name."""
    state = st.session_state
    page, wanted, instead = state.get(_ASKED, ("", "", ""))
    if not wanted or page != address.here() or instead not in ("", shown):
        return
    state[_ASKED] = (page, wanted, shown)
    with st.container(border=True, key="absent-benchmark"):
        st.markdown(f":material/link_off: {said(wanted, shown)}")
        if wanted in stored.unscored():
            st.page_link(
                "pages/failures/page.py", label=plain(f"Look at the items of {wanted}"), icon=":material/list:",
                query_params={"benchmark": wanted},
            )  # fmt: skip
        else:
            tab = "real" if _fetched(wanted) else "import"
            st.page_link(
                "pages/runs/page.py", label="Import or fetch on Runs", icon=":material/download:",
                query_params={"tab": tab},
            )  # fmt: skip


def said(wanted: str, shown: str) -> str:
    """What is missing, what is shown instead, and what brings it; Markdown."""
    there = stored.unscored().get(wanted)
    if there is not None:
        run = f"{on_pages()} run --model YOUR_MODEL --benchmark {commands.words(there)}"
        return (
            f"**{plain(wanted)} is here, but no model has a run on it**, so this page shows {plain(shown)}. "
            f"Score one: `{run}`"
        )
    begin = f"**The benchmark “{plain(wanted[:_SHOWN])}” is not here**, so this page shows {plain(shown)}. "
    name = wanted.partition("@")[0]
    if package := _fetched(wanted):
        return f"{begin}Fetch it on Runs, or: `{on_pages()} fetch results --only {package}`"
    if name in known_benchmarks():
        return f"{begin}Import it on Runs, or: `{on_pages()} import {name} --data DIR`"
    return f"{begin}No benchmark of that name is known; what is here stands in the sidebar."


def _fetched(wanted: str) -> str:
    """The bundle of results that brings a benchmark of this name; "" for none."""
    name = wanted.partition("@")[0]
    return next((each.name for each in real_results.offers([]) if each.benchmark == name), "")
