"""Try it, rank images: where they come from."""

from dataclasses import dataclass
from typing import Final

import streamlit as st
from PIL import Image

from backend.errors import FlipsideError
from backend.images import open_stored
from backend.live.uploads import uploads
from backend.live.uploads.uploads import PHOTO_MB
from pages.shared.data import stored
from pages.shared.drawing.numbers import count
from pages.shared.drawing.thumbnails import encode
from pages.shared.frame.header import trouble
from pages.try_it.inputs import FILE_TYPES

WORLD, FILES = "world", "files"
COUNTS: Final = (12, 24, 48, 96, 192)
#: Dropped images are made smaller: a session holds many, and no model here sees more.
SIDE: Final = 512
MOST_FILES: Final = 192
#: Files that could not be read and are named; of more, their number.
MOST_PROBLEMS: Final = 4


@dataclass(frozen=True)
class RankImage:
    """An image: its pixels, what names its content, and a name for people."""

    image: Image.Image
    key: str
    name: str


def _benchmarks() -> dict[str, stored.StoredBenchmark]:
    return {name: each for name, each in stored.chosen().items() if name != WORLD}


def source() -> None:
    """The fields for where the images come from and how many there are."""
    state = st.session_state
    benchmarks = _benchmarks()
    names = {WORLD: "New scenes of the drawn world", FILES: "My own files"}
    names |= {f"in:{name}": f"Images of {name}" for name in benchmarks}
    if "try_from" not in state:
        state.try_from = st.query_params.get("from", WORLD)
        state.try_count = _count(st.query_params.get("n", ""))
    now = state.try_from if state.try_from in names else WORLD
    state.try_from = st.selectbox(
        "Images", list(names), list(names).index(now), format_func=names.__getitem__,
        key=f"try-from-{state.try_link}", width=240,
    ) or WORLD  # fmt: skip
    if state.try_from != FILES:
        state.try_count = st.segmented_control(
            "How many", COUNTS, default=state.try_count, key=f"try-count-{state.try_link}", required=True
        ) or COUNTS[1]  # fmt: skip


def images() -> list[RankImage]:
    """What was chosen, opened; for one's own files, the field to drop them in."""
    state = st.session_state
    if state.try_from == FILES:
        return _files()
    if state.try_from == WORLD:
        return _open([(uri, uri) for uri in _scenes(state.try_count)])
    benchmark = _benchmarks()[state.try_from.removeprefix("in:")]
    return _open(_of_benchmark(benchmark.hash, state.try_count))


def address() -> dict[str, str | list[str]]:
    """What reopens this choice; one's own files are in no address."""
    state = st.session_state
    return {} if state.try_from == FILES else {"from": str(state.try_from), "n": str(state.try_count)}


def _count(said: str) -> int:
    return int(said) if said.isdecimal() and int(said) in COUNTS else COUNTS[1]


@st.cache_data(max_entries=8, show_spinner=False)
def _scenes(n: int) -> list[str]:
    """Scenes that no bundled model was trained on, always the same ones."""
    import numpy as np

    from backend.world import sample

    rng = np.random.default_rng(5)
    return list(dict.fromkeys(sample(rng, "test").uri for _ in range(n)))


@stored.kept("Choosing images …")
def _of_benchmark(benchmark: str, n: int) -> list[tuple[str, str]]:
    from backend.store.items.pictures import pictures

    return pictures(stored.store(), benchmark, n)


def _open(wanted: list[tuple[str, str]]) -> list[RankImage]:
    found, missing = [], 0
    for key, uri in wanted:
        image = _opened(uri)
        if image is None:
            missing += 1
        else:
            found.append(RankImage(image, uri, key))
    if missing:
        st.caption(f"{missing} of {len(wanted)} images are not there and were left out.")
    return found


@st.cache_data(max_entries=400, show_spinner=False)
def _opened(uri: str) -> Image.Image | None:
    try:
        return open_stored(uri, SIDE)
    except FlipsideError:
        return None


def _files() -> list[RankImage]:
    given = st.file_uploader(
        f"Drop images, up to {MOST_FILES}", type=FILE_TYPES, accept_multiple_files=True, key="try-rank-files",
        max_upload_size=PHOTO_MB,
        help=f"They stay in this session's memory, reduced to {SIDE} pixels.",
    )  # fmt: skip
    if len(given) > MOST_FILES:
        trouble(f"{len(given)} images were given; the first {MOST_FILES} are ranked.")
    kept: dict[str, RankImage | str] = st.session_state.get("try_rank_kept", {})
    now: dict[str, RankImage | str] = {}
    for file in given[:MOST_FILES]:
        now[file.file_id] = kept.get(file.file_id) or _decoded(file.getvalue(), file.name)
    st.session_state.try_rank_kept = now
    problems = [each for each in now.values() if isinstance(each, str)]
    for problem in problems[:MOST_PROBLEMS]:
        trouble(problem)
    if len(problems) > MOST_PROBLEMS:
        st.caption(f"{count(len(problems) - MOST_PROBLEMS, 'more file')} could not be read.")
    single: dict[str, RankImage] = {}
    for each in now.values():
        if isinstance(each, RankImage):
            single.setdefault(each.key, each)
    twice = sum(isinstance(each, RankImage) for each in now.values()) - len(single)
    if twice:
        st.caption(f"{count(twice, 'file')} with a picture that is there already: each picture is ranked once.")
    return list(single.values())


def _decoded(data: bytes, name: str) -> RankImage | str:
    try:
        upload = uploads.decode(data, name)
    except FlipsideError as error:
        return str(error)
    small = upload.image.copy()
    small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    return RankImage(small, uploads.content_key(small), uploads.shorten(name))


@st.cache_data(max_entries=800, show_spinner=False)
def thumbnail(key: str, _image: Image.Image) -> str:
    """A small picture as data; key: what names its content."""
    del key
    return encode(_image, 128)
