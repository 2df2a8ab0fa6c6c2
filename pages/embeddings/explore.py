"""The maps and what was picked on them: one fragment, so that a click or a lasso does not run the page again."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.errors import StreamlitAPIException

from backend.metrics import projection
from backend.store.enrichment.traits import Told
from backend.store.items.embeddings import Points
from backend.taxonomy import title
from pages.embeddings import data as embeddings_data
from pages.embeddings import labels, over, panel, scatter, selection, view
from pages.embeddings.choices import Choices
from pages.embeddings.data import Space
from pages.embeddings.over import Judge
from pages.embeddings.picked import pinned_details
from pages.embeddings.selection import Selection
from pages.embeddings.view import Classes
from pages.shared.data import stored
from pages.shared.data.frames import titles
from pages.shared.drawing import colours, finding
from pages.shared.frame import address
from pages.shared.frame.tips import kind_name


@st.fragment
def draw(benchmark: stored.StoredBenchmark, spaces: Sequence[Space], choice: Choices, near: str = "") -> None:
    """One or two maps of the same contents, and beside them what is pinned and picked, or what the clumps hold. near:
    what the page says of the model's own space, to be copied."""
    first, rows = restricted(spaces)
    of = first.points
    places, said = places_of(spaces, rows, choice)
    framed = view.framed(places)
    judged = _classes(benchmark, of, choice)
    judge = judge_of(benchmark, choice)
    clumps = over.clumps(benchmark, of, judge, places[0])
    chosen = selection.read(of, framed, clumps.each)
    pin = view.content_of(of, str(st.session_state.get("pin") or ""))
    data = _data(benchmark, of, spaces, rows, choice, judged, framed, said)
    data |= {
        "pinned": pin, "lasso": chosen.lasso if chosen else "", "clump": chosen.clump if chosen else None,
        "lit": view.packed(chosen.contents if chosen else np.zeros(0, np.intp), "u4"),
        "clumps": labels.on_the_map(clumps, framed[0], first.n_images),
    }  # fmt: skip
    told = over.told(benchmark, of, judge, chosen.contents) if chosen else None
    with st.container(key="fs-embeddings"):
        left, right = st.columns([5, 2] if len(spaces) == 1 else [7, 2], gap="medium")
        with left:
            touched = scatter.draw(data, "embedding-map")
            _finding(benchmark, of, said, spaces, choice, judged, chosen, told, near)
        if touched.pinned is not None and touched.pinned < len(of.contents):
            selection.note(pin=view.pin_of(of, touched.pinned))
            _again()
        if touched.picked is not None:
            where = "clump" if touched.picked.lasso.startswith("c") else "lasso"
            selection.keep(benchmark, of, touched.picked, f"{where} on Embeddings, {colours.label(choice.model)}")
            _again()
        with right, st.container(key="fs-embeddings-side"):
            if chosen and told:
                panel.selected(benchmark, of, chosen, told, choice)
            if pin is not None:
                pinned_details(benchmark, [(s, r) for s, r in zip(spaces, rows, strict=True)], of, pin)
            if not chosen and pin is None:
                panel.overview(clumps, labels.ranked(clumps), first.n_images, choice.whose)


def judge_of(benchmark: stored.StoredBenchmark, choice: Choices) -> Judge:
    """By whose verdicts errors are counted."""
    return Judge(benchmark.runs[choice.judge], choice.setting, choice.metric)


def restricted(spaces: Sequence[Space]) -> tuple[Space, list[NDArray[np.intp]]]:
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


def places_of(
    spaces: Sequence[Space], rows: Sequence[NDArray[np.intp]], choice: Choices
) -> tuple[list[NDArray[Any]], list[str]]:
    """Places of the common contents in each map, the second laid over the first, and what each map is."""
    places: list[NDArray[Any]] = []
    said = []
    for space, row in zip(spaces, rows, strict=True):
        found = embeddings_data.umap(space, choice.layout) if choice.map == "umap" or not space.known else None
        said.append("PCA" if found is None else "UMAP")
        places.append((embeddings_data.pca(space).places if found is None else found)[row])
    for k in range(1, len(places)):
        places[k] = projection.laid_over(places[k], places[0]).places
    return places, said


