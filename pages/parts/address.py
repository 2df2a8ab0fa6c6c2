"""The state of a page in its address, so that a link reopens it.

Streamlit's own binding writes the label of an option, counts and all; here the plain value is written. A page calls
`begin`, draws its widgets through `one`, `many` and `words`, and calls `end`. An unknown value in an address is
ignored.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
_LINK, _DEFAULTS, _WRITTEN = "_address_link", "_address_defaults", "_address_written"
_CARRIED = "_address_carried"


def begin(keys: Sequence[str]) -> None:
    """Take over a link: where the address is not the one that was written last, its values replace all others.

    An empty address says nothing: what was chosen in this session stays, also on coming back from another page.
    """
    now = _now()
    st.session_state[_DEFAULTS] = {}
    if now and now != st.session_state.get(_WRITTEN):
        for key in keys:
            st.session_state.pop(key, None)
        st.session_state[_LINK] = now


def one(key: str, options: Sequence[T], default: T) -> str:
    """Before a widget with one of some options: puts its value in place. Returns the key."""
    return _place(key, options, default, lambda said: next((o for o in options if str(o) == said[0]), default))


def many(key: str, options: Sequence[T]) -> str:
    """Before a widget with several of some options."""
    found = _pending(key)
    if found is not None:
        st.session_state[key] = [o for o in options if str(o) in found]
    kept = [value for value in st.session_state.get(key) or [] if value in options]
    if kept != st.session_state.get(key):
        st.session_state[key] = kept
    st.session_state[_DEFAULTS][key] = []
    return key


def words(key: str, default: str = "") -> str:
    """Before a text field."""
    found = _pending(key)
    if found is not None:
        st.session_state[key] = found[0][:200]
    st.session_state.setdefault(key, default)
    st.session_state[_DEFAULTS][key] = default
    return key


def numbers(key: str, low: float, high: float, default: Any) -> str:
    """Before a slider or a number field: a number, or a pair of them, inside bounds."""
    found = _pending(key)
    if found is not None:
        try:
            read = [min(max(float(text), low), high) for text in found]
        except ValueError:
            read = []
        if isinstance(default, tuple) and len(read) == 2 and read[0] <= read[1]:
            st.session_state[key] = (read[0], read[1])
        elif not isinstance(default, tuple) and len(read) == 1 and read[0] == read[0]:
            st.session_state[key] = type(default)(read[0])
    value = st.session_state.get(key, default)
    inside = all(low <= v <= high for v in (value if isinstance(value, tuple) else (value,)))
    st.session_state[key] = value if inside else default
    st.session_state[_DEFAULTS][key] = default
    return key


def count(key: str) -> int:
    """A count from 1 that a link names; 1 where it names none."""
    found = _pending(key)
    return max(1, int(found[0])) if found and found[0].isdecimal() and len(found[0]) < 7 else 1


def end() -> None:
    """Write what differs from the defaults; called last."""
    st.session_state.pop(_LINK, None)
    wanted = {}
    for key, default in st.session_state[_DEFAULTS].items():
        value = st.session_state.get(key, default)
        if value is not None and value != default:
            wanted[key] = [str(v) for v in value] if isinstance(value, list | tuple) else [str(value)]
    wanted |= st.session_state.get(_CARRIED, {})
    if wanted != _now():
        st.query_params.from_dict(wanted)
    st.session_state[_WRITTEN] = wanted


def note(key: str, value: Any, default: Any) -> None:
    """A value that no widget of Streamlit's own holds."""
    st.session_state[key] = value
    st.session_state[_DEFAULTS][key] = default


def carry(more: dict[str, list[str]]) -> None:
    """What stays in the address beside the page's own state, on this page and run: the step of a guided visit."""
    st.session_state[_CARRIED] = more


def current() -> dict[str, list[str]]:
    """What the address says now, to be kept under a name."""
    return _now()


def link(state: dict[str, list[str]]) -> None:
    """Go to a kept address of this page; in a callback, before the page runs again."""
    st.query_params.from_dict(state)
    st.session_state[_WRITTEN] = None


def _now() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def _pending(key: str) -> list[str] | None:
    found: list[str] | None = st.session_state.get(_LINK, {}).pop(key, None)
    return found or None


def _place(key: str, options: Sequence[T], default: T, parse: Any) -> str:
    found = _pending(key)
    if found is not None:
        st.session_state[key] = parse(found)
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    st.session_state[_DEFAULTS][key] = default
    return key
