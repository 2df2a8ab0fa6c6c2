"""The help at the foot of every sidebar: the guided first visit and the glossary."""

import streamlit as st

from pages.glossary import view as glossary
from pages.shared.frame import address
from pages.tour import tour


def draw() -> None:
    """Two quiet buttons; style.css puts them below the page's own filters."""
    with st.sidebar, st.container(key="fs-help"):
        guide = st.button(
            "Guided first visit", icon=":material/explore:", type="tertiary", key="help-tour",
            help="Five clicks through the results that are here, to a failure, its reason and a finding of your own.",
        )  # fmt: skip
        words = st.button(
            "Glossary", icon=":material/menu_book:", type="tertiary", key="help-glossary",
            help="The words of these pages, each with a picture; then every score kind and metric with its formula.",
        )  # fmt: skip
    if guide:
        tour.start()
    address.carry(tour.carried() | glossary.carried())
    glossary.draw(words)
