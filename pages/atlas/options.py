"""What is drawn on the Atlas: axes, families, what is left out, and the chosen model; all of it in the address."""

from collections.abc import Mapping, Sequence

import streamlit as st

from backend.published.atlas.measures import COMPOSITION, TASKS, measures
from backend.published.atlas.models import FAMILIES
from backend.published.atlas.reading import Atlas
from pages.atlas.correlation import KEYS as CORRELATION_KEYS
from pages.atlas.data import Own
from pages.atlas.view import View
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.fold import more
from pages.shared.frame.tips import kind_name

KEYS = ("x", "y", "families", "hide", "people", "entry", *CORRELATION_KEYS)
#: What can be left out of the plane.
LAYERS = {"front": "Pareto front", "arrows": "base → taught", "stars": "stored here"}
NOBODY = ""
#: Below the switch, where it can do nothing.
NO_PEOPLE = "People answered Winoground only: they stand where both axes are its scores."
_CLICKED = "_atlas_clicked"


def choose(atlas: Atlas, own: Sequence[Own], names: Mapping[str, str]) -> View:
    """The sidebar's choices, and the model that was searched for or clicked. names: of own models."""
    with st.sidebar:
        x = _axis("Across", "x", TASKS)
        y = _axis("Up", "y", COMPOSITION)
        found = _search(atlas, own, names)
        with more("families", "hide", "people"):
            families, hide = _layers(atlas, own, x, y)
    shown = {name: name not in hide for name in LAYERS}
    return View(
        measures()[x], measures()[y], tuple(families), **shown, entry=atlas.place.get(found),
        people=bool(st.session_state["people"]), star=found if found not in atlas.place else NOBODY,
    )  # fmt: skip


def _layers(atlas: Atlas, own: Sequence[Own], x: str, y: str) -> tuple[list[str], list[str]]:
    """(the families that alone are drawn, the layers that are left out); and the switch of people."""
    there = [family for family in FAMILIES if any(e.family == family for e in atlas.entries)]
    families = st.multiselect("Families", there, key=address.options("families", there), placeholder="all")
    hide = st.multiselect(
        "Leave out", list(LAYERS), key=address.options("hide", list(LAYERS)), format_func=LAYERS.__getitem__,
        placeholder="nothing",
    )  # fmt: skip
    people = address.option("people", [False, True], False)
    answered = [each for each in own if each.is_people]
    if answered:
        can_stand = any(_stands(each, x, y) for each in answered)
        st.toggle(
            "Show people", key=people, value=address.value("people"), disabled=not can_stand,
            help="People stand so far from all models that the picture would be theirs.",
        )  # fmt: skip
        if not can_stand:
            st.caption(NO_PEOPLE)
    return families, hide


def _stands(each: Own, x: str, y: str) -> bool:
    """Whether it has both numbers. x, y: keys of measures."""
    return each.of(measures()[x]) is not None and each.of(measures()[y]) is not None


def click(key: str) -> None:
    """Choose the model that was clicked in the plane, for the run that follows; nothing for "", or for what no model
    is called."""
    st.session_state[_CLICKED] = key


def _search(atlas: Atlas, own: Sequence[Own], names: Mapping[str, str]) -> str:
    """The key of the model that was found, of the Atlas or stored here."""
    mine = {each.key: f"{names[each.model]} · {kind_name(each.kind)} · stored here" for each in own}
    listed = [NOBODY, *sorted(atlas.place, key=str.casefold), *sorted(mine, key=lambda key: mine[key].casefold())]
    clicked = st.session_state.pop(_CLICKED, None)
    if clicked in listed:
        st.session_state["entry"] = clicked
    said = {key: f"{atlas.entries[row].name} · {atlas.entries[row].family}" for key, row in atlas.place.items()} | mine
    found = st.selectbox(
        "Find a model", listed, key=address.option("entry", listed, NOBODY), index=address.index("entry"),
        format_func=lambda key: said.get(key, "search, or click a point"),
    )  # fmt: skip
    return found or NOBODY


def _axis(label: str, key: str, default: str) -> str:
    keys = list(measures())
    found = st.selectbox(
        label, keys, key=address.option(key, keys, default), index=address.index(key),
        format_func=_named, help=_help(str(st.session_state[key])),
    )  # fmt: skip
    return found or default


def _named(key: str) -> str:
    """A measure where there is room for some 28 letters, the first of all in whole."""
    return "compositionality, mean of 12" if key == COMPOSITION else measures()[key].title


def _help(key: str) -> str:
    """What is chosen, in whole, for the sidebar cuts long names, and what it is of."""
    measure = measures()[key]
    n = count(measure.items, "item") if measure.items else ""
    of = f" ({told})" if (told := measure.how or n) else ""
    return f"Now {measure.title}{of}. Any of 136 columns or 16 means, in per cent."
