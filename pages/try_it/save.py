"""Try it: what is on the page, kept as an item of a benchmark of one's own."""

from collections.abc import Sequence
from shlex import quote

import streamlit as st

from backend.errors import FlipsideError
from backend.images import WORLD_SCHEME
from backend.live.scoring import captions, judging
from backend.live.uploads import own_data
from backend.taxonomy import CONCEPTS
from pages.shared.frame.header import section, trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.try_it.state import Picture

FIRST = "mine"


def draw(shown: Sequence[Picture], lines: Sequence[str], layout: str) -> None:
    """Which benchmark, what is tested, save. Without a known truth it says what to do first."""
    section("Save as item")
    if not shown or len(lines) < 2 or not own_data.can_save(layout):
        st.caption(
            "A free grid says of no caption that it is true. Choose quad, triplet or choice under “Judge as”."
            if shown and len(lines) > 1
            else "An item needs a picture and at least two captions."
        )
        return
    try:
        texts = captions.check(lines)
    except FlipsideError:  # the page says so
        return
    known = own_data.names()
    label = st.selectbox(
        "Benchmark", known or [FIRST], key="try-save-name", accept_new_options=True, filter_mode="contains",
        help="One of yours, or a new name; it is called custom: and this name everywhere.",
    )  # fmt: skip
    concepts = st.multiselect(
        "What it tests", list(CONCEPTS), key="try-save-concepts", accept_new_options=True, filter_mode="contains",
        placeholder="colour, count, …", help="Failures can be filtered by these.",
    )  # fmt: skip
    st.caption(
        f"A {judging.NAMES[layout].lower()}: {_said(layout, len(texts))} Uploaded pictures are copied into "
        "Flipside's cache folder."
    )
    if st.button("Save", type="primary", key="try-save-now", icon=":material/save:"):
        _save(label or FIRST, layout, shown, texts, concepts)


def _save(label: str, layout: str, shown: Sequence[Picture], texts: Sequence[str], concepts: Sequence[str]) -> None:
    images = [(p.image, p.address if p.address.startswith(WORLD_SCHEME) else "") for p in shown]
    try:
        saved = own_data.save_item(label, layout, images, texts, [word.strip() for word in concepts if word.strip()])
    except FlipsideError as error:
        trouble(str(error))
        return
    if not saved.is_new:
        st.info(plain(f"{saved.name} has this item already, as {saved.item_id}."), icon=":material/info:")
        return
    items = "1 item" if saved.n_items == 1 else f"{saved.n_items} items"
    st.success(
        plain(
            hide(
                f"Saved as {saved.item_id}. {saved.name} has {items}; score it on the Runs page, or with "
                f"flipside run --model bundled:clip --benchmark {quote(saved.name)} --kinds itc"
            )
        ),
        icon=":material/check:",
    )


def _said(layout: str, n: int) -> str:
    roles = judging.roles(layout, n)
    if layout == "quad":
        return "image 1 belongs to caption 1, image 2 to caption 2."
    return "; ".join(f"caption {k} is {_role(role)}" for k, role in enumerate(roles, 1)) + "."


def _role(role: str) -> str:
    return {"P1": "true", "P2": "true", "N": "false", "true": "true"}.get(role, "false")