def _data(
    benchmark: stored.StoredBenchmark, of: Points, spaces: Sequence[Space], rows: Sequence[NDArray[np.intp]],
    choice: Choices, judged: Classes, framed: Sequence[NDArray[np.uint16]], said: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """What the component draws but for what is picked."""
    near = [_near(space, row) for space, row in zip(spaces, rows, strict=True)]
    called = colours.labels(benchmark.models)
    names = [called[space.model] for space in spaces]
    panels = [
        view.panel(
            f"{name} · {kind}" if len(spaces) > 1 else "",
            f"{kind} map of {len(of.contents):,} images and captions of {name}, coloured by "
            f"{view.COLOURINGS[choice.colour]}. Arrow keys walk from point to point, Enter pins one.",
            place, judged.code, *found,
        )
        for name, place, kind, found in zip(names, framed, said, near, strict=True)
    ]  # fmt: skip
    dark = st.context.theme.type == "dark"
    return view.shared(
        of, judged.legend, panels, ink="#e4e7e6" if dark else "#1e252b", paper="#191e23" if dark else "#ffffff",
        later="" if all(space.known for space in spaces) else "Its neighbours are known once it is embedded (below).",
        whose=f"verdicts of {choice.whose}" if choice.whose and choice.colour in panel.TELLING else "",
        version="|".join([benchmark.hash, choice.part, *(s.model for s in spaces), *said, str(choice.layout)]),
    )  # fmt: skip


def _finding(
    benchmark: stored.StoredBenchmark, of: Points, said: Sequence[str], spaces: Sequence[Space], choice: Choices,
    judged: Classes, chosen: Selection | None, told: Told | None, near: str,
) -> None:  # fmt: skip
    """What is picked has more of, or else what the maps show, to be copied."""
    verdicts = (kind_name(choice.setting.kind), choice.metric.replace("_", " ")) if choice.metric else ()
    part = "all subsets" if choice.part == "all" else title(choice.part)
    by = view.COLOURINGS[choice.colour] + (f" of {colours.label(choice.judge)}" if choice.metric else "")
    names = [colours.label(s.model) for s in spaces]
    whose = (f"verdicts of {choice.whose}",) if choice.whose else ()
    setting = (*verdicts, *whose, part, benchmark.name)
    if chosen and told:
        place = "a clump" if chosen.clump is not None else "a lasso"
        text = view.selection_to_copy(told, chosen.said(of), place, said, names, setting)
    else:
        kinds = zip(spaces, said, strict=True)
        shares = [float(embeddings_data.pca(s).shares.sum()) for s, kind in kinds if kind == "PCA"]
        text = view.to_copy(of, names, said, shares, by, judged, setting, near)
    keys = ("benchmark", "model", "other", "part", "map", "neighbours", "tightness", "centred", "colour", "judge",
            "kind", "metric", "lasso")  # fmt: skip
    link = address.named(*keys)
    if set(said) == {"PCA"}:  # also while UMAP, which is chosen, is worked out: what is said is of what is drawn
        link |= {"map": ["pca"]}
    finding.draw(text, "embedding-map", "embedding-map", f"flipside-{benchmark.name}-map", link=link)


def _near(space: Space, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Neighbours as positions among the shown contents; those that are not shown are left out."""
    found, cosines = embeddings_data.near(space)
    place = np.full(len(space.vectors) + 1, -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    return place[found[rows]], cosines[rows]


def _classes(benchmark: stored.StoredBenchmark, of: Points, choice: Choices) -> Classes:
    """What the colours say of each content."""
    judge = judge_of(benchmark, choice) if choice.colour in panel.TELLING else None
    return _coloured(benchmark.hash, embeddings_data.mark(of), choice.colour, judge, of)


@stored.kept()
def _coloured(benchmark: str, mark: str, colour: str, judge: Judge | None, _of: Points) -> Classes:
    """judge: by whose verdicts, where these are what the colours say."""
    del benchmark, mark
    if colour == "modality":
        return view.by_modality(_of)
    if judge is None:
        column = _of.frame["concept" if colour == "concept" else "subset"]
        return view.by_words(_of, [titles(str(word)) for word in column])
    if not judge.metric:
        found = pd.DataFrame({"correct": pd.array([None] * len(_of.frame), dtype="boolean"), "reason": ""})
    else:
        found = embeddings_data.verdicts(_of, judge.run, judge.setting, judge.metric)
    return view.by_reason(_of, found) if colour == "reason" else view.by_outcome(_of, found)


def _again() -> None:
    """Run the fragment again; the page where what was touched arrived with a run of the whole page."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        st.rerun()
