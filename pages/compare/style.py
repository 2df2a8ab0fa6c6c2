"""The stylesheet of Compare and Teach."""

from pathlib import Path

import streamlit as st

from pages.shared.drawing import explore

CSS = Path(__file__).with_name("style.css")


def apply() -> None:
    """Load it, with the one that the pages on stored results share."""
    explore.apply()
    st.html(CSS)
