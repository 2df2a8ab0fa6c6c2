"""Paste a picture from the clipboard: a listener for Ctrl + V on the whole page, and the line that says so."""

import binascii
from base64 import b64decode
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from backend.live.uploads.uploads import MAX_BYTES
from pages.shared.drawing import component

HERE = Path(__file__).parent
KEY = "try-paste"

_component = component.load(
    "flipside_paste", HERE / "paste.js", html='<p class="fs-paste" aria-live="polite"></p>', isolate_styles=False
)


def draw(add: Callable[[Sequence[tuple[bytes, str]]], None]) -> None:
    """Listen. add: takes the pasted files, each as bytes and a name, before the page runs again."""

    def pasted() -> None:
        sent = st.session_state[KEY].get("pasted")
        if sent:
            add(files(sent))

    _component(data={"most": MAX_BYTES}, key=KEY, on_pasted_change=pasted)


def files(sent: object) -> list[tuple[bytes, str]]:
    """The pictures in what the browser sent: a list of {"name", "data": base64}. What is no such thing is left out.

    >>> files([{"name": "a.png", "data": "aGk="}, {"name": "b.png", "data": "?"}, 3])
    [(b'hi', 'a.png')]
    """
    found = []
    for each in sent if isinstance(sent, list | tuple) else []:
        try:
            found.append((b64decode(each["data"], validate=True), str(each["name"])))
        except (TypeError, KeyError, ValueError, binascii.Error):
            continue
    return found
