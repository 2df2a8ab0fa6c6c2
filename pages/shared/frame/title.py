"""What a browser's tab, history and bookmarks call a page: "Overview · Flipside", "clip · Model · Flipside".

The title stands until another page begins or the page speaks of something else, so that no run, of a click say, changes
it for a moment. It is text: a browser shows it as it is.
"""

from typing import Final

import streamlit as st

from pages.shared.drawing.numbers import shortened
from pages.shared.frame.hidden import hide

#: What all pages have in common, and what is said before any has begun.
OURS: Final = "Flipside"
#: Letters of a name; with what stands behind it a title is some sixty.
LONGEST: Final = 40
#: Of a session: the page that began last, and the title that it has.
_PAGE, _SAID = "_title_page", "_title"


def now() -> str:
    """What was said last. Streamlit asks for a title at the beginning of each run, before it knows the page."""
    return str(st.session_state.get(_SAID, OURS))


def begin(page: str) -> None:
    """A page (as the sidebar calls it) runs: where it is another one than before, its title is its own."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        name("")


def name(of: str) -> None:
    """What the page that runs speaks of, a model's or an item's name; "" for nothing that has one."""
    said = written(of, str(st.session_state.get(_PAGE, "")))
    if said != now():
        st.session_state[_SAID] = said
        st.set_page_config(page_title=said)


def written(of: str, page: str) -> str:
    """The title: on one line, a long name without its middle.

    >>> written("", "Overview"), written("clip", "Model")
    ('Overview · Flipside', 'clip · Model · Flipside')
    >>> written("<b>a\\n b</b>", "Item"), len(written("x" * 900, "Item"))
    ('<b>a b</b> · Item · Flipside', 58)
    """
    of = shortened(" ".join(hide(of).split()), LONGEST)
    return " · ".join(filter(None, (of, page, OURS)))
