"""Work that a page begins by itself: one request at a time, on fewer cores than there are, and only while somebody
looks.

Who goes through models and subsets begins one request after the other. Working on all of them at once would take every
core from the page that shows them: with two of them, its filters took half as long again.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from backend import locks

#: Seconds without a look after which nobody waits for it any more. A page looks every 0.7 s; a tab that is not in front
#: is held to one second by its browser.
LEFT: Final = 5.0
#: Seconds between two tries to have one's turn.
TRY: Final = 0.2
LOOKED, TURN = "looked", "turn"


class LeftError(Exception):
    """Nobody looks at the request any more."""


def look(place: Path) -> None:
    """Somebody looks at the request of this folder, if it is there."""
    with suppress(OSError):
        os.utime(place / LOOKED)


def begin(place: Path) -> None:
    """The request of this folder is begun in passing."""
    (place / LOOKED).touch()


def check(place: Path) -> None:
    """LeftError, where a request was begun in passing and nobody has looked at it for LEFT seconds."""
    with suppress(FileNotFoundError):  # a button was pressed for it: it goes on by itself
        if time.time() - (place / LOOKED).stat().st_mtime > LEFT:
            raise LeftError


@contextmanager
def turn(place: Path, wait: Callable[[], None]) -> Iterator[None]:
    """The turn of a request begun in passing; any other needs none. wait: called between two tries, and may raise
    LeftError. The turn ends with the process, however that ends."""
    if not (place / LOOKED).exists():
        yield
        return
    while True:
        with locks.held(place.parent / TURN, wait=False) as mine:
            if mine:
                _leave_a_core()
                yield
                return
        wait()
        time.sleep(TRY)


def _leave_a_core() -> None:
    """One core, if there are two or more, is left to the page."""
    import torch

    torch.set_num_threads(max(1, torch.get_num_threads() - 1))
