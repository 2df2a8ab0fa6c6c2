"""The stylesheet that the pages on stored results share."""

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.shared.frame.style import sheet, show

CSS = Path(__file__).with_name("explore.css")


def apply() -> None:
    """Load it; called once by each of these pages.

    A dialog stands outside the element on which Streamlit sets the colour scheme, so it is told which one is in use.
    """
    sheet(CSS)
    scheme = "dark" if st.context.theme.type == "dark" else "light"
    show(Markup('<style>[role="dialog"] {{ color-scheme: {}; }}</style>').format(scheme))
