"""What is still to be computed for a map: begun by itself where that takes seconds, else behind a button; the progress,
and what went wrong."""

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from backend import durable, paths
from backend.errors import FlipsideError
from backend.live.maps import maps
from backend.live.maps.layouts import FEWEST, Layout
from pages.embeddings import data
from pages.embeddings.data import Space
from pages.runs.add import estimate
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption, empty, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: Seconds between two looks at a process.
LOOK = 0.7
#: A bundled model embeds so many images and captions in some ten seconds on two cores: it begins by itself.
AT_ONCE = 3_000
#: Seconds that UMAP takes on two idle cores: to compile itself, and of each dot (measured with 12 and 1,800).
UMAP_SECONDS, UMAP_DOT = 20.0, 0.0035
#: Pixels of a map's height.
TALL = 622
_STOPPED = "_embeddings_stopped"
#: Requests that could not be begun in this session -> why, in a sentence: none of them begins by itself again.
_FAILED = "_embeddings_failed"


def embed(benchmark: stored.StoredBenchmark, model: str, part: str, layout: Layout | None) -> None:
    """Embed a part for which there are neither vectors nor a map: at once with a bundled model, else when asked for; or
    say how far that is."""
    wanted = data.wanted(benchmark, model, part)
    name, what = colours.label(model), _what(wanted)
    # By itself it gets vectors alone; UMAP takes longer and is asked for.
    at_once = _at_once(model, wanted)
    layout = None if at_once else layout
    n_images = len(wanted.uris)
    work = maps.work_key(None, n_images, layout, wanted)
    if _goes_on(work, n_images, layout, wanted, f"{name} embeds {what}.", at_once=at_once):
        st.skeleton(TALL)  # where the map will appear
        return
    empty(
        f"{name} has not embedded this subset yet",
        f"Its run has no vectors of it. The model can embed {what} now, in a process of its own; the result is "
        "kept on disk. Runs from now on keep theirs.",
    )
    _offer(f"Embed them with {name}", work, None, n_images, layout, wanted)


def below(benchmark: stored.StoredBenchmark, model: str, part: str, *, for_the_line: bool) -> None:
    """Below a map that ships, whose vectors are not there: a bundled model embeds by itself no more than the captions,
    by which the page's line is told; all of it, for neighbours and cosines, when asked for."""
    wanted = data.wanted(benchmark, model, part)
    name, n_images = colours.label(model), len(wanted.uris)
    work = maps.work_key(None, n_images, None, wanted)
    said = f"{name} embeds {_what(wanted)}: neighbours and cosines appear when it is done."
    if _goes_on(work, n_images, None, wanted, said, at_once=False):
        return
    captions = data.wanted_captions(benchmark, model, part)
    if for_the_line and captions.texts and not captions.path.is_file():
        of_captions = maps.work_key(None, 0, None, captions)
        said = f"{name} embeds {_what(captions)}, which tell whether wrong items lie together."
        if _goes_on(of_captions, 0, None, captions, said, at_once=_at_once(model, captions)):
            return
        if problem := maps.state(of_captions).problem or _failed(of_captions):
            trouble(problem)
    left = count(len(wanted.uris), "different image") + ", too" if captions.texts and captions.path.is_file() else ""
    chart_caption(f"Each dot's neighbours and cosines are known once {name} has embedded {left or _what(wanted)}.")
    _offer(f"Embed them with {name}", work, None, n_images, None, wanted)


def _what(wanted: maps.Wanted) -> str:
    sorts = ((len(wanted.uris), "image"), (len(wanted.texts), "caption"))
    return " and ".join(count(n, f"different {one}") for n, one in sorts if n)


def _at_once(model: str, wanted: maps.Wanted) -> bool:
    """Whether a model begins by itself."""
    return model.startswith(data.BUNDLED) and len(wanted.uris) + len(wanted.texts) <= AT_ONCE


def _goes_on(
    work: str, n_images: int, layout: Layout | None, wanted: maps.Wanted, said: str, *, at_once: bool
) -> bool:  # fmt: skip
    """Show how far a request is, or begin it where it begins by itself; False where it does neither: nobody asked, it
    was stopped, or it has failed."""
    state = maps.look(work)
    if state.running:
        _progress(work, said)
        return True
    if not at_once or state.problem or _failed(work) or work in st.session_state.get(_STOPPED, set()):
        return False
    st.session_state.pop(_of_begin(work), None)
    _begin(work, n_images, layout, wanted, said)
    return True


