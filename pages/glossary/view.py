"""The glossary as a drawer beside the page: words with their pictures, filtered as one types; formulas after them."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from pages.glossary import pictures
from pages.glossary.words import BY_KEY, WORDS, Word, found
from pages.shared.data import stored
from pages.shared.drawing import component
from pages.shared.frame import address
from pages.shared.frame.style import checked
from pages.shared.help import glossary

HERE = Path(__file__).parent
#: Its name in addresses: `?glossary=quad`, or `?glossary=all` for the first word.
KEY, ALL = "glossary", "all"
#: Whether this session's drawer is open, and the word that it was opened at.
_OPEN = "_glossary_open"

_component = component.load(
    "flipside_glossary", HERE / "glossary.js", html='<div class="gl"></div>', isolate_styles=False
)


def asked() -> str | None:
    """The word that the address names, ALL for an unknown one; None where it names none."""
    said = st.query_params.get(KEY)
    return None if not said else found(str(said)[:60]) or ALL


def draw(pressed: bool) -> None:
    """Open the drawer where its button was pressed or the address names a word. Called before the page is drawn."""
    word = asked()
    if pressed:
        st.session_state[_OPEN] = ALL
    elif word:
        st.session_state[_OPEN] = word
    if st.session_state.get(_OPEN):
        _drawer()


def carried() -> dict[str, list[str]]:
    """What the address carries while the drawer is open by its address."""
    word = asked()
    return {KEY: [word]} if word else {}


def _closed() -> None:
    st.session_state.pop(_OPEN, None)
    if KEY in st.query_params:
        del st.query_params[KEY]


@st.dialog("Glossary", width="medium", position="right", on_dismiss=_closed)
def _drawer() -> None:
    opened = str(st.session_state.get(_OPEN) or ALL)
    result: Any = _component(data=view(opened), key="glossary-words", on_go_change=lambda: None)
    went = BY_KEY.get(str(result.go or "")) if result is not None else None
    if went:
        _closed()
        address.go(f"pages/{went.seen[1]}/page.py", dict(went.where))


def view(opened: str) -> dict[str, object]:
    """What the component draws. opened: the key of the word that is scrolled to."""
    drawn = _drawn()
    return {
        "open": opened if opened in BY_KEY else "",
        "words": [{"key": w.key, "name": w.name, "also": w.also, "html": drawn[w.key]} for w in WORDS],
        "formulas": _formulas(),
    }


@stored.kept("Looking for items that show the words …")
def _drawn() -> dict[str, str]:
    """Key -> the word's HTML, for one generation of the results."""
    return {word.key: checked(html(word)) for word in WORDS}


def html(word: Word) -> Markup:
    """One word: what it means, its picture, the formula folded, and where it is seen at work."""
    try:
        drawn = pictures.of(word.picture)
    except FlipsideError:  # a result that cannot be read is said by the pages that need it
        drawn = Markup()
    said, page = word.seen
    link = f"{'.' if page == 'overview' else page.replace('_', '-')}{'?' + urlencode(word.where) if word.where else ''}"
    figure = Markup('<figure class="gl-picture">{}</figure>').format(drawn) if drawn else Markup("<span></span>")
    return Markup(
        '{}<div class="gl-said"><p class="gl-meaning">{}</p><p class="gl-next"><a data-go="{}" href="{}">{} →</a></p>'
        "<details><summary>Formula and source</summary><code>{}</code><small>{}</small></details></div>"
    ).format(figure, word.meaning, word.key, link, said, word.formula, word.source)


def _formulas() -> list[dict[str, object]]:
    """Every score kind, metric, cell and reason with its formula, by part."""
    return [
        {"part": part, "rows": [checked(glossary.row(*entry)) for entry in of]}
        for part, of in glossary.entries().items()
    ]
