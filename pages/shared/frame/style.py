"""The stylesheet of all parts (style.css), and the one door by which HTML of ours reaches a page.

HTML is `markupsafe.Markup`: `Markup("<b>{}</b>").format(name)` escapes what it is given, unless that is Markup itself.
The door takes nothing else, so a text that nobody has escaped is refused instead of drawn.
"""

from pathlib import Path
from typing import Literal

import streamlit as st
from markupsafe import Markup

CSS = Path(__file__).with_name("style.css")


#: Places before the stylesheet for what a callback draws.
SPARE = 4


def apply() -> None:
    """Load the stylesheet; called once, by app.py.

    Style sheets, toasts and dialogs stand one after another in a container of Streamlit's ("event"). What a callback
    draws there goes to its first places; where only a fragment runs, nothing puts back what stood in them.

    Dialogs and popovers stand outside the element on which Streamlit sets the colour scheme, so the whole document is
    told which one is in use, on every page; paper stays white.
    """
    for _ in range(SPARE):
        st.html("<style></style>")
    sheet(CSS)
    show(Markup("<style>@media screen {{ :root {{ color-scheme: {}; }} }}</style>").format(scheme()))


def scheme() -> Literal["light", "dark"]:
    """That of the browser's theme, as it was when this run was asked for."""
    return "dark" if st.context.theme.type == "dark" else "light"


def sheet(path: Path) -> None:
    """Load a stylesheet of ours from its file."""
    st.html(path)


def inline(*paths: Path) -> Markup:
    """Stylesheets of ours one after another, for the <style> of a file that stands alone."""
    return Markup().join(Markup(path.read_text(encoding="utf-8")) for path in paths)  # noqa: S704 - our own files


def show(html: Markup, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw the HTML of a part. width: in a row, all that is left or what it takes. Raises TypeError for a text that is
    no Markup."""
    st.html(checked(html), width=width)


def checked(html: Markup) -> str:
    """HTML for the data of a component that sets it as it is (gallery, steps, violins).

    >>> checked(Markup("<b>{}</b>").format("<i>"))
    '<b>&lt;i&gt;</b>'
    >>> checked("<b>")
    Traceback (most recent call last):
    ...
    TypeError: HTML has to be markupsafe.Markup, made as Markup("<b>{}</b>").format(text); this is str: '<b>'
    """
    if not isinstance(html, Markup):
        raise TypeError(
            f'HTML has to be markupsafe.Markup, made as Markup("<b>{{}}</b>").format(text); this is '
            f"{type(html).__name__}: {str(html)[:60]!r}"
        )
    return str(html)
