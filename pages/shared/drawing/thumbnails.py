"""Small pictures: `world:` scenes drawn on demand, files opened safely, both kept small and cached."""

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import streamlit as st
from markupsafe import Markup
from PIL import Image

from backend.errors import FlipsideError
from backend.images import open_stored
from pages.shared.server import thumbnail_route

SIZE = 128
#: Of pictures in a gallery of large ones: sharp on dense screens, too.
LARGE = 448


@st.cache_data(max_entries=4000, show_spinner=False)
def data_uri(uri: str, size: int = SIZE) -> str:
    """The picture behind an image URI as JPEG data of at most `size` pixels, for ImageColumn and HTML; "" if none."""
    if not uri:
        return ""
    try:
        return encode(open_stored(uri, size), size)
    except FlipsideError:
        return ""


def source(uri: str, size: int = SIZE) -> str:
    """What an <img> shows the picture behind an image URI by: an address that the browser asks for when the picture
    comes into view (`thumbnail_route`), or the data itself where no server answers; "" where there is no picture."""
    return sources((uri,), size)[0]


def sources(uris: Sequence[str], size: int = SIZE) -> list[str]:
    """The same of many pictures."""
    if not thumbnail_route.is_served():
        return [data_uri(uri, size) for uri in uris]
    there = [bool(uri) and (not uri.startswith("/") or Path(uri).is_file()) for uri in uris]
    named = iter(thumbnail_route.addresses([uri for uri, is_one in zip(uris, there, strict=True) if is_one], size))
    return [next(named) if is_one else "" for is_one in there]


def large(uri: str) -> str:
    """The same for a picture that is drawn large."""
    return source(uri, LARGE)


def encode(image: Image.Image, size: int = SIZE) -> str:
    """An RGB image as JPEG data of at most `size` pixels each way."""
    small = image.copy()
    small.thumbnail((size, size), Image.Resampling.LANCZOS)
    buffer = BytesIO()
    small.save(buffer, "JPEG", quality=86, optimize=True)
    return "data:image/jpeg;base64," + b64encode(buffer.getvalue()).decode()


def picture(source: str, alt: str, width: int = SIZE) -> Markup:
    """An <img> for what `source`, `data_uri` or `encode` gave; a labelled empty frame where that is nothing. width: in
    pixels; 0 leaves it to what holds the picture."""
    if not width:
        if not source:
            return Markup('<span class="fs-picture fs-missing">image missing</span>')
        return Markup('<img class="fs-picture" src="{}" alt="{}" loading="lazy" decoding="async">').format(source, alt)
    if not source:
        return Markup('<span class="fs-picture fs-missing" style="width:{}px">image missing</span>').format(width)
    return Markup(
        '<img class="fs-picture" src="{}" alt="{}" loading="lazy" decoding="async" style="width:{}px">'
    ).format(source, alt, width)
