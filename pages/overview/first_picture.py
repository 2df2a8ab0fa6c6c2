"""Overview's heat map as it was drawn last of these very results, for the moment in which a server that has just been
started still imports what the page needs. It is kept beside the generation of the database that it shows.

It is only looked at: its cells lead nowhere until the page itself has taken its place. What has been scored since is
not in it, and it does not say that it were. A file that is anything else than what was kept is no picture.
"""

import contextlib
import hashlib
import importlib
import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st
from markupsafe import Markup

from backend.durable import replaced
from backend.paths import cache_dir
from backend.store.build import first, generations
from pages.shared.drawing import heatmap
from pages.shared.frame import beginning
from pages.shared.frame.header import chart_caption, copied_head
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
#: What stands above the heat map, in its order -> what its frame says where it is not there yet; style.css says how
#: high.
ABOVE: Final = {
    "results": "Real models that can be fetched come here",
    "failure": "One real failure comes here: what was asked, who is right, and why one model is wrong",
    "sentence": "What stands out comes here",
}
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


def close() -> None:
    """Wait for no browser any more: the server ends."""
    _given.set()


@dataclass(frozen=True)
class Picture:
    """benchmark: its name; heat: what `heatmap.draw_still` draws, a JSON text; above: of ABOVE, what stands over it."""

    benchmark: str
    heat: str
    above: tuple[str, ...]

    @classmethod
    def of(cls, benchmark: str, heat: Mapping[str, Any], order: str, above: Sequence[str]) -> "Picture":
        """order: as `heatmap.draw` takes it."""
        return cls(benchmark, json.dumps({**heat, "order": order}), tuple(above))


def found() -> Picture | None:
    """The picture of the results that were shown last; None where none fits, and of a file that is not whole."""
    path = _place()
    if path is None or not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            kept = json.loads(file.read(MOST))  # of a longer one this is a part, and no JSON
        picture = Picture(str(kept["benchmark"]), str(kept["heat"]), tuple(kept["above"]))
        return picture if kept["of"] == _of(path, picture) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def draw(place: "DeltaGenerator") -> None:
    """Draw it into a place (`st.empty`), over the page that is being made, where that would take a second more. The
    address has to be the plain one, and the session new: anything else is another page."""
    plain = beginning.is_new() and not st.query_params
    st.session_state[_PLAIN] = plain  # for `keep`
    kept = found() if plain and PAGE not in sys.modules else None
    if kept is not None:
        with place.container(key="overview-first"):
            _draw(kept)
    _given.set()


def _draw(picture: Picture) -> None:
    sheet(HERE / "style.css")
    show(copied_head(*HEAD))  # the page's own lies below it, like all of the page
    for name, comes in ABOVE.items():
        if name in picture.above:
            show(Markup('<div class="ov-coming on-{}">{} …</div>').format(name, comes))
    heatmap.draw_still(picture.heat, "heat-first")
    chart_caption(
        f"The rates of {picture.benchmark} as they were drawn last. They can be clicked once the page is there."
    )


def keep(read: str, picture: Picture) -> None:
    """Keep what is being drawn, where the page was opened plainly, instead of that of older results.

    read: the generation that it was drawn of, as `Store.generation` names it: a newer one may lie in the cache already.
    """
    path = _place() if st.session_state.get(_PLAIN) else None
    if path is None or path.name != f"{read.rpartition('-')[0]}{SUFFIX}" or found() is not None:
        return
    write(path, picture)
    for old in path.parent.glob(f"*{SUFFIX}"):
        if old != path:
            with contextlib.suppress(OSError):
                old.unlink()


def write(path: Path, picture: Picture) -> None:
    """Keep a picture of the generation beside it; without one the page comes a little later."""
    with contextlib.suppress(OSError):
        data = json.dumps({**asdict(picture), "of": _of(path, picture)}).encode()
        if len(data) < MOST:
            replaced(path, data)


def _place() -> Path | None:
    """Where the picture of the newest generation lies; of a cache in which nothing lies yet, of that which ships."""
    generation = generations.current()
    if generation is None and not (cache_dir() / "runs").exists():
        generation = first.found()
    return generation.with_suffix(SUFFIX) if generation is not None else None


def _of(path: Path, picture: Picture) -> str:
    """What a picture hangs on: itself, the file of the generation, and the code of this process. Raises OSError where
    one of them cannot be looked at."""
    told = path.with_name(path.name.removesuffix(SUFFIX) + generations.SUFFIX).stat()
    parts = [_code(), told.st_size, told.st_mtime_ns, picture.benchmark, picture.heat, *picture.above]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@cache
def _code() -> str:
    """Everything of ours but what was compiled, by names, sizes and times. Asked once, as a process begins: what is
    changed later is not what it runs."""
    root = HERE.parents[1]
    rooms = (root / "app.py", *(path for room in ("backend", "pages", "flipside") for path in (root / room).rglob("*")))
    files = sorted(rooms)
    told = (
        f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files if path.suffix not in ("", ".pyc")
    )
    return hashlib.sha256("\n".join(told).encode()).hexdigest()
