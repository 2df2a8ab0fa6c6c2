"""What is picked on the maps: read from the address, and written to it. A lasso's name holds its corners, a clump's its
number; the items themselves are kept under a short name, which counts where a map is not the one a lasso was drawn on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.store.enrichment.clumps import Clump
from backend.store.failures import selections
from backend.store.items.embeddings import ALL, IMAGE, Points
from backend.taxonomy import title
from pages.embeddings import data, lasso, view
from pages.embeddings.scatter import Picked
from pages.shared.data import picked_set, stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain

#: The map of the last run of the page: benchmark, model and part.
_MAP = "_embeddings_map"


@dataclass(frozen=True)
class Selection:
    """contents: the dots that are picked; items: those that they belong to; lasso: its name, where it is drawn on this
    map; clump: where that is what is picked, its number."""

    contents: NDArray[np.intp]
    items: list[str]
    lasso: str = ""
    clump: int | None = None

    def said(self, of: Points) -> str:
        """What is picked, in words: "60 captions of 31 items"."""
        images = int((of.contents["modality"].to_numpy()[self.contents] == IMAGE).sum())
        sorts = [(images, "image"), (len(self.contents) - images, "caption")]
        return f"{' and '.join(count(n, one) for n, one in sorts if n)} of {count(len(self.items), 'item')}"


def take_over(benchmark: stored.StoredBenchmark, model: str, part: str) -> None:
    """Put what is picked in place, from the address or from this session, before the address is written. Where it was
    picked on another model's or another part's map it falls, and the page says so: a clump's number and a lasso's
    corners would pick other dots here."""
    state = st.session_state
    linked = bool(address.asked("set") or address.asked("lasso"))
    for name in ("set", "lasso"):
        address.text(name)
    here, before = (benchmark.hash, model, part), state.get(_MAP)
    state[_MAP] = here
    key = str(state["set"])
    if not key and not state["lasso"]:
        return
    if not linked and before and before != here:
        state["set"] = state["lasso"] = ""
        there = f" of {_map_name(*before[1:])}" if before[0] == here[0] else " of another benchmark"
        said = f"What was picked on the map{there} is picked no more: this is the map of {_map_name(model, part)}."
        st.toast(plain(said), icon=":material/deselect:", duration="long")
        return
    kept = selections.find(key) if key else None
    if key and kept is None:
        state["set"] = ""
        address.unused(picked_set.gone(key, False, ""))
    elif kept and not set(kept.item_ids) & set(data.points(benchmark, part).frame["item_id"]):
        state["set"] = state["lasso"] = ""
        address.unused(
            f"None of the items that the link has picked is on the map of {_map_name(model, part)}: nothing is picked."
        )


def _map_name(model: str, part: str) -> str:
    return f"{colours.label(model)}, {'all subsets' if part == ALL else title(part)}"


def read(of: Points, places: Sequence[NDArray[np.uint16]], clumps: Sequence[Clump]) -> Selection | None:
    """What the address names, where this part has it; None where nothing is picked. places: of each map, as the
    component has them."""
    name, key = str(st.session_state.get("lasso") or ""), str(st.session_state.get("set") or "")
    if not name and not key:
        return None
    kept = selections.find(key) if key else None
    here = set(of.frame["item_id"]) if kept else set()
    listed = [item for item in kept.item_ids if item in here] if kept else []
    number, drawn = lasso.clump_of(name), lasso.read(name)
    if number is not None and number < len(clumps):
        contents = clumps[number].contents
    elif drawn is not None:
        contents = lasso.contents(drawn, places, int((of.contents["modality"] == IMAGE).sum()))
    else:
        return _whole(of, listed)
    items = view.items_of(of, contents.tolist())
    if listed and set(items) != set(listed):  # drawn on another map
        return _whole(of, listed, drawn.takes if drawn else "a")
    if not len(contents):
        return None
    return Selection(contents, items, name if drawn else "", number)


def _whole(of: Points, items: list[str], takes: str = "a") -> Selection | None:
    """All dots of some items, of what the lasso took (see `Lasso.takes`)."""
    dots = np.array(view.contents_of(of, items), dtype=np.intp)
    image = of.contents["modality"].to_numpy()[dots] == IMAGE
    dots = dots[{"i": image, "t": ~image}.get(takes, np.ones(len(dots), dtype=bool))]
    return Selection(dots, items) if items and len(dots) else None


def keep(benchmark: stored.StoredBenchmark, of: Points, picked: Picked, title: str) -> None:
    """Keep what was picked under names that the address holds; nothing picked lets go of that, and of what is pinned.
    title: where it is from."""
    fine = [k for k in picked.contents if 0 <= k < len(of.contents)]
    ids = view.items_of(of, fine)
    key = ""
    if ids:
        try:
            key = selections.keep(benchmark.hash, ids, title).key
        except FlipsideError as error:
            trouble(str(error))
    known = lasso.read(picked.lasso) is not None or lasso.clump_of(picked.lasso) is not None
    note(set=key, lasso=picked.lasso if known and ids else "", **({} if picked.contents else {"pin": ""}))


def note(**values: str) -> None:
    """Values of the address that no widget holds, in one step of Back."""
    for key, value in values.items():
        address.note(key, value, "")
    address.end()
