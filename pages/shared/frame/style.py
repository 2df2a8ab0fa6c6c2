"""The stylesheet of all parts (style.css), and the one way to put a part's HTML on a page."""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("style.css")


#: Places before the stylesheet for what a callback draws.
SPARE = 4


def apply() -> None:
    """Load the stylesheet; called once, by app.py.

    Style sheets, toasts and dialogs stand one after another in a container of Streamlit's ("event"). What a callback
    draws there goes to its first places; where only a fragment runs, nothing puts back what stood in them.
    """
    for _ in range(SPARE):
        st.html("<style></style>")
    st.html(CSS)


def show(html: str) -> None:
    """Draw the HTML of a part. Whatever a user typed has been escaped by the part that made it."""
    st.html(html)
