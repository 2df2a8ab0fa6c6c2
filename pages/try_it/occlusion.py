"""Region by region: how a score falls when a part of the image is covered, for one caption or the difference of two."""

from collections.abc import Sequence
from hashlib import sha256

import pandas as pd
import streamlit as st
from PIL import Image
from streamlit.errors import StreamlitAPIException

from backend.errors import FlipsideError
from backend.kinds import PAIR_KINDS
from backend.live.scoring import pool
from backend.live.scoring.occlusion import BLUR, MEAN, Grid, Occlusion
from backend.live.scoring.scoring import ModelScores
from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import encode
from pages.shared.frame.downloads import csv
from pages.shared.frame.header import chart_caption, empty, trouble
from pages.shared.frame.tips import kind_name, margin_unit
from pages.try_it import occlusion_map
from pages.try_it.occlusion_map import Map

CELLS = (4, 6, 8, 12, 16)
PATCHES = (1.0, 1.5, 2.0, 3.0)
OCCLUDERS = {BLUR: "blurred", MEAN: "the mean colour"}
#: Seconds of scoring between two looks at whether Stop was pressed.
STEP = 0.7
LIMITS = (
    "Occlusion (Zeiler & Fergus 2014) asks what the model does with a picture that it was never shown: a covered "
    "patch is itself something to see, and two patches that can stand in for each other both look unimportant. It is "
    "no causal attribution. The map depends on patch and cover: look at more than one."
)


def offered(found: Sequence[ModelScores]) -> list[tuple[str, str]]:
    """(spec, kind) of every score of an image that the page has."""
    return [(one.spec, kind) for one in found for kind in PAIR_KINDS if kind in one.matrices]


def maps(job: Occlusion, names: Sequence[str]) -> list[Map]:
    """The map of each text, and of the difference of two. names: short ones, as many as the job has texts."""
    drawn = [Map(f"What speaks for {name}", job.drops(k)) for k, name in enumerate(names)]
    if len(names) == 2:
        drawn.append(Map(f"What speaks for {names[0]} rather than {names[1]}", job.drops(0, 1), signed=True))
    return drawn


def frame(job: Occlusion) -> pd.DataFrame:
    """Every number: a line a cell, with what was covered and the scores that the drops are made of."""
    rows = []
    for k, (cell, patch) in enumerate(zip(job.grid.boxes, job.grid.patches, strict=True)):
        row = dict(zip(("cell_left", "cell_top", "cell_right", "cell_bottom"), cell, strict=True))
        row |= dict(zip(("left", "top", "right", "bottom"), patch, strict=True))
        for j, text in enumerate(job.texts):
            row |= {f"caption_{j + 1}": text, f"whole_{j + 1}": job.whole[j], f"covered_{j + 1}": job.scores[k, j]}  # type: ignore[dict-item]
        rows.append(row)
    return pd.DataFrame(rows)


def draw(
    found: Sequence[ModelScores], image: Image.Image, image_key: str, texts: Sequence[str], names: Sequence[str],
    key: str,
) -> None:  # fmt: skip
    """The whole panel, inside a fragment. texts: one caption, or two to be told apart; names: short ones."""
    choices = offered(found)
    if not choices:
        empty("No score of an image", "Choose a model that sees images in the sidebar.")
        return
    labels = colours.labels([one.spec for one in found])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spec, kind = st.selectbox(
            "Score", choices, format_func=lambda c: f"{labels[c[0]]} · {kind_name(c[1])}",
            key=f"{key}-score-{_short(choices)}",
            help="The score that is taken again with each place covered in turn; what it loses there is the heat "
            "(Zeiler and Fergus 2014, section 4.2).",
        )  # fmt: skip
        cells = st.selectbox(
            "Cells (stride)",
            CELLS,
            index=2,
            key=f"{key}-cells",
            format_func=lambda n: f"{n} along the longer side",
            help="How many places the patch takes along the longer side: more are finer and take longer.",
        )
        patch = st.selectbox(
            "Patch", PATCHES, index=2, key=f"{key}-patch",
            format_func=lambda p: f"{p:g} × a cell" if p > 1 else "one cell",
            help="The side of what is covered around each cell. Wider than a cell, patches overlap: smoother, coarser.",
        )  # fmt: skip
        occluder = st.selectbox(
            "Covered by", list(OCCLUDERS), format_func=OCCLUDERS.__getitem__, key=f"{key}-cover",
            help="The picture itself, blurred (Gaussian, σ half a patch), or its mean colour. On drawn scenes a square "
            "of one colour is itself an object.",
        )  # fmt: skip
    try:
        job = _job(
            spec, kind, image_key, tuple(texts), image.width, image.height, cells, min(patch, float(cells)), occluder
        )
        if not _worked_on(job, image, key):
            return
    except FlipsideError as error:
        trouble(str(error))
        return
    unit = margin_unit(kind)
    drawn = maps(job, names)
    occlusion_map.draw(occlusion_map.view(drawn, job.grid, encode(image, 480), unit), f"{key}-map")
    side = max(image.size) / job.grid.cells
    covers = f"{side * job.grid.patch:.0f}"
    chart_caption(
        f"Each cell: the score of the whole image minus that with the patch around the cell covered ({unit}). Above 0 "
        "the patch speaks for the caption. Single maps share one sequential scale; the difference is centred at 0 "
        f"(brown: for the first caption, blue: for the second). {job.done} patches of {covers} × {covers} pixels on an "
        f"image of {image.width} × {image.height}, stride {side:.0f}, scored in {job.seconds:.1f} s. " + LIMITS
    )
    st.download_button(
        "All numbers as CSV", csv(frame(job)), "occlusion.csv", "text/csv", icon=":material/download:",
        key=f"{key}-csv", on_click="ignore",
    )  # fmt: skip


def _worked_on(job: Occlusion, image: Image.Image, key: str) -> bool:
    """Go on with an unfinished map, a step at a time; False where nothing is to be drawn yet.

    Between two steps the fragment runs anew, so that Stop is heard. What was scored stays and is drawn.
    """
    stopped: set[int] = st.session_state.setdefault(f"{key}-stopped", set())
    if job.finished:
        return True
    if id(job) in stopped:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Go on", icon=":material/play_arrow:", key=f"{key}-go", on_click=stopped.discard, args=(id(job),))
            st.caption(f"Stopped after {job.done} of {job.total} patches; the others are left blank.")
        return bool(job.done)
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        stop = st.button("Stop", icon=":material/stop:", key=f"{key}-stop")
        st.progress(job.done / job.total, f"{job.done} of {job.total} patches scored …")
    if stop:  # not a callback: a click that comes while a step is at work is handed to the next run as a value
        stopped.add(id(job))
        _again()
    if not job.step(pool.shared(), image, seconds=STEP):
        _again()
    place.empty()
    return True


def _again() -> None:
    """Run this fragment once more; during a run of the whole page only that can be run again."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        st.rerun()


@st.cache_resource(max_entries=48, show_spinner=False)
def _job(
    spec: str, kind: str, image_key: str, texts: tuple[str, ...], width: int, height: int, cells: int, patch: float,
    occluder: str,
) -> Occlusion:  # fmt: skip
    """The map of this content, shared by all sessions, however far it has come. image_key: the image's content."""
    del image_key
    return Occlusion(spec, kind, texts, Grid(width, height, cells, patch), occluder)


def _short(choices: Sequence[tuple[str, str]]) -> str:
    return sha256(repr(choices).encode()).hexdigest()[:8]
