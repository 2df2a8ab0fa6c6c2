"""The stylesheet that the pages on stored results share."""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("explore.css")


def apply() -> None:
    """Load it; called once by each of these pages.

    A dialog stands outside the element on which Streamlit sets the colour scheme, so it is told which one is in use.
    """
    st.html(CSS)
    scheme = "dark" if st.context.theme.type == "dark" else "light"
    st.html(f'<style>[role="dialog"] {{ color-scheme: {scheme}; }}</style>')
