"""Runs, History: what cannot be read and was left out of everything that is shown, each with its reason."""

from pathlib import Path

import streamlit as st

from backend.live.uploads import trash
from backend.store import queries
from backend.store.exchange import imported
from pages.runs import trash as runs_trash
from pages.runs import view
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain

#: Damaged files that are listed.
MOST = 20


def draw() -> None:
    """What was left out, each with its reason; what lies in this cache can be deleted here."""
    found = lines_of(queries.problems(stored.store()))
    if not found:
        return
    title = f"{count(len(found), 'damaged file')} left out of what is shown"
    with st.expander(title, icon=":material/warning:", expanded=True, key="runs-problems"):
        st.caption(
            "Restore them, or delete them and compute or import them again. A deletion can be undone for 30 days."
        )
        for number, line in enumerate(found[:MOST]):
            folder = imported.deletable(Path(str(line.path)))
            left, right = st.columns([8, 2], vertical_alignment="center")
            left.markdown(plain(hide(f"{view.place(str(line.path))}: {line.reason}")))
            if folder is not None:
                what = "run" if folder.parent.name == "runs" else "benchmark"
                right.button(
                    "Delete", key=f"problem-delete-{number}-{folder.name}", icon=":material/delete:",
                    on_click=runs_trash.delete, args=(trash.discard, what, folder.name, [folder]),
                )  # fmt: skip
        if len(found) > MOST:
            chart_caption(f"… and {len(found) - MOST:,} more; flipside doctor looks at all files.")
