"""What has been imported goes out of the way of the search for garbage, and is not searched while it is imported; and
what a search frees goes back to the system."""

import ctypes
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

#: `mallopt`'s number for the most arenas (malloc.h).
_M_ARENA_MAX: Final = -8
_lock = threading.Lock()
#: How many threads import now, and whether garbage was searched for by itself before the first of them began.
_importing, _was_on = 0, True


@contextmanager
def importing() -> Iterator[None]:
    """Around imports behind a page: everything that there is at the end goes out of the search for garbage, and until
    then Python searches only where it is told to.

    Our modules and those of the libraries (300,000 objects; as many again with torch) never become any: a tenth of a
    second for nothing at every search. And Python looks by itself when there are so many objects more than before,
    which an import of torch brings about again and again; no page gets on while it does. What little is garbage at the
    end (some hundred objects, with torch 5 MB) stays: to look for it would stop all pages for a third of a second.
    """
    global _importing, _was_on
    with _lock:
        if not _importing:
            _was_on = gc.isenabled()
            gc.disable()
        _importing += 1
    try:
        yield
    finally:
        gc.freeze()
        with _lock:
            _importing -= 1
            if not _importing and _was_on:
                gc.enable()


def few_arenas() -> None:
    """Let all threads share two of the places that the C library takes memory from (glibc's arenas, of which it would
    make eight a core): what a page's thread frees is then there for the next page's, and not for none."""
    with suppress(AttributeError, OSError):  # glibc's alone
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def search() -> None:
    """Search now, and give back the memory of what is free: the C library keeps it for each thread that ever asked for
    some, and of a server's dozens it adds up (some 10 MB once all pages' code is there)."""
    gc.collect()
    with suppress(AttributeError, OSError):  # glibc's alone
        ctypes.CDLL(None).malloc_trim(0)
