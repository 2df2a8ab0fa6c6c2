"""What pages need, brought and imported before anybody waits for it: for the first page while the browser still loads
the interface itself, for the others as soon as the first one has been drawn.

And what is imported goes out of the way of the search for garbage, which costs a tenth of a second at every click.
"""

import ast
import importlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from streamlit import delta_generator
from streamlit.runtime.scriptrunner_utils import script_run_context

from backend.garbage import importing
from pages.shared.server import waiting

if TYPE_CHECKING:
    from pages.shared.data.stored import StoredBenchmark

#: Streamlit builds a pattern of all emojis at the first label that has an icon; no first picture needs it.
LATER: Final = ("streamlit.emojis",)
#: The scripts of all pages.
SCRIPTS: Final = tuple(sorted(Path(__file__).parents[2].glob("*/page.py")))
#: Of a benchmark of more items nothing is asked before somebody does: it takes room, and seconds.
MOST: Final = 100_000
#: So long the first page is waited for (seconds): imports would take the time that it needs.
PATIENCE: Final = 60.0
#: After so long what a page has drawn is in the browser (seconds).
OUT: Final = 0.5

#: Seconds between two times of asking ahead: a run that is scored gives a generation every few seconds.
AGAIN: Final = 30.0

#: What some pages ask once a server, whoever opens them: modules with `prepare(benchmark)`; some have, for when nobody
#: waits, a `more(benchmark)`, which asks one thing a step.
AHEAD: Final = tuple(f"pages.{path.parent.name}.ahead" for path in sorted(SCRIPTS[0].parents[1].glob("*/ahead.py")))

#: Threads that a server which ends waits for.
_STORE, _ASKS = "prepare the store", "ask ahead"

#: Stands for the end of what an `ahead` module asks step by step.
_END: Final = object()

log = logging.getLogger(__name__)
_drawn = threading.Event()
_closed = threading.Event()
#: The benchmark of the first page, by its name in addresses; "" where it showed none.
_shown = [""]
_asking = threading.Lock()
_more = threading.Lock()
#: The generation that was asked last, "" for none, and when.
_asked = [("", 0.0)]


def begin(page: str, wait: Callable[[], object], then: Callable[[str], object] = lambda _: None) -> threading.Thread:
    """Begin at once, in a thread of its own. page: the module of the one that a server is opened at; wait: comes back
    once something that is drawn without it has been given out, for imports would take the processor from that; then:
    what is left to be done once everything is there, told which benchmark the first page shows."""
    # With the first thing that a process draws, Streamlit looks whether a person typed it into an interpreter, by
    # resolving the paths of all modules: up to half a second. A server knows that nobody did.
    delta_generator._use_warning_has_been_displayed = True

    def work() -> None:
        wait()
        if _closed.is_set():
            return
        # Imported here, not above: the server gives the browser its first files as soon as app.py is there.
        from backend.store.build.reader import prepare

        prepare()
        importlib.import_module(page)
        rest(then=then)

    logging.getLogger(script_run_context.__name__).addFilter(_is_of_a_page)
    # No daemon: a server stopped in its first seconds waits for the import instead of tearing DuckDB down under it.
    thread = threading.Thread(target=work, name=_STORE, daemon=False)
    thread.start()
    return thread


def _is_of_a_page(_: logging.LogRecord) -> bool:
    """Streamlit warns of whatever may draw where nobody sees it, as what is asked ahead may say that it is at work."""
    return threading.current_thread().name != _ASKS


def drawn(benchmark: str = "") -> None:
    """A page has been drawn. benchmark: the one that is chosen there, by its name in addresses. Where the results have
    moved on since they were asked ahead, as when Robustness takes its example over, they are asked again."""
    if not _drawn.is_set():
        _shown[0] = benchmark
        _drawn.set()
        return
    now = _reading()
    with _asking:
        known, when = _asked[0]
        if not known or now == known or time.monotonic() - when < AGAIN:
            return
        _asked[0] = (now, time.monotonic())
    asking = threading.Timer(OUT, _ask_all, (benchmark or _shown[0],))
    asking.name = _ASKS
    asking.start()


def again() -> None:
    """The results have moved on at once by what somebody has asked for, as where the example of Robustness is taken
    over: they are asked ahead again behind the page that is drawn now, however short the time since the last."""
    with _asking:
        known, _ = _asked[0]
        _asked[0] = (known, float("-inf"))


