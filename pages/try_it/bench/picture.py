"""The pictures of an experiment, large, and a box dragged on them that covers a part: the component's data."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from backend.live.playing import covering
from backend.live.playing.play import Play
from pages.shared.drawing import component
from pages.shared.drawing.thumbnails import encode
from pages.try_it.state import Picture

KEY = "try-picture"
#: Pixels of the longer side that a browser gets of one picture, and of one of several.
LARGE, SMALL = 880, 460

_component = component.load(
    "flipside_picture", Path(__file__).with_name("picture.js"), html='<div class="fs-frames fs-pictures"></div>',
    isolate_styles=False,
)  # fmt: skip


@st.cache_data(max_entries=64, show_spinner=False)
def _source(key: str, size: int, _picture: Picture) -> tuple[str, tuple[int, int, int]]:
    """The picture as data for a browser, and its mean colour. key: its content."""
    del key
    return encode(_picture.image, size), covering.mean_colour(_picture.image)


def data(shown: Sequence[Picture], play: Play) -> dict[str, Any]:
    """Pictures with their sizes in pixels, what is covered, and the colour of the cover."""
    listed = []
    for i, each in enumerate(shown):
        source, mean = _source(each.key, LARGE if len(shown) == 1 else SMALL, each)
        listed.append({
            "source": source, "name": each.name, "width": each.image.width, "height": each.image.height,
            "mean": f"rgb({','.join(map(str, mean))})", "box": list(play.covers[i]) if i in play.covers else None,
            "share": round(100 * covering.share(play.covers[i], each.image.size)) if i in play.covers else 0,
        })  # fmt: skip
    return {"pictures": listed}


def draw(shown: Sequence[Picture], play: Play, did: Callable[[], None]) -> None:
    """The component; nothing without a picture."""
    if shown:
        _component(data=data(shown, play), key=KEY, on_did_change=did)
