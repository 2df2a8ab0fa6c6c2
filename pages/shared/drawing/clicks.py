"""Points of a Plotly plane as buttons: which one was just clicked, in a plane that is dragged for lassos."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.drawing import component

_component = component.load(
    "flipside_plane_clicks", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)


def listen(charts: Sequence[str], key: str) -> tuple[str, str] | None:
    """(the chart, the first entry of the point's `customdata`) of the point that was just clicked. charts: keys of
    `st.plotly_chart`."""
    with st.container(key=f"fs-listener-{key}"):
        result: Any = _component(
            data={"charts": {class_of(chart): chart for chart in charts}}, key=key, height=0,
            on_opened_change=lambda: None,
        )  # fmt: skip
    return parsed(result.opened if result is not None else None)


def class_of(key: str) -> str:
    """The CSS class of the element that Streamlit draws under a key.

    >>> class_of("plane-bundled:clip-itc-all")
    'st-key-plane-bundled-clip-itc-all'
    """
    return f"st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key.strip())}"


def parsed(said: str | None) -> tuple[str, str] | None:
    """What the component sends; None for nothing.

    >>> parsed("plane\\ta/1"), parsed(None)
    (('plane', 'a/1'), None)
    """
    chart, tab, item_id = str(said or "").partition("\t")
    return (chart, item_id) if tab and item_id else None
