"""What each loss asks of one quad: its value and gradient, and where steps on four free scores lead."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st

from backend.metrics.reasons.names import NAMES
from backend.metrics.reasons.quads import QUAD_CELLS, decompose
from backend.written import score
from pages.shared.drawing import component, finding
from pages.shared.frame import address
from pages.shared.frame.fold import fold, more
from pages.shared.frame.header import chart_caption, seen
from pages.teach.what_if import settings as settings_
from pages.teach.what_if import stored_quads
from pages.teach.what_if.presets import BEGINNINGS, BOUNDS, STORED, UNITS, Start, made_up
from pages.teach.what_if.settings import Settings
from pages.teach.what_if.words import ABOUT, LOOKS, READ, about_scale, units

HERE: Final = Path(__file__).parent
KEYS: Final = ("quad_from", "quad_kind", "item", "model", "kind", *settings_.KEYS)
_component = component.load("flipside_what_if", HERE / "what_if.js", html='<div id="what-if"></div>')


def draw() -> None:
    """Where to begin, and the picture."""
    if address.asked("item") and not address.asked("quad_from"):
        address.imply("quad_from", STORED)
    found = _begin()
    if found is None:
        address.end()
        return
    start, item = found
    before, version = settings_.read(start)

    @st.fragment
    def picture() -> None:
        """The picture; only this part reruns when something in it is let go."""
        result: Any = _component(
            data=view(start, before, version), key="what-if", default={"at": None}, on_at_change=lambda: None
        )
        now = settings_.from_browser(result.at, before, start, version)
        settings_.note(now, start)
        with st.container(horizontal=True, vertical_alignment="center", key="what-if-said"):
            chart_caption(f"{READ} Scores, γ, c, r: {UNITS[start.kind]}.")
            finding.draw(said(start, now), "what-if", name="flipside-what-if", link=_link(start, item))
            if item:
                st.page_link(
                    "pages/item/page.py", label="This item in full", icon=":material/open_in_new:", query_params=item
                )
        with fold("What this is, and what it is not", "what-if-about", ":material/info:") as box:
            if box.open:
                chart_caption(f"{units(UNITS[start.kind])} {ABOUT} {about_scale(start)}")
        address.end()

    seen(start.title)
    picture()


def _begin() -> tuple[Start, dict[str, str]] | None:
    """The quad to begin with, and the address of its item where it is one."""
    names, kinds = list(BEGINNINGS), list(UNITS)
    begun = st.segmented_control(
        "Begin with a quad that is", names, key=address.option("quad_from", names, "outvoted_by_image"),
        default=address.value("quad_from"), required=True, format_func=BEGINNINGS.__getitem__, wrap=True,
        persist_state="session", help="Made-up scores with this reason, or a quad that a model has scored.",
    )  # fmt: skip
    if begun == STORED:
        return stored_quads.choose()
    with st.sidebar, more("quad_kind", key="more-what-if"):
        kind = st.segmented_control(
            "Scores", kinds, key=address.option("quad_kind", kinds, "itc"), default=address.value("quad_kind"),
            required=True, format_func=UNITS.__getitem__, persist_state="session",
            help="Cosines of a dual encoder, which are scaled to logits, or log-odds of a matching head.",
        )  # fmt: skip
    return made_up(str(begun), str(kind)), {}


def view(start: Start, now: Settings, version: int) -> dict[str, Any]:
    """What the component draws first; from then on it keeps its own state until the version rises."""
    return {
        "version": version, "kind": start.kind, "unit": UNITS[start.kind], "bounds": list(BOUNDS[start.kind]),
        "base": list(start.scores), "texts": list(start.texts), "images": list(start.images), "now": now.document(),
        "limits": {field: list(settings_.bounds(field, start.kind)) for field, *_ in settings_.NUMBERS.values()},
        "names": {cell: NAMES[cell] for cell in QUAD_CELLS}, "looks": LOOKS[start.kind],
    }  # fmt: skip


def said(start: Start, now: Settings) -> str:
    """The finding: the quad's parts, its cell, and what EqSim makes of it.

    >>> from pages.teach.what_if.settings import default
    >>> begun = made_up("outvoted_by_image", "itc")
    >>> print(said(begun, default(begun)))
    Made-up scores: outvoted by the image (cosine): binding γ +0.0200, caption bias c +0.0100, image bias r +0.0450, \
outvoted by the image. EqSim's differences are v1 +0.0700, v2 +0.0400 and +0.180 on raw scores: the biases alone.
    """
    quad = decompose(np.reshape(now.scores, (1, 2, 2)))
    gamma, c, r = (float(part[0]) for part in (quad.gamma, quad.c, quad.r))
    edited = "" if now.scores == start.scores else ", edited"
    parts = (("binding γ", gamma), ("caption bias c", c), ("image bias r", r))
    told = ", ".join(f"{name} {score(value, signed=True)}" for name, value in parts)
    v1, text, image = (score(value, signed=True) for value in (2 * (r - c), 4 * c, 4 * r))
    return (
        f"{start.title} ({UNITS[start.kind]}{edited}): {told}, {NAMES[QUAD_CELLS[quad.cell[0]]]}. EqSim's differences "
        f"are v1 {v1}, v2 {text} and {image} on raw scores: the biases alone."
    )


def _link(start: Start, item: Mapping[str, str]) -> dict[str, list[str]]:
    """What a copied link has to name."""
    keys = ("view", "quad_from", "quad") + (("quad_kind",) if start.is_made_up else ())
    return address.named(*keys) | {key: [value] for key, value in item.items()}
