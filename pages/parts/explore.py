"""The stylesheet that the pages on stored results share."""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("explore.css")


def apply() -> None:
    """Load it; called once by each of these pages."""
    st.html(CSS)
