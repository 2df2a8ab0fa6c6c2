"""What is one fold away: controls that few need, tables, methods. A fold stays as it was left for the whole session.

A fold's label and its first state are part of what Streamlit knows it by. Both stay the same, so that nothing in it is
drawn anew while somebody types; what it remembers is put into its state before it is drawn.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.shared.drawing.numbers import listing
from pages.shared.frame import address
from pages.shared.frame.style import show

_OPEN = "_folds_open"
#: Address keys whose own word would not be understood -> what their widgets are called, in a sentence.
NAMED = {
    "of": "benchmarks", "text": "words", "perturbation": "change", "human": "your verdict", "tag": "your tags",
    "note": "your note", "other": "another model", "other_is": "the other model’s verdict", "sort": "order",
    "kind": "score kind", "quad_kind": "score kind", "score": "score kind", "quads": "quads judged by",
    "reason": "certified reason", "judged": "metric", "part": "subset", "hide": "what is left out",
    "more": "more models", "alpha": "α", "prior": "P(t)",
    "weights": "what weighs the same", "parts": "what is drawn", "scale": "scores", "group": "where",
    "broad": "broader terms",
    "norm": "normalisation", "stratum": "foils", "wide": "range of α", "map": "kind of map", "centred": "modality gap",
}  # fmt: skip
#: So many of them are named.
_LISTED = 4


def fold(label: str, key: str, icon: str = "", first: bool = False) -> Any:
    """A box for `with`, folded until it is opened, and then as it was left: on reruns and on coming back to the page.

    Its `.open` says whether it is: what is heavy is drawn only then. key: its own, among all folds of all pages; first:
    whether it is open the first time.
    """
    opened: dict[str, bool] = st.session_state.setdefault(_OPEN, {})
    st.session_state[key] = opened.get(key, st.session_state.get(key, first))
    return st.expander(label, key=key, icon=icon or None, on_change=_remember, args=(key,))


def unfold(key: str) -> None:
    """Open a fold, before it is drawn: what was clicked elsewhere shows in it."""
    st.session_state[_OPEN] = {**st.session_state.get(_OPEN, {}), key: True}


def has_been_opened(key: str) -> bool:
    """Whether a fold is open, or has been in this session: what is heavy and keeps what is typed is drawn from then
    on, for Streamlit forgets a field that is not drawn."""
    return key in st.session_state.get(_OPEN, {}) or bool(st.session_state.get(key))


def _remember(key: str) -> None:
    st.session_state[_OPEN] = {**st.session_state.get(_OPEN, {}), key: bool(st.session_state[key])}


@contextmanager
def more(*names: str, key: str = "") -> Iterator[None]:
    """The fold of the controls that few need: `with st.sidebar, more("subset", "seed"): …`.

    They are drawn whether it is open or not, so that they keep their values. names: the address keys of what is in it;
    those that differ from their defaults are named in a line below, for what cannot be seen must not decide unseen.
    """
    with fold("More", key or f"more-{address.here() or 'page'}", ":material/tune:"):
        yield
    if changed := address.changed_among(names):
        set_under_more(listing([NAMED.get(name, name.replace("_", " ")) for name in changed], _LISTED))


def set_under_more(said: str) -> None:
    """Say below a fold what is set in it, in words; nothing for ""."""
    if said:
        show(Markup('<p class="fs-more-set">Set under More: {}</p>').format(said))
