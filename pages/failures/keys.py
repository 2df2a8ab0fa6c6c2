"""Failures by keyboard: what each key does, and the small help that says so."""

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.shared.drawing import component
from pages.shared.frame.style import show

#: What stands in the help. The arrows and Enter are heard by the gallery and the dialog, the letters here.
KEYS = (
    ("Tab", "from control to control; Shift Tab back"),
    ("G", "into the gallery; then ← → ↑ ↓ from card to card"),
    ("Enter", "open the card"),
    ("← →", "in an open item: the one before, the next"),
    ("T", "tag the item"),
    ("N", "write a note on it"),
    ("E", "export what is filtered"),
    ("/", "search words in captions"),
    ("Esc", "close"),
    ("?", "this help"),
)

_component = component.load(
    "flipside_failures_keys", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)


def html() -> Markup:
    """The keys and what they do.

    >>> "<kbd>T</kbd>" in html()
    True
    """
    rows = Markup().join(Markup("<dt><kbd>{}</kbd></dt><dd>{}</dd>").format(key, what) for key, what in KEYS)
    return Markup('<dl class="fs-keys">{}</dl>').format(rows)


def draw() -> None:
    """The help, and the listener itself."""
    with st.popover("?", key="keys", help="What the keys do"):
        show(html())
    with st.container(key="fs-key-listener"):
        _component(key="failures-keys", height=0)
