"""Runs, History: in place of a run in full, that the one which is asked for is not here, and its way back."""

import re
from pathlib import PurePosixPath

import streamlit as st
from markupsafe import Markup

from backend.live.uploads import trash
from backend.store.build.sources import SUFFIX
from backend.store.exchange import imported
from pages.runs import trash as runs_trash
from pages.runs import view
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show

#: The address's key of the run that is shown in full.
KEY = "run"
_ID = re.compile(rf"[0-9a-f]{{16}}(?:{SUFFIX})?")


def asked() -> str:
    """The run that the link asks for, else the one that this session looks at; "" for none."""
    said = next(iter(address.asked(KEY)), "") or st.session_state.get(KEY, "")
    return said[: address.LONGEST] if isinstance(said, str) else ""


def delete(run_id: str, title: str) -> None:
    """A button's callback: the run goes, and stays the one that is asked for, so that no other takes its place under a
    second press."""
    st.session_state[KEY] = run_id
    runs_trash.delete(trash.discard_run, run_id, title)


def draw(run_id: str) -> None:
    """That it is not here, why as far as that can be told, and what brings it back. No other run is shown instead."""
    entry = deleted(run_id)
    if entry is not None:
        head = f"{entry.title}: deleted"
        said = f"{view.when(entry.made)}; kept for {trash.KEPT} days, then removed for good"
    elif _ID.fullmatch(run_id) and imported.locate(run_id) is not None:
        head = "This run is not shown yet"
        said = "its files are here, but have not been read, or cannot be; what is damaged is named on this page"
    else:
        head = "This run is not here"
        said = "it was removed for good, or was never in this cache: a link from another machine, say"
    show(
        Markup(
            '<div class="runs-one" role="status"><p class="fs-eyebrow">The run that is asked for</p><h3>{}</h3>'
            "<p><small>run {}: {}</small></p></div>"
        ).format(head, run_id[:60], said)
    )
    if entry is not None:
        st.button(
            "Put it back", key=f"gone-undo-{entry.key}", type="primary", icon=":material/undo:",
            on_click=runs_trash.restore, args=(entry.key,),
        )  # fmt: skip
    chart_caption("Press a cell of the matrix, or a row of the list, to see another run.")


def deleted(run_id: str) -> trash.Discarded | None:
    """What was deleted of a run and can be put back; the latest where it was deleted twice."""
    for entry in trash.listing():
        for path in map(PurePosixPath, entry.paths if entry.what == "run" else ()):
            # A run of an id that nothing else had is shown without the suffix, wherever it came from.
            if path.name == run_id or (path.name == run_id.removesuffix(SUFFIX) and path.parts[0] == "imported"):
                return entry
    return None
