"""Which column of an uploaded table is what: the dialog, and the first items as they would be read."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.benchmarks.custom.columns import Column, Mapping
from backend.benchmarks.custom.guessing import completed
from backend.benchmarks.custom.mapping import preview as read_first
from backend.benchmarks.custom.roles import ROLES, SHAPES, TAGS
from backend.errors import FlipsideError
from backend.items import Item, Protocol, Skipped
from backend.live.scoring import judging
from backend.live.uploads.own_uploads import Staged
from pages.shared.drawing.cards import item_card
from pages.shared.drawing.numbers import count
from pages.shared.drawing.thumbnails import data_uri
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show

#: Items and skipped records that are shown.
ITEMS, SKIPPED = 4, 20
NONE = "–"


@st.dialog("Which column is what", width="large")
def dialog(staged: Staged, known: list[Column], mapping: Mapping | None, images: Path | None) -> None:
    """Choose the protocol and a column for each role; the first items follow at once."""
    shapes = list(SHAPES)
    start = mapping.protocol if mapping else "choice"
    protocol = st.selectbox(
        "Each row is", shapes, index=shapes.index(start), format_func=lambda name: SHAPES[name].title,
        key=f"map-protocol-{staged.key}",
    ) or start  # fmt: skip
    before = dict(mapping.roles) if mapping and mapping.protocol == protocol else _likely(protocol, known)
    roles: dict[str, tuple[str, ...]] = {}
    shape = SHAPES[protocol]
    grid = st.grid(2, min_column_width=260, gap="small")
    for role in (*shape.needs, *shape.may):
        with grid.cell():
            roles[role] = _role(staged, known, protocol, role, before.get(role, ()))
    if shape.needs:
        chosen_tags = any(before.get(role) for role in TAGS)
        with st.expander("Ids and tags", icon=":material/sell:", expanded=chosen_tags):
            tags = st.grid(2, min_column_width=260, gap="small")
            for role in TAGS:
                with tags.cell():
                    roles[role] = _role(staged, known, protocol, role, before.get(role, ()))
    made = Mapping(protocol, {role: names for role, names in roles.items() if names})
    fine = preview(staged.tables[0], made, known, staged.images or images)
    if st.button("Use this", type="primary", disabled=not fine, key="map-use"):
        st.session_state[f"own-mapping-{staged.key}"] = made
        st.rerun()


def _likely(protocol: str, known: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    """What the columns' names tell for a shape, and the only column of file names as the picture's."""
    found = dict(completed(protocol, {}, known).roles)
    pictures = [column.name for column in known if column.kind == "image"]
    if "image" in SHAPES[protocol].roles and "image" not in found and len(pictures) == 1:
        found["image"] = (pictures[0],)
    return found


def _role(staged: Staged, known: Sequence[Column], protocol: str, role: str, before: Sequence[str]) -> tuple[str, ...]:
    """The columns of one role."""
    names = [column.name for column in known]
    examples = {column.name: column.examples for column in known}

    def said(name: str) -> str:
        shown = examples.get(name) or ()
        return f"{name}: {shown[0]}" if shown else name

    there = [name for name in before if name in names]
    label, key = f"{role.replace('_', ' ')}: {ROLES[role].what}", f"map-{protocol}-{role}-{staged.key}"
    if role in SHAPES[protocol].several:
        return tuple(st.multiselect(label, names, default=there, format_func=said, key=key))
    needed = role in SHAPES[protocol].needs
    chosen = st.selectbox(
        label, names if needed else [NONE, *names], format_func=said, key=key,
        index=(names.index(there[0]) + (not needed)) if there else (None if needed else 0),
        placeholder="Choose a column",
    )  # fmt: skip
    return () if chosen in (None, NONE) else (str(chosen),)


def preview(table: Path, mapping: Mapping, known: Sequence[Column], images: Path | None) -> bool:
    """The first items of a table and the records that are none; whether there is any item."""
    try:
        items, skipped = read_first(table, mapping.check(known), ITEMS, images)
    except FlipsideError as error:
        chart_caption(plain(str(error)))
        return False
    unused = mapping.unused(known)
    said = f"Read as: {SHAPES[mapping.protocol].title}."
    said += f" Not used: {', '.join(unused)}." if unused else ""
    chart_caption(said)
    for item in items:
        show(card(item))
    missing = sum(image.missing for item in items for image in item.images)
    if missing:
        chart_caption(
            f"{count(missing, 'picture')} of these items {'is' if missing == 1 else 'are'} not there; what needs no "
            "picture (t2t, prior) can be scored all the same."
        )
    _problems(skipped)
    if not items:
        trouble("None of the first records is an item under this reading; see why above, or choose other columns.")
    return bool(items)


def plain(message: str) -> str:
    """A mapping's error without what is said to people at the command line.

    >>> plain("mapping: choice needs a column for negative (a false caption). Say it with --map, as in …")
    'Choice needs a column for negative (a false caption).'
    """
    said = message.removeprefix("mapping: ").partition(" Columns: ")[0].partition(" Say it with --map")[0]
    return said[:1].upper() + said[1:]


def card(item: Item) -> Markup:
    """An item as it would be read."""
    n = len(item.texts)
    roles = ["true"] * n if item.protocol is Protocol.RETRIEVAL else judging.roles(item.protocol, n)
    tags = "; ".join(f"{name}: {', '.join(values)}" for name, values in item.tags.items())
    pictures = [data_uri(image.uri) for image in item.images]
    return item_card(pictures, item.texts, roles, heading=f"{item.item_id}{' · ' if tags else ''}{tags}")


def _problems(skipped: Sequence[Skipped]) -> None:
    if not skipped:
        return
    rows = [
        {
            "where": f"line {entry.line}" if entry.line is not None else f"record {entry.item}",
            "reason": hide(entry.reason),
        }
        for entry in skipped[:SKIPPED]
    ]
    st.caption(
        f"{count(len(skipped), 'record')} before the last of them {'is' if len(skipped) == 1 else 'are'} no item:"
    )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Records that are no items")
