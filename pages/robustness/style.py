"""What Robustness adds to the stylesheet."""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("style.css")


def apply() -> None:
    """Load it; called once by the page."""
    st.html(CSS)
