"""What Robustness shows at its first visit, worked out before it: the example that ships is imported beside the cache
by a process of its own (`backend.store.examples.ahead`, `pages.robustness.answer_ahead`), which also answers what the
page is going to ask of it. Nothing of it is shown, or lies in the cache, before the page is opened.
"""

import pickle
import threading
from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from backend import paths
from backend.live import working_ahead

if TYPE_CHECKING:  # the server imports this before it answers
    from backend.store.build.store import Store

MODULE: Final = "pages.robustness.answer_ahead"
_lock = threading.Lock()
#: What the process has said: a generation's name, and answers by the keys of `Store.cached` with their bytes.
_said: list[tuple[str, dict[Hashable, tuple[object, int]]]] = []


def begin() -> None:
    """Start the process, and wait for what it says; without an example that is new it ends at once, and says nothing.
    What goes wrong in it goes wrong again, and is said, where the page takes the example over."""
    said = working_ahead.ask(MODULE)
    if not said:
        return
    with suppress(pickle.UnpicklingError, EOFError):
        answers = pickle.loads(said)  # noqa: S301 - our own process has just said it, by a pipe; read while nobody waits
        with _lock:
            _said[:] = [answers]


def give_way() -> None:
    """End the process where it is not done: whoever waits for the example takes it over without it, and alone."""
    from backend.store.examples import ahead

    if ahead.found(paths.bundled_editions_dir()) is None:
        working_ahead.stop(MODULE, wait=working_ahead.PATIENCE)


def hand_over(store: "Store") -> None:
    """Let a store that reads the example keep the answers, once; those for another generation go."""
    with _lock:
        said, _said[:] = list(_said), []
    for build, answers in said:
        store.keep(build, answers)
