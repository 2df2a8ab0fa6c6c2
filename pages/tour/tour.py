"""The guided first visit, "find a failure in 60 seconds": a small card in the corner, in the address as `tour=N`.

The browser remembers who has seen it (local storage, see tour.js), so a returning user is not asked again; an
unfinished visit is offered to be gone on with. The sidebar's help starts it again.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from pages.shared.data import stored
from pages.shared.drawing import component, heatmap
from pages.shared.frame import address
from pages.tour.steps import LAST, Step, steps
from pages.tour.target import find

HERE = Path(__file__).parent
KEY = "tour"
#: The step that this session was last led to.
_LED = "tour_led"

_component = component.load("flipside_tour", HERE / "tour.js", html='<div id="tour"></div>')


def at() -> int:
    """The step that the address names; 0 for none."""
    said = str(st.query_params.get(KEY) or "")
    return int(said) if said.isdecimal() and 1 <= int(said[:2]) <= LAST + 1 and len(said) == 1 else 0


def draw(page: str) -> None:
    """The card of this page (its title): a step, or on Overview the offer; nothing where no failure can be found."""
    number = at()
    address.carry({KEY: [str(number)]} if number else {})
    if not number and page != "Overview":
        return
    try:
        target = find() if number else None
        if target is None and (number or not stored.chosen()):
            return
    except FlipsideError:
        return  # the page itself says what is wrong with the results
    if number and list(st.query_params) == [KEY] and st.session_state.get(_LED) != number:
        start(number)  # a bare link, as tour=2: the step's own address makes it whole
    found = steps(target) if target else []
    step = found[number - 1] if found else None
    with st.container(key="fs-tour"):
        result: Any = _component(data=_said(step), key="tour-card", on_act_change=_nothing)
    _act(str(result.act or "") if result is not None else "", number)


def marked(benchmark: stored.StoredBenchmark) -> tuple[str, str]:
    """The heat map's cell that the first step speaks of; none outside of it."""
    target = find() if at() == 1 else None
    return target.cell if target and target.benchmark == benchmark.name else heatmap.NONE


def onward(cell: tuple[str, str]) -> dict[str, str]:
    """What the address carries on where a newcomer clicks the outlined cell instead of the card's button."""
    target = find() if at() == 1 else None
    return {KEY: "2"} if target and target.cell == cell else {}


def start(number: int = 1) -> None:
    """Go to a step."""
    target = find()
    if target is None:
        st.toast("No failure to show yet: score a model on the Runs page first.", icon=":material/info:")
        return
    st.session_state[_LED] = number
    step = steps(target)[number - 1]
    address.go(f"pages/{step.page}/page.py", step.address | {KEY: str(number)})


def _said(step: Step | None) -> dict[str, Any]:
    """What the card shows."""
    if step is None:
        return {"step": 0, "last": LAST}
    return {"step": step.number, "last": LAST, "text": step.text, "button": step.button, "look": step.look,
            "alpha": step.alpha}  # fmt: skip


def _act(said: str, number: int) -> None:
    """What the card's buttons ask for."""
    word, _, which = said.partition(":")
    if word == "go" and which.isdecimal():
        start(min(max(int(which), 1), LAST + 1))
    elif word == "leave" and number:
        address.carry({})
        if KEY in st.query_params:
            del st.query_params[KEY]
        st.rerun()


def _nothing() -> None:
    """A press reruns the page; what was pressed stands in the result."""
