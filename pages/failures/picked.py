"""Items that were picked elsewhere, on a chart or in a list: Failures shows which set is on, and takes it off again."""

from dataclasses import replace

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.store.failures import selections
from backend.store.failures.selections import PickedSet
from backend.store.queries import FailureFilter
from pages.shared.data import stored
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.header import trouble
from pages.shared.frame.style import show

#: The address key that names a set (see `to_failures`).
KEY = "set"
#: What a set that is unknown, or of another benchmark, leaves: nothing.
NOTHING: tuple[str, ...] = ()


def named() -> PickedSet | None:
    """The set that the address names; None where it names none or where no such set is kept."""
    key = str(st.session_state[address.text(KEY)])
    try:
        return _found(key) if key else None
    except FlipsideError as error:
        trouble(str(error))
        return None


def ids(selection: PickedSet | None, benchmark: stored.StoredBenchmark) -> tuple[str, ...] | None:
    """What `FailureFilter.only` takes: None where no set is on; nothing where the set does not fit."""
    if not st.session_state[KEY]:
        return None
    if selection is None or selection.benchmark not in {benchmark.hash, *(part.hash for part in benchmark.parts)}:
        return NOTHING
    return selection.item_ids


def of_its_benchmark(
    wanted: FailureFilter, selection: PickedSet | None, benchmark: stored.StoredBenchmark, model: str
) -> FailureFilter:
    """Where all benchmarks are listed at once: the same on the set's own alone, for an id may occur in several."""
    part = next((part for part in benchmark.parts if selection and part.hash == selection.benchmark), None)
    if part is None or model not in part.runs:
        return wanted
    return replace(wanted, run_id=part.runs[model], also=())


def banner(selection: PickedSet | None, benchmark: stored.StoredBenchmark) -> None:
    """A line that says which set is on, with a button that takes it off; an empty place without one (see `undo`)."""
    with st.container(horizontal=True, vertical_alignment="center", key="fs-picked-set"):
        if not st.session_state[KEY]:
            return
        show(Markup('<p class="fs-set" role="status">{}</p>').format(said(selection, benchmark)))
        st.button(
            "Show all items", icon=":material/close:", key="set-off", on_click=clear, type="tertiary",
            help="Take the picked set off; the filters stay.",
        )  # fmt: skip


def said(selection: PickedSet | None, benchmark: stored.StoredBenchmark) -> Markup:
    """What is on, in words, as safe HTML."""
    if selection is None:
        return Markup(
            "No set of picked items is kept here under “{}”: it was picked in "
            "another cache, or its notes.sqlite is gone. Pick the items again, or show all."
        ).format(str(st.session_state[KEY])[:40])
    n, title = count(len(selection.item_ids), "item"), selection.title
    if ids(selection, benchmark) == NOTHING:
        known = {part.hash: name for name, part in stored.chosen().items()}
        whose = known.get(selection.benchmark, f"a benchmark that has no run here ({selection.benchmark})")
        return Markup("The <b>{}</b> picked ({}) are of {}: choose it in the sidebar, or show all.").format(
            n, title, whose
        )
    return Markup("Only <b>{}</b> picked: {}").format(n, title)


def clear() -> None:
    """Take the set off."""
    st.session_state[KEY] = ""


def _found(key: str) -> PickedSet | None:
    """A kept set, read once: what a key stands for never changes, but an unknown one may become known."""
    kept: dict[str, PickedSet] = _kept()
    if key not in kept:
        found = selections.find(key)
        if found is None:
            return None
        if len(kept) >= 16:
            kept.clear()
        kept[key] = found
    return kept[key]


@st.cache_resource(show_spinner=False)
def _kept() -> dict[str, PickedSet]:
    return {}
