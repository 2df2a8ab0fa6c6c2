"""The help at the foot of every sidebar: the guided first visit and the glossary."""

import streamlit as st

from pages.shared.frame import glossary
from pages.tour import tour


def draw() -> None:
    """Two quiet buttons; style.css puts them below the page's own filters."""
    with st.sidebar, st.container(key="fs-help"):
        guide = st.button(
            "Guided first visit", icon=":material/explore:", type="tertiary", key="help-tour",
            help="Find a failure in 60 seconds: five steps through the results that are here.",
        )  # fmt: skip
        words = st.button(
            "Glossary", icon=":material/menu_book:", type="tertiary", key="help-glossary",
            help="Every score kind and metric with its formula and paper.",
        )  # fmt: skip
    if guide:
        tour.start()
    if words:
        glossary.dialog()
