"""The inputs of the Try-it page: a strip of images that can be taken off, captions, and how they are judged."""

from collections.abc import Sequence

import streamlit as st

from backend.live.scoring import judging
from backend.live.uploads import uploads
from backend.live.uploads.uploads import PHOTO_MB
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain
from pages.try_it import paste, save
from pages.try_it import state as try_state
from pages.try_it.state import Picture

FILE_TYPES = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff"]
MODES = {"one": "One experiment", "many": "Many items", "rank": "Rank images"}
HELP = (
    "Quad: image 1 belongs to caption 1, image 2 to caption 2. Triplet: captions 1 and 2 are true, 3 is false. "
    "Choice: caption 1 is true. Free grid: nothing is said to be true, so there is no verdict; ✓ and ✗ stand "
    "only where the drawn world knows whether a caption is true of a picture."
)


HEADS = {
    "one": (
        "Which caption does each model believe?",
        "Click a word to change it, or drag a box on a picture to cover it: all margins move at once.",
    ),
    "many": (
        "How often is each model right on your own items?",
        "Drop a file of triplets, choices or quads: it is scored, opened in Failures, and saved only if you keep it.",
    ),
    "rank": (
        "Which images does each model find for a prompt?",
        "The strips show every model's order, best first; below them how far the orders agree.",
    ),
}


def head() -> tuple[str, str]:
    """The page's question and how to read the answer, of what is done on it now."""
    state = st.session_state
    now = state.get(f"try-mode-{state.try_link}") or state.try_mode
    return HEADS.get(now, HEADS["one"])


def mode() -> str:
    """What is done on this page: one experiment, many items from a file, or images ranked for a prompt."""
    state = st.session_state
    now = state.try_mode if state.try_mode in MODES else "one"
    chosen = st.segmented_control(
        "What to try", list(MODES), default=now, format_func=MODES.__getitem__, key=f"try-mode-{state.try_link}",
        required=True, label_visibility="collapsed",
    )  # fmt: skip
    state.try_mode = chosen or "one"
    return str(state.try_mode)


def uploader() -> None:
    """Where pictures of one's own are dropped or pasted; they take an example's place."""
    state = st.session_state
    key = f"try-upload-{state.setdefault('try_uploader', 0)}"
    st.file_uploader(
        f"Drop images, up to {try_state.MAX_IMAGES}", type=FILE_TYPES, accept_multiple_files=True, key=key,
        max_upload_size=PHOTO_MB, on_change=_uploaded, args=(key,),
        help="JPEG, PNG, WebP, GIF, BMP or TIFF, up to 25 MB and 50 million pixels. They stay in this session's memory "
        "unless you share them.",
    )  # fmt: skip
    paste.draw(try_state.add)
    for problem in state.try_problems:
        trouble(problem)
    for note in try_state.notes():
        st.caption(plain(note))


def _uploaded(key: str) -> None:
    """The uploader's callback: its files move to the page, and it is empty again. A run that is cut short may call it
    again for the same files, by the uploader's old key."""
    if key != f"try-upload-{st.session_state.try_uploader}":
        return
    files = st.session_state.get(key) or []
    try_state.add([(file.getvalue(), file.name) for file in files])
    st.session_state.try_uploader += 1


def captions() -> list[str]:
    """The text area; its lines that hold anything, as typed."""
    state = st.session_state
    key = f"try-captions-{state.try_version}"
    lines = state.get(key, state.try_text).count("\n") + 1
    state.try_text = st.text_area(
        "Captions, one a line", state.get(key, state.try_text), key=key,
        placeholder="what the picture shows, such as: a red circle and a blue star",
        height=min(76 + 26 * max(0, lines - 2), 206),
    )  # fmt: skip
    return [line for line in state.try_text.splitlines() if line.strip()]


def layout(n_images: int, lines: Sequence[str]) -> str:
    """How images and captions are judged: as was chosen, where so many of them can be; of one caption nothing yet."""
    state = st.session_state
    options = judging.layouts(n_images, len(lines))
    if len(lines) < 2:
        return str(judging.GRID)
    if not n_images and state.try_as in judging.NAMES:  # kept for the picture that is still to be dropped
        return str(state.try_as)
    if state.try_as not in options:
        state.try_as = options[0]
    return str(state.try_as)


def tools(shown: Sequence[Picture], lines: Sequence[str], layout: str, *, answered: bool) -> None:
    """Score, and what few need: how it is judged, saving, sharing. answered: whether the scores are there already."""
    state = st.session_state
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        asked = st.button(
            "Score", type="secondary" if answered or state.get("try_live") else "primary", icon=":material/play_arrow:",
            shortcut="Mod+Enter", key="try-score",
        )  # fmt: skip
        if asked:
            state.try_live = True
        # As high from the start as it will be: Streamlit places it once, when it opens, and it fills after that.
        with (
            st.popover("Judge, save, share", icon=":material/tune:", key="try-more", on_change="rerun") as box,
            st.container(key="fs-save-room"),
        ):
            if shown and len(lines) > 1:
                _judged_as(len(shown), lines, layout)
            if box.open:
                sharing(shown)
                save.draw(shown, lines, layout)


def _judged_as(n_images: int, lines: Sequence[str], layout: str) -> None:
    state = st.session_state
    options = judging.layouts(n_images, len(lines))
    # The key names the options: others are another widget, whose value cannot be one that is not offered.
    key = f"try-layout-{state.try_version}-{'-'.join(options)}"
    st.segmented_control(
        "Judge as", options, default=layout, key=key, format_func=judging.NAMES.__getitem__, required=True, help=HELP,
        on_change=_judge, args=(key,),
    )  # fmt: skip


def _judge(key: str) -> None:
    st.session_state.try_as = st.session_state.get(key) or st.session_state.try_as


def sharing(shown: Sequence[Picture]) -> None:
    """Uploads are not part of the address until their user says so; kept copies can be deleted."""
    if any(not each.address for each in shown):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Share these images", icon=":material/link:", key="try-share", on_click=try_state.share, args=(shown,)
            )
            st.caption("Your images are not in this page's address. Sharing keeps a copy in Flipside's cache folder.")
    elif any(each.address.startswith(uploads.SCHEME) for each in shown):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Delete the shared copies", icon=":material/delete:", key="try-unshare", on_click=try_state.unshare,
                args=(shown,),
            )  # fmt: skip
            st.caption("This page's address reopens these images for everyone who can open this dashboard.")
