"""Overview's heat map as it was drawn last of these very results, for the moment in which a server that has just been
started still imports what the page needs. It is kept beside the generation of the database that it shows.

It is only looked at: its cells lead nowhere until the page itself has taken its place.
"""

import contextlib
import hashlib
import importlib
import json
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st
from markupsafe import Markup

from backend.durable import replaced
from backend.store.build import first, generations
from pages.shared.drawing import heatmap
from pages.shared.frame import beginning
from pages.shared.frame.header import chart_caption, head
from pages.shared.frame.style import sheet, show

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

HERE: Final = Path(__file__).parent
SUFFIX: Final = ".picture.json"
#: The page whose place it takes; imported once, it comes as soon as any picture.
PAGE: Final = "pages.overview.whole"
#: A picture of more bytes than this is not kept: it would take as long as the page.
MOST: Final = 1_000_000
#: Title, question and how to read it, as `page_header` takes them.
HEAD: Final = (
    "Overview",
    "Which models fail at what?",
    "What vision–language models mix up in pictures and captions, item by item, and what in their scores says why.",
)
#: What stands above the heat map: name -> its height in rem, where it is not there yet.
ABOVE: Final = {"results": 2.1, "failure": 13.8, "sentence": 1.5}
_PLAIN: Final = "_overview_as_it_opens"

#: What Streamlit imports for the icon of a page, and so for every picture.
NEEDED: Final = ("numpy", "PIL.Image", "PIL.ImageFile")
#: So long a browser is waited for that takes it (seconds).
PATIENCE: Final = 5.0

_given = threading.Event()


def wait() -> None:
    """Come back once a first session has its picture, where there is one."""
    if found() is not None:
        for name in NEEDED:  # while the browser is busy with the interface itself
            importlib.import_module(name)
        _given.wait(PATIENCE)


def found() -> dict[str, Any] | None:
    """The picture of the results that a first page would show; None where none fits."""
    path = _place()
    if path is None:
        return None
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    fits = isinstance(kept, dict) and kept.get("of") == _of(path) and isinstance(kept.get("heat"), dict)
    return kept if fits else None


def draw(place: "DeltaGenerator") -> None:
    """Draw it into a place (`st.empty`), where the page itself would take a second more. The address has to be the
    plain one, and the session new: anything else is another page."""
    plain = beginning.is_new() and not st.query_params
    st.session_state[_PLAIN] = plain  # for `keep`
    kept = found() if plain and PAGE not in sys.modules else None
    if kept is not None:
        with place.container(key="overview-first"):
            sheet(HERE / "style.css")
            _draw(kept)
    _given.set()


def _draw(kept: Mapping[str, Any]) -> None:
    show(head(*HEAD))
    for name, height in ABOVE.items():
        if name in kept.get("above", ()):
            show(Markup('<div class="ov-coming on-{}" style="height:{}rem"></div>').format(name, height))
    heatmap.draw_still(kept["heat"], "heat-first", str(kept.get("order", "")))
    chart_caption("These are the rates as they were drawn last, of the same results; the page is coming …")


def keep(read: str, heat: Mapping[str, Any], order: str, above: Sequence[str]) -> None:
    """Keep what is being drawn, where the page was opened plainly, instead of that of older results.

    read: the generation that it was drawn of, as `Store.generation` names it: a newer one may lie in the cache already.
    above: of ABOVE, what stands over it.
    """
    path = _place() if st.session_state.get(_PLAIN) else None
    if path is None or path.name != f"{read.rpartition('-')[0]}{SUFFIX}" or found() is not None:
        return
    write(path, {"heat": heat, "order": order, "above": list(above)})
    for old in path.parent.glob(f"*{SUFFIX}"):
        if old != path:
            old.unlink(missing_ok=True)


def write(path: Path, drawn: Mapping[str, Any]) -> None:
    """Keep a picture of the generation beside it; without one the page comes a little later."""
    data = json.dumps({**drawn, "of": _of(path)}).encode()
    if len(data) <= MOST:
        with contextlib.suppress(OSError):
            replaced(path, data)


def _place() -> Path | None:
    """Where the picture of the newest generation lies; of an empty cache, of that which ships."""
    generation = generations.current() or first.found()
    return generation.with_suffix(SUFFIX) if generation is not None else None


def _of(path: Path) -> str:
    """What a picture hangs on: the file of the generation, and our code, by names, sizes and times."""
    digest = hashlib.sha256()
    generation = path.with_name(path.name.removesuffix(SUFFIX) + generations.SUFFIX)
    for each in (generation, *sorted(HERE.parents[1].glob("pages/**/*.py")), *sorted(first.CODE.rglob("*.py"))):
        try:
            told = each.stat()
        except OSError:
            return ""
        digest.update(f"{each} {told.st_size} {told.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
