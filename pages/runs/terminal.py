"""Runs: the command that a form stands for, one press away."""

from collections.abc import Sequence

import streamlit as st

from backend.live.jobs import jobs
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption


def draw(verb: str, words: Sequence[str], note: str = "") -> None:
    """The command line in a fold. words: what stands after the verb; note: what is true of it."""
    with fold("The same in a terminal", f"runs-terminal-{verb}", ":material/terminal:") as box:
        if not box.open:  # the script that colours code would take 0.3 s of the page's first visit
            return
        st.code(jobs.command_line(verb, words), language="bash", wrap_lines=True)
        if note:
            chart_caption(note)
