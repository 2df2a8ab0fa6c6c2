"""The guided first visit, five clicks to a finding of one's own: a card in the corner, in the address as `tour=N`.

The browser remembers who has seen it (local storage, see tour.js), so who declined is not asked again; an unfinished
visit is offered to be gone on with. The sidebar's help starts it again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from backend.errors import FlipsideError
from pages.shared.data import stored
from pages.shared.drawing import component, heatmap
from pages.shared.frame import address
from pages.tour import own, steps
from pages.tour.steps import CLICKS, LAST, PAGES, Step
from pages.tour.target import find

HERE = Path(__file__).parent
KEY = "tour"
#: The step that this session was last led to.
_LED = "tour_led"
#: Of what a browser says that it remembers: no address of ours is longer.
_LONGEST = 2000

_component = component.load("flipside_tour", HERE / "tour.js", html='<div id="tour"></div>')


def at() -> int:
    """The step that the address names, the last one for the numbers of former visits; 0 for none."""
    said = str(st.query_params.get(KEY) or "")
    return min(int(said), LAST) if said in ("1", "2", "3", "4", "5", "6") else 0


def carried() -> dict[str, list[str]]:
    """What the address carries while a step is shown."""
    return {KEY: [str(at())]} if at() else {}


def draw(page: str) -> None:
    """The card of this page (its title): a step, or on Overview the offer; nothing where no failure can be found."""
    number = at()
    if not number and page != PAGES[1][0]:
        return
    try:
        if not stored.chosen() or (number and find() is None):
            return
        if number and _is_elsewhere(page, number):
            start(number)
        step = _step(number) if number else None
    except FlipsideError:
        return  # the page itself says what is wrong with the results
    with st.container(key="fs-tour"):
        result: Any = _component(data=_said(step), key="tour-card", on_act_change=_nothing)
    _act(str(result.act or "") if result is not None else "", number)


def _is_elsewhere(page: str, number: int) -> bool:
    """Whether the address names the step alone, or belongs to another page or to an item that is not here."""
    if st.session_state.get(_LED) == number and page == PAGES[number][0]:
        return False
    bare = list(st.query_params) == [KEY]
    return bare or page != PAGES[number][0] or (number > 2 and own.of_address() is None)


def _step(number: int) -> Step | None:
    target = find()
    if number == 1 and target:
        return steps.cell(target)
    if number == 2:
        return steps.card()
    mine = own.of_address()
    if mine is None:
        return None
    return steps.model(own.choices(mine)) if number == 3 else steps.finding(*own.finding(mine))


def marked(benchmark: stored.StoredBenchmark) -> tuple[str, str]:
    """The heat map's cell that the first step speaks of; none outside of it."""
    target = find() if at() == 1 else None
    return target.cell if target and target.benchmark == benchmark.name else heatmap.NONE


def onward(cell: tuple[str, str]) -> dict[str, str]:
    """What the address carries on where a visitor clicks a cell, the outlined one or another."""
    return {KEY: "2"} if cell != heatmap.NONE and at() == 1 else {}


def start(number: int = 1) -> None:
    """Go to a step where nothing of one's own has been chosen."""
    target = find()
    if target is None:
        st.toast("No failure to show yet: score a model on the Runs page first.", icon=":material/info:")
        return
    _go(number, steps.where(target, number))


def _go(number: int, where: Mapping[str, str | list[str]]) -> None:
    st.session_state[_LED] = number
    address.go(f"pages/{PAGES[number][1]}/page.py", {**where, KEY: str(number)})


def _said(step: Step | None) -> dict[str, Any]:
    """What the card shows."""
    if step is None:
        return {"step": 0, "last": LAST, "clicks": CLICKS}
    return {
        "step": step.number, "last": LAST, "clicks": CLICKS, "text": step.text, "button": step.button,
        "look": step.look, "clear": step.clear, "pick": step.pick, "choices": list(step.choices), "said": step.said,
        "about": step.about, "link": step.link,
    }  # fmt: skip


def _act(said: str, number: int) -> None:
    """What was pressed: `go:N`, `to:N:ADDRESS` that the browser remembers, `item:CARD`, `model:MODEL⇥KIND`,
    `next`, `leave`."""
    word, _, rest = said.partition(":")
    if word == "go" and rest.isdecimal():
        start(min(max(int(rest), 1), LAST))
    elif word == "to":
        which, _, query = rest.partition(":")
        kept = {k: v for k, v in parse_qs(query[:_LONGEST].removeprefix("?")).items() if k != KEY}
        if which in ("1", "2", "3", "4"):
            _go(int(which), kept) if kept else start(int(which))
    elif word == "item" and (mine := own.of_card(rest)):
        _go(3, mine.where())
    elif word == "model" and (mine := own.of_address()):
        model, _, kind = rest.partition("\t")
        _go(4, mine.where(model=model, kind=kind))
    elif word == "next":
        address.go("pages/try_it/page.py", {})
    elif word == "leave" and number:
        address.carry({})
        if KEY in st.query_params:
            del st.query_params[KEY]
        st.rerun()


def _nothing() -> None:
    """A press reruns the page; what was pressed stands in the result."""