def lay_out(of: Space, layout: Layout, name: str) -> None:
    """Above the map, which it turns into another: offer to make the UMAP of a space, or say how far that is."""
    n = len(of.points.contents)
    if n < FEWEST:
        chart_caption(f"{count(n, 'dot')} are too few for UMAP, which needs {FEWEST}: shown is PCA.")
        return
    work = maps.work_key(of.vectors, of.n_images, layout, None)
    if maps.state(work).running:
        _progress(work, "Shown is PCA until UMAP is there.")
        return
    slower = estimate.busy()
    takes = estimate.words((UMAP_SECONDS + UMAP_DOT * n) * slower, slower)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = f"Shown is PCA: no UMAP of these dots by {name} is kept yet; it takes {takes}."
        show(Markup('<p class="fs-caption">{}</p>').format(said), width="content")
        _offer(f"Compute the UMAP of {name}", work, of.vectors, of.n_images, layout, None)


def _offer(
    label: str,
    work: str,
    vectors: NDArray[np.float32] | None,
    n_images: int,
    layout: Layout | None,
    wanted: maps.Wanted | None,
) -> None:
    if problem := _failed(work) or maps.state(work).problem:
        trouble(problem)
    if st.button(plain(label), key=f"start-{work}", icon=":material/play_arrow:"):
        _start(work, vectors, n_images, layout, wanted)
        st.rerun()


def _start(
    work: str, vectors: NDArray[np.float32] | None, n_images: int, layout: Layout | None, wanted: maps.Wanted | None, *,
    in_passing: bool = False,
) -> bool:  # fmt: skip
    """Begin a request; where it cannot be, False, and `_failed` says why."""
    known: dict[str, str] = st.session_state.setdefault(_FAILED, {})
    known.pop(work, None)
    try:
        maps.start(vectors, n_images, layout, wanted, in_passing=in_passing)
    except (FlipsideError, OSError) as error:
        known[work] = durable.unwritable(error, paths.cache_dir()) or str(error)
        return False
    return True


def _failed(work: str) -> str:
    """Why a request could not be begun in this session; "" for one that was not tried, or is at work."""
    return str(st.session_state.get(_FAILED, {}).get(work, ""))


@st.fragment(run_every=LOOK)
def _begin(work: str, n_images: int, layout: Layout | None, wanted: maps.Wanted, said: str) -> None:
    """Begin on the second look: who leaves at once starts no process. From then on it tells how far that is; the whole
    page runs again only when it is done, for whoever goes on choosing meanwhile would wait for that."""
    looked = _of_begin(work)
    if looked not in st.session_state:
        st.session_state[looked] = False
        st.progress(0.0, plain(said))
    elif st.session_state[looked]:
        _tell(work, said)
    elif _start(work, None, n_images, layout, wanted, in_passing=True):
        st.session_state[looked] = True
        _tell(work, said)
    else:
        st.rerun()  # the page says why, and offers to try again


def _of_begin(work: str) -> str:
    """Where a session notes that it has looked at a request, and whether it has begun it."""
    return f"_embeddings_begin_{work}"


@st.fragment(run_every=LOOK)
def _progress(work: str, said: str = "") -> None:
    _tell(work, said)


def _tell(work: str, said: str) -> None:
    """How far a request is, with a button that stops it; the page is run again once it is no longer worked on."""
    state = maps.look(work)
    if not state.running:
        st.rerun()
    left = ""
    if state.share and state.share < 1 and state.of_stage:
        left = f", about {max(1, round(state.of_stage / state.share - state.of_stage))} s left of these"
    bar, button = st.columns([6, 1], vertical_alignment="center")
    stage = f"{state.stage}{left} · {state.seconds:.0f} s"
    bar.progress(state.share or 0.0, plain(f"{said} {stage}" if said else stage))
    if button.button("Stop", key=f"stop-{work}", icon=":material/stop:"):
        st.session_state[_STOPPED] = {*st.session_state.get(_STOPPED, set()), work}
        maps.stop(work)
        st.rerun()
