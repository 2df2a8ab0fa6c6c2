"""The page's training: the trainings that there are with their curves, and the form that starts another one."""

import streamlit as st

from backend.errors import FlipsideError
from pages.runs import style as runs_style
from pages.runs import trash as runs_trash
from pages.shared.frame import address
from pages.shared.frame.header import section, trouble
from pages.teach.train import captions, follow, form, needs, style

KEYS: tuple[str, ...] = (*form.KEYS, follow.KEY)


def draw() -> None:
    """What there is, then the form."""
    runs_style.apply()
    style.apply()
    try:
        runs_trash.draw_last()
        there = follow.draw()
        section("Train another" if there else "Train a model", "on this computer, in a process of its own")
        with st.container(key="teach-form"):
            chosen = form.draw()
            made = b""
            if chosen.wish is not None and captions.may_help(chosen.wish.recipe):
                made = captions.draw(chosen.wish)
            needs.draw(chosen, made)
    except FlipsideError as error:
        trouble(str(error))
    address.end()