def rest(
    scripts: Iterable[Path] = SCRIPTS, ahead: Iterable[str] = AHEAD, then: Callable[[str], object] = lambda _: None
) -> threading.Thread:
    """Import what the other pages' scripts do, once a first page has been drawn, in a thread of its own; then ask what
    they ask once a server, of the benchmark that the first page shows; then the rest."""

    def work() -> None:
        _drawn.wait(PATIENCE)
        with importing():
            for script in scripts:
                if _closed.is_set():
                    return
                _bring(script)
            for name in (*LATER, *ahead):
                importlib.import_module(name)
        # No daemon: a server that ends now waits for an answer instead of tearing DuckDB down under it.
        asking = threading.Thread(target=ask, args=(_shown[0], tuple(ahead)), name=_ASKS, daemon=False)
        asking.start()
        asking.join()
        threading.Thread(target=more, args=(_shown[0], tuple(ahead)), name=_ASKS, daemon=False).start()
        then(_shown[0])

    # A daemon: a server that ends while it waits for a first page does not wait with it.
    thread = threading.Thread(target=work, name="warm up", daemon=True)
    thread.start()
    return thread


def close() -> None:
    """Begin nothing any more: the server ends."""
    _closed.set()


def at_work() -> list[threading.Thread]:
    """What may not be left in the middle: the import of results, an answer that is being worked out."""
    return [thread for thread in threading.enumerate() if thread.name in (_STORE, _ASKS)]


def ahead(name: str) -> threading.Timer | None:
    """Import a library that a page needs for its next answer, once the one that it gives now is out; None where it is
    there.

    For what is too large to be there for those who never open the page.
    """
    if name in sys.modules:
        return None

    def work() -> None:
        with importing():
            importlib.import_module(name)

    timer = threading.Timer(OUT, work)
    timer.daemon = True
    timer.start()
    return timer


def ask(benchmark: str, ahead: Iterable[str] = AHEAD) -> None:
    """Ask what the pages' `ahead` modules ask of a benchmark (its name in addresses); nothing for "", or for one of
    very many items. What goes wrong is said where a page asks for it."""
    if not benchmark:
        return
    with _asking:
        _asked[0] = (_reading() or "nothing", time.monotonic())
    with _for_nobody():
        found = _benchmark(benchmark)
        for name in ahead if found else ():
            if _closed.is_set():
                return
            importlib.import_module(name).prepare(found)


def more(benchmark: str, ahead: Iterable[str] = AHEAD) -> None:
    """Ask what is chosen next there, as the same modules have it in `more`: a step after the other, each once nobody
    waits for a page. Nothing where another thread is at that: it asks the results of now, too."""
    with _one_more() as begun, _for_nobody():
        if not begun:
            return
        found = _benchmark(benchmark)
        for name in ahead if found else ():
            steps = iter(getattr(importlib.import_module(name), "more", _nothing)(found))
            while True:
                while not waiting.quiet(OUT):
                    if _closed.is_set():
                        return
                if _closed.is_set() or next(steps, _END) is _END:
                    break


@contextmanager
def _one_more() -> Iterator[bool]:
    """Whether nobody else is at it."""
    begun = _more.acquire(blocking=False)
    try:
        yield begun
    finally:
        if begun:
            _more.release()


@contextmanager
def _for_nobody() -> Iterator[None]:
    """Around what nobody has asked for yet: where it goes wrong, that is said to whoever asks."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        log.info("not asked ahead: %s", error)


def _benchmark(name: str) -> "StoredBenchmark | None":
    """The benchmark of a name in addresses, where it has runs and is not too large to be asked ahead."""
    from pages.shared.data import stored

    found = stored.chosen().get(name) if name else None
    return found if found is not None and found.runs and sum(found.subsets.values()) <= MOST else None


def _ask_all(benchmark: str) -> None:
    ask(benchmark)
    more(benchmark)


def _nothing(_: object) -> Iterator[None]:
    return iter(())


def _reading() -> str:
    """The generation that pages read now; "" while none of them has read anything."""
    reading = getattr(sys.modules.get("pages.shared.data.stored"), "reading", None)
    return str(reading()) if reading is not None else ""


def _bring(script: Path) -> None:
    for name in imported(script.read_text(encoding="utf-8")):
        importlib.import_module(name)


def imported(source: str) -> Iterator[str]:
    """The modules of ours that a script imports at its top.

    >>> list(imported("import json\\nfrom pages.shared.frame import fold\\nfrom pages.shared.frame.tips import TIP"))
    ['pages.shared.frame.fold', 'pages.shared.frame.tips']
    """
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(("pages.", "backend.")):
            continue
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            found = find_spec(str(node.module))
            is_module = bool(found and found.submodule_search_locations) and find_spec(name) is not None
            yield name if is_module else str(node.module)
