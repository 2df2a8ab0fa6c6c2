"""The next step: where the page's answer leads, as a button that is a link."""

import hashlib
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared.frame.plain import plain


def next_step(label: str, page: str, icon: str = ":material/arrow_forward:", **where: str | Sequence[str]) -> None:
    """A link that looks like a button, so that it can be opened in a new tab and copied.

    label: what one will do there, as text; page: its folder in pages/; where: the address that it opens with, empty
    values left out.
    """
    _draw("fs-next", label, page, icon, where)


def second_step(label: str, page: str, icon: str = ":material/arrow_forward:", **where: str | Sequence[str]) -> None:
    """The same beside a next step, which alone stands out."""
    _draw("fs-next-second", label, page, icon, where)


def _draw(key: str, label: str, page: str, icon: str, where: Mapping[str, str | Sequence[str]]) -> None:
    wanted = {name: value if isinstance(value, str) else list(value) for name, value in where.items() if value}
    # A link has no key of its own: two with one label and one page are told apart by their addresses.
    own = hashlib.sha256(repr((label, page, sorted(wanted.items()))).encode()).hexdigest()[:8]
    with st.container(key=f"{key}-{own}", width="content"):
        st.page_link(f"pages/{page}/page.py", label=plain(label), icon=icon, query_params=wanted)
