"""Teach: what a training fixed and broke, a training from here, and what the losses ask of one quad."""

import streamlit as st

from pages.compare import style
from pages.shared.frame import address, alpha
from pages.shared.frame.header import page_header
from pages.shared.frame.sidebar import choose_benchmark
from pages.teach.changed import view as changed
from pages.teach.train import view as train
from pages.teach.what_if import view as what_if

#: What stands in the address -> what the page calls it, its question, and how to read it.
VIEWS = {
    "changed": (
        "What changed", "What did training fix, and what did it break?",
        "Two checkpoints, item by item: a rising average can hide items that were right before and are wrong now.",
    ),
    "train": (
        "Train a model", "Teach a model what it gets wrong, here",
        "By the losses of two papers or ours; beside it a plain training of equal steps, to tell the two apart.",
    ),
    "what-if": (
        "What a loss asks for", "What does each loss ask of these four scores?",
        "Move a score: the arrows say where each loss would pull it. No model is trained here.",
    ),
}  # fmt: skip
KEYS = ("benchmark", "view", *changed.KEYS, *train.KEYS, *what_if.KEYS)

style.apply()
address.begin(KEYS)
names = list(VIEWS)
shown = st.session_state[address.option("view", names, names[0])]
page_header("Teach", *VIEWS[shown][1:])
if shown == "changed":
    alpha.unused("before and after are judged as scored")
view = st.segmented_control(
    "View", names, key="view", default=address.value("view"), required=True, label_visibility="collapsed",
    format_func=lambda name: VIEWS[name][0],
)  # fmt: skip
if view == "train":
    train.draw()
elif view == "what-if":
    what_if.draw()
elif (benchmark := choose_benchmark(every_model=False)) is not None:
    changed.draw(benchmark)
