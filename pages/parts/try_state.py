"""What is on the Try-it page: examples, uploads and captions in the session, and all of it in the address."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from PIL import Image

from backend.errors import FlipsideError
from backend.images import WORLD_SCHEME, open_image
from backend.live import uploads
from backend.live.examples import BY_NAME, EXAMPLES, Example
from pages.parts.header import trouble

MAX_IMAGES = 2
FILE_TYPES = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff"]


@dataclass(frozen=True)
class Picture:
    """One image on the page. address: a `world:` code, an `upload:` hash, or "" for an upload that is not shared."""

    image: Image.Image
    key: str
    address: str
    name: str


def begin() -> None:
    """Fill a new session from the address, or with the first example."""
    state, address = st.session_state, st.query_params
    if "try_captions" in state:
        return
    example = BY_NAME.get(address.get("example", ""), EXAMPLES[0])
    state.try_addresses = address.get_all("i")[:MAX_IMAGES] or list(example.images)
    state.try_captions = "\n".join(address.get_all("t") or example.texts)
    state.try_layout = address.get("as", example.layout)
    state.try_uploader = 0


def choose(example: Example) -> None:
    """Put an example on the page (a button's callback)."""
    state = st.session_state
    state.try_addresses, state.try_captions = list(example.images), "\n".join(example.texts)
    state.try_layout = example.layout
    state.try_uploader += 1


def clear() -> None:
    """An empty page for the user's own images and captions (a button's callback)."""
    state = st.session_state
    state.try_addresses, state.try_captions = [], ""
    state.try_uploader += 1


def pictures() -> list[Picture]:
    """The uploader, and the images on the page: the uploaded ones, else those of the example or the address."""
    files = st.file_uploader(
        "Drop one or two images",
        type=FILE_TYPES,
        accept_multiple_files=True,
        key=f"try-upload-{st.session_state.try_uploader}",
        help="JPEG, PNG, WebP, GIF, BMP or TIFF, up to 25 MB and 50 million pixels. They stay in this session's memory "
        "unless you share them.",
    )
    if files:
        if len(files) > MAX_IMAGES:
            trouble(f"{len(files)} images were chosen; the first {MAX_IMAGES} are used. Remove the others.")
        return [found for file in files[:MAX_IMAGES] if (found := _uploaded(file.file_id, file.getvalue(), file.name))]
    return [found for address in st.session_state.try_addresses if (found := _addressed(address))]


def _uploaded(file_id: str, data: bytes, name: str) -> Picture | None:
    kept: dict[str, uploads.Upload] = st.session_state.setdefault("try_decoded", {})
    try:
        upload = kept.get(file_id) or uploads.decode(data, name)
    except FlipsideError as error:
        trouble(str(error))
        return None
    st.session_state.try_decoded = {file_id: upload, **dict(list(kept.items())[: 2 * MAX_IMAGES])}
    shared = st.session_state.get("try_shared", {}).get(upload.key, "")
    if upload.notes:
        st.caption(f"{uploads.shorten(name)}: {', '.join(upload.notes)}.")
    return Picture(upload.image, upload.key, shared, uploads.shorten(name))


def _addressed(address: str) -> Picture | None:
    if not address.startswith((WORLD_SCHEME, uploads.SCHEME)):
        trouble("The address names a picture that is not part of the bundled world; upload it instead.")
        return None
    try:
        if address.startswith(uploads.SCHEME):
            upload = uploads.load(address)
            return Picture(upload.image, upload.key, address, upload.name)
        return Picture(open_image(address), address, address, "scene of the bundled world")
    except FlipsideError as error:
        trouble(str(error))
        return None


def share(shown: Sequence[Picture]) -> None:
    """Keep the uploads under their content hash, so that the address reopens them."""
    kept = st.session_state.setdefault("try_shared", {})
    for picture in shown:
        if not picture.address:
            kept[picture.key] = uploads.save(uploads.Upload(picture.name, picture.image, picture.key))


def unshare(shown: Sequence[Picture]) -> None:
    """Delete the kept copies of what is on the page."""
    kept = st.session_state.setdefault("try_shared", {})
    for picture in shown:
        if picture.address.startswith(uploads.SCHEME):
            uploads.delete(picture.address)
            kept.pop(picture.key, None)


def write_address(shown: Sequence[Picture], texts: Sequence[str], layout: str) -> None:
    """Put the page's state into its address; an unchanged example is written by its name."""
    images = tuple(picture.address for picture in shown if picture.address)
    for example in EXAMPLES:
        if (images, tuple(texts), layout) == (example.images, example.texts, example.layout):
            wanted: dict[str, str | list[str]] = {"example": example.name}
            break
    else:
        wanted = {"i": list(images), "t": list(texts), "as": layout}
        wanted = {name: value for name, value in wanted.items() if value}
    now = {name: st.query_params.get_all(name) for name in st.query_params}
    if now != {name: [value] if isinstance(value, str) else value for name, value in wanted.items()}:
        st.query_params.from_dict(wanted)


def sharing(shown: Sequence[Picture]) -> None:
    """Uploads are not part of the address until their user says so; kept copies can be deleted."""
    if any(not picture.address for picture in shown):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Share these images", icon=":material/link:", key="try-share", on_click=share, args=(shown,))
            st.caption("Your images are not in this page's address. Sharing keeps a copy in Flipside's cache folder.")
    elif any(picture.address.startswith(uploads.SCHEME) for picture in shown):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Delete the shared copies", icon=":material/delete:", key="try-unshare", on_click=unshare, args=(shown,)
            )
            st.caption("This page's address reopens these images for everyone who can open this dashboard.")
