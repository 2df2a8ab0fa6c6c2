"""The stylesheet of all parts (style.css), and the one way to put a part's HTML on a page."""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("style.css")


def apply() -> None:
    """Load the stylesheet; called once, by app.py."""
    st.html(CSS)


def show(html: str) -> None:
    """Draw the HTML of a part. Whatever a user typed has been escaped by the part that made it."""
    st.html(html)
