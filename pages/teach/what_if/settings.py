"""What one can change in the what-if, kept in the address: the scores, and how the losses take them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Final, TypeGuard

import streamlit as st

from pages.shared.frame import address
from pages.shared.frame.header import trouble
from pages.teach.what_if.presets import BOUNDS, UNITS, Scores, Start, read_scores, write_scores

#: Default margin m and step, in the unit of the raw score: those with which `binding` trains, and a tenth of them.
MARGINS: Final = {"itc": 0.05, "itm": 1.0}
STEPS: Final = {"itc": 0.005, "itm": 0.1}
#: The losses of losses.js, and how EqSim brings scores between 0 and 1 there.
LOSSES: Final = ("retrieval", "v1", "v2", "both", "negatives", "binding")
NORMS: Final = ("none", "sigmoid", "batch")
#: EqSim's β and α that recipes begin with, and how many steps are taken.
BETA, ALPHA, MANY = 0.5, 0.0, 40
#: Key in the address -> (field, lowest, highest) of the numbers; margin and step in units of their defaults.
NUMBERS: Final = {
    "quad_margin": ("margin", 0.0, 10.0), "quad_scale": ("scale", 0.1, 1000.0), "quad_alpha": ("alpha", 0.0, 100.0),
    "quad_beta": ("beta", 0.0, 10.0), "quad_step": ("length", 0.02, 20.0), "quad_steps": ("steps", 1.0, 200.0),
}  # fmt: skip
KEYS: Final = ("quad", "quad_loss", "quad_sum", "quad_norm", *NUMBERS)
_STATE: Final = "_what_if"


@dataclass(frozen=True)
class Settings:
    """scores: as edited. loss: whose pull is drawn; together: whether each loss is added to the retrieval loss.
    norm, alpha, beta: EqSim's normalisation, hinge and weight. margin: binding's m; length: how far a step goes, both
    in the unit of the score. scale: the logit scale of cosines. steps: how many."""

    scores: Scores
    loss: str
    together: bool
    norm: str
    margin: float
    scale: float
    alpha: float
    beta: float
    length: float
    steps: int

    def document(self) -> dict[str, Any]:
        """For the browser."""
        return asdict(self) | {"scores": list(self.scores)}


def default(start: Start) -> Settings:
    """What stands where the address says nothing: the theorem's case, scores as they are."""
    kind = start.kind
    return Settings(
        start.scores, "both", False, "none", MARGINS[kind], round(start.scale, 4), ALPHA, BETA, STEPS[kind], MANY
    )


def bounds(field: str, kind: str) -> tuple[float, float]:
    """The lowest and the highest value of a number.

    >>> bounds("margin", "itc"), bounds("length", "itm"), bounds("steps", "itc")
    ((0.0, 0.5), (0.002, 2.0), (1.0, 200.0))
    """
    low, high = next(ends for name, *ends in NUMBERS.values() if name == field)
    unit = {"margin": MARGINS[kind], "length": STEPS[kind]}.get(field, 1.0)
    return round(unit * low, 6), round(unit * high, 6)


def read(start: Start) -> tuple[Settings, int]:
    """(what the address and the session say, its version). The version rises where the browser has to take over what
    it did not set itself: on a link, and where another quad is begun with, whose scores and scale then hold."""
    state, first = st.session_state, default(start)
    held: dict[str, Any] = state.setdefault(_STATE, {"base": "", "version": 0})
    is_link = any(address.asked(key) for key in KEYS) or not all(key in state for key in KEYS)
    if held["base"] != start.key:
        same_kind = held["base"].endswith(f" {start.kind}")
        for key in ("quad", "quad_scale", *(() if same_kind else ("quad_margin", "quad_step"))):
            if not address.asked(key):
                state.pop(key, None)
    if held["base"] != start.key or is_link:
        state[_STATE] = held = {"base": start.key, "version": held["version"] + 1}
    said = str(state[address.text("quad")])
    scores = read_scores(said, start.kind) if said else start.scores
    if scores is None:
        low, high = BOUNDS[start.kind]
        trouble(
            f"The link's quad “{said[:60]}” is not four numbers from {low:g} to {high:g} ({UNITS[start.kind]}) with "
            "commas between them: what is shown are the scores that it began with."
        )
        state["quad"], scores = "", start.scores
    numbers = {}
    for key, (field, *_) in NUMBERS.items():
        numbers[field] = state[address.number(key, *bounds(field, start.kind), getattr(first, field))]
    return Settings(
        scores, str(state[address.option("quad_loss", LOSSES, first.loss)]),
        state[address.option("quad_sum", ("alone", "added"), "alone")] == "added",
        str(state[address.option("quad_norm", NORMS, first.norm)]), **numbers,
    ), held["version"]  # fmt: skip


def note(settings: Settings, start: Start) -> None:
    """Put what the browser has changed into the address."""
    first = default(start)
    same = settings.scores == start.scores
    address.note("quad", "" if same else write_scores(settings.scores), "")
    address.note("quad_loss", settings.loss, first.loss)
    address.note("quad_sum", "added" if settings.together else "alone", "alone")
    address.note("quad_norm", settings.norm, first.norm)
    for key, (field, *_) in NUMBERS.items():
        address.note(key, getattr(settings, field), getattr(first, field))


def from_browser(said: object, before: Settings, start: Start, version: int) -> Settings:
    """What the browser tells, inside its bounds; `before` where that is older than what it was last given, or nothing
    that a browser of ours says."""
    if not isinstance(said, Mapping) or said.get("version") != version:
        return before
    scores = said.get("scores")
    listed = scores if isinstance(scores, list | tuple) and len(scores) == 4 else None
    if listed is None or not all(map(_is_number, listed)):
        return before
    taken = read_scores(",".join(repr(float(value)) for value in listed), start.kind)
    numbers: dict[str, Any] = {}
    for field, *_ in NUMBERS.values():
        value = said.get(field)
        if not _is_number(value):
            return before
        low, high = bounds(field, start.kind)
        numbers[field] = type(getattr(before, field))(min(max(float(value), low), high))
    if taken is None or said.get("loss") not in LOSSES or said.get("norm") not in NORMS:
        return before
    return Settings(taken, str(said["loss"]), said.get("together") is True, str(said["norm"]), **numbers)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
