"""What is still to be computed for a map: the button, the progress, and what went wrong."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.live.maps import maps
from backend.live.maps.layouts import Layout
from pages.embeddings import data
from pages.embeddings.data import Space
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame.header import chart_caption, empty, trouble
from pages.shared.frame.plain import plain

#: Seconds between two looks at a process.
LOOK = 0.7


def embed(benchmark: stored.StoredBenchmark, model: str, part: str, layout: Layout | None) -> None:
    """Offer to embed a part for which no vectors are kept, or say how far that is."""
    wanted = data.wanted(benchmark, model, part)
    name = colours.label(model)
    n_images, n_texts = len(wanted.uris), len(wanted.texts)
    what = " and ".join(f"{n:,} different {one}" for n, one in ((n_images, "images"), (n_texts, "captions")) if n)
    work = maps.work_key(None, n_images, layout, wanted)
    if maps.state(work).running:
        _progress(work)
        return
    empty(
        f"{name} has not embedded this subset yet",
        f"A run keeps vectors of retrieval pools only. The model can embed {what} now, in a process of its own; the "
        "result is kept on disk. Bundled models take some seconds.",
    )
    _offer(f"Embed them with {name}", work, None, n_images, layout, wanted)


def lay_out(of: Space, layout: Layout, name: str) -> None:
    """Offer to make the UMAP of a space, or say how far that is."""
    work = maps.work_key(of.vectors, of.n_images, layout, None)
    if maps.state(work).running:
        _progress(work)
        return
    chart_caption(
        f"No UMAP of {name} with these parameters is kept yet: shown is PCA. UMAP takes half a minute (it compiles "
        "itself first), in a process of its own, and is kept."
    )
    _offer(f"Compute the UMAP of {name}", work, of.vectors, of.n_images, layout, None)


def _offer(
    label: str,
    work: str,
    vectors: NDArray[np.float32] | None,
    n_images: int,
    layout: Layout | None,
    wanted: maps.Wanted | None,
) -> None:
    state = maps.state(work)
    if state.problem:
        trouble(state.problem)
    if st.button(plain(label), key=f"start-{work}", icon=":material/play_arrow:", type="primary"):
        try:
            maps.start(vectors, n_images, layout, wanted)
        except (FlipsideError, OSError) as error:
            trouble(str(error))
            return
        st.rerun()


@st.fragment(run_every=LOOK)
def _progress(work: str) -> None:
    state = maps.state(work)
    if not state.running:
        st.rerun()
    left = ""
    if state.share:
        left = (
            f" · about {max(1, round(state.seconds / state.share - state.seconds))} s left" if state.share < 1 else ""
        )
    st.progress(state.share or 0.0, plain(f"{state.stage} · {state.seconds:.0f} s{left}"))
    if st.button("Stop", key=f"stop-{work}", icon=":material/stop:"):
        maps.stop(work)
        st.rerun()
