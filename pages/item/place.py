"""Which item is open, in the address: walking on replaces it there, so that Back closes the item and does not walk."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.shared.drawing import component
from pages.shared.frame import address

_component = component.load(
    "flipside_item_place", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)
_HELD = "_item_place"


@dataclass(frozen=True)
class Place:
    """Where a page's address names the item that is open. key: the address key; before: what stands before its id."""

    key: str
    before: str = ""


def hold(place: Place | None) -> None:
    """Whose address it is in the dialog that is opened now; None: the page's address names no item."""
    st.session_state[_HELD] = place


def held() -> Place | None:
    """The place of the open dialog."""
    found: Place | None = st.session_state.get(_HELD)
    return found


def moved(item_id: str) -> None:
    """Another item is open now; in the dialog's own run, or a callback of it."""
    if (place := held()) and st.session_state.get(place.key) != place.before + item_id:
        address.replaced(place.key, place.before + item_id)


def draw(item_id: str) -> None:
    """Put the open item into the browser's address."""
    if place := held():
        with st.container(key="fs-listener-place"):
            _component(data={"key": place.key, "value": place.before + item_id}, key="item-place", height=0)


def closed() -> None:
    """The dialog was closed: the address names no item any more."""
    if place := held():
        st.session_state[place.key] = ""
