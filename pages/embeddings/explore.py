"""The maps and what was picked on them: one fragment, so that a click or a lasso does not run the page again."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.errors import StreamlitAPIException

from backend.errors import FlipsideError
from backend.metrics import projection
from backend.store.failures import selections
from backend.store.items.embeddings import IMAGE, MOST, Points
from backend.taxonomy import title
from pages.embeddings import data as embeddings_data
from pages.embeddings import scatter, view
from pages.embeddings.choices import Choices
from pages.embeddings.data import Space
from pages.embeddings.picked import pinned_details, selected_details
from pages.embeddings.view import Classes
from pages.shared.data import stored
from pages.shared.data.frames import titles
from pages.shared.drawing import colours, finding
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.tips import kind_name


@st.fragment
def draw(benchmark: stored.StoredBenchmark, spaces: Sequence[Space], choice: Choices) -> None:
    """One or two maps of the same contents, and beside them what is pinned and selected."""
    first, rows = _restricted(spaces)
    of = first.points
    places, said = _places(spaces, rows, choice)
    judged = _classes(benchmark, of, choice)
    near = [_near(space, row) for space, row in zip(spaces, rows, strict=True)]
    pin, chosen = _remembered(of)
    called = colours.labels(benchmark.models)
    names = [called[space.model] for space in spaces]
    panels = [
        view.panel(
            f"{name} · {kind}" if len(spaces) > 1 else "",
            f"{kind} map of {len(of.contents):,} images and captions of {name}, coloured by "
            f"{view.COLOURINGS[choice.colour]}. Arrow keys walk from point to point, Enter pins one.",
            place, judged.code, *found,
        )
        for name, place, kind, found in zip(names, view.framed(places), said, near, strict=True)
    ]  # fmt: skip
    dark = st.context.theme.type == "dark"
    lit = view.contents_of(of, chosen)
    data = view.shared(
        of, judged.legend, panels, lit=view.packed(np.array(lit, dtype=np.uint32), "u4"), pinned=pin,
        ink="#e4e7e6" if dark else "#1e252b", paper="#191e23" if dark else "#ffffff",
        version="|".join([benchmark.hash, choice.part, *(s.model for s in spaces), *said, str(choice.layout)]),
    )  # fmt: skip
    with st.container(key="fs-embeddings"):
        left, right = st.columns([5, 2] if len(spaces) == 1 else [7, 2], gap="medium")
        with left:
            touched = scatter.draw(data, "embedding-map")
            _captions(of, said, spaces)
            _finding(benchmark, of, said, spaces, choice, judged)
        if touched.pinned is not None and touched.pinned < len(of.contents):
            pin = touched.pinned
            _note("pin", view.pin_of(of, pin))
            _again()
        if touched.picked is not None:
            _keep(benchmark, of, touched.picked, choice)
            _again()
        with right:
            if pin is None and not chosen:
                chart_caption(
                    "Point at a dot: its nearest images and captions in the model's own space appear, and lines lead "
                    "to where they lie. Click it to keep them here with pictures. Draw a lasso around some for a list."
                )
            if pin is not None:
                pinned_details(benchmark, [(s, r) for s, r in zip(spaces, rows, strict=True)], of, pin)
            if chosen:
                selected_details(benchmark, of, chosen, choice)


def _finding(
    benchmark: stored.StoredBenchmark, of: Points, said: Sequence[str], spaces: Sequence[Space], choice: Choices,
    judged: Classes,
) -> None:  # fmt: skip
    """What the maps show, to be copied."""
    verdicts = (kind_name(choice.setting.kind), choice.metric.replace("_", " ")) if choice.metric else ()
    part = "all subsets" if choice.part == "all" else title(choice.part)
    by = view.COLOURINGS[choice.colour] + (f" of {colours.label(choice.judge)}" if choice.metric else "")
    shares = [float(embeddings_data.pca(s).shares.sum()) for s, kind in zip(spaces, said, strict=True) if kind == "PCA"]
    finding.draw(
        view.to_copy(of, [colours.label(s.model) for s in spaces], said, shares, by, judged,
                     (*verdicts, part, benchmark.name)),
        "embedding-map", "embedding-map", f"flipside-{benchmark.name}-map",
        link=address.named("benchmark", "model", "other", "part", "map", "neighbours", "tightness", "centred", "colour",
                           "judge", "kind", "metric"),
    )  # fmt: skip


def _restricted(spaces: Sequence[Space]) -> tuple[Space, list[NDArray[np.intp]]]:
    """The contents that all maps have: the first space cut to them, and the row of each in every space."""
    first = spaces[0]
    if len(spaces) == 1:
        return first, [np.arange(len(first.vectors))]
    mine, theirs = view.common(first.points, spaces[1].points)
    keep = np.zeros(len(first.vectors), dtype=bool)
    keep[mine] = True
    order = np.argsort(mine)
    cut = Space(first.model, first.run, first.points.having(keep), first.vectors[keep], first.fresh, first.missing)
    return cut, [mine[order], theirs[order]]


def _places(
    spaces: Sequence[Space], rows: Sequence[NDArray[np.intp]], choice: Choices
) -> tuple[list[NDArray[Any]], list[str]]:
    """Places of the common contents in each map, the second laid over the first, and what each map is."""
    places: list[NDArray[Any]] = []
    said = []
    for space, row in zip(spaces, rows, strict=True):
        found = embeddings_data.umap(space, choice.layout) if choice.map == "umap" else None
        said.append("PCA" if found is None else "UMAP")
        places.append((embeddings_data.pca(space).places if found is None else found)[row])
    for k in range(1, len(places)):
        places[k] = projection.laid_over(places[k], places[0]).places
    return places, said


def _near(space: Space, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Neighbours as positions among the shown contents; those that are not shown are left out."""
    found, cosines = embeddings_data.near(space)
    place = np.full(len(space.vectors) + 1, -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    return place[found[rows]], cosines[rows]


def _classes(benchmark: stored.StoredBenchmark, of: Points, choice: Choices) -> Classes:
    if choice.colour == "modality":
        return view.by_modality(of)
    if choice.colour in ("concept", "part"):
        column = of.frame["concept" if choice.colour == "concept" else "subset"]
        return view.by_words(of, [titles(str(word)) for word in column])
    if not choice.metric:
        found = pd.DataFrame({"correct": pd.array([None] * len(of.frame), dtype="boolean"), "reason": ""})
    else:
        found = embeddings_data.verdicts(of, benchmark.runs[choice.judge], choice.setting, choice.metric)
    return view.by_reason(of, found) if choice.colour == "reason" else view.by_outcome(of, found)


def _remembered(of: Points) -> tuple[int | None, list[str]]:
    """The pinned content and the picked items that the address names, where this part has them."""
    pin = view.content_of(of, str(st.session_state.get("pin") or ""))
    key = str(st.session_state.get("set") or "")
    kept = selections.find(key) if key else None
    here = set(of.frame["item_id"])
    return pin, [item for item in kept.item_ids if item in here] if kept else []


def _keep(benchmark: stored.StoredBenchmark, of: Points, picked: list[int], choice: Choices) -> None:
    """Keep the items of a lasso under a name that the address holds; an empty lasso lets go."""
    ids = view.items_of(of, picked)
    key = ""
    if ids:
        try:
            key = selections.keep(benchmark.hash, ids, f"lasso on Embeddings, {colours.label(choice.model)}").key
        except FlipsideError as error:
            trouble(str(error))
    _note("set", key)


def _again() -> None:
    """Run the fragment again; the page where what was touched arrived with a run of the whole page."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        st.rerun()


def _note(key: str, value: str) -> None:
    address.note(key, value, "")
    address.end()


def _captions(of: Points, said: Sequence[str], spaces: Sequence[Space]) -> None:
    images = int((of.contents["modality"] == IMAGE).sum())
    sorts = ((images, "images"), (len(of.contents) - images, "captions"))
    text = f"{' and '.join(f'{n:,} {sort}' for n, sort in sorts if n)} of {of.n_items:,} items. "
    if of.n_items < of.n_all:
        text += f"A seeded sample of the {of.n_all:,} items there are, for a map shows {MOST:,} points at most. "
    if "UMAP" in said:
        text += (
            "UMAP keeps who is near whom: a clump is a group of alike vectors. How far clumps lie apart, how large and "
            "how dense they are, means little; compare with PCA, and trust the cosines. "
        )
    if "PCA" in said:
        shares = [100 * float(embeddings_data.pca(space).shares.sum()) for space in spaces]
        carried = " and ".join(f"{share:.0f} %" for share in shares)
        text += f"PCA: the two axes carry {carried} of the variance; the rest is not seen. "
    if len(spaces) > 1:
        text += "The second map is turned, mirrored and scaled onto the first; only what both models embed is shown. "
    text += "A lasso takes whole items: their other images and captions light up, too. Double-click lets go."
    if any(space.missing for space in spaces):
        text += f" {max(s.missing for s in spaces):,} have no vector (no picture here, or none stored)."
    chart_caption(text)
