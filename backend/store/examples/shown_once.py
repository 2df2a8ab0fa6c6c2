"""An example that ships is shown unasked the first time somebody looks for what it answers, and never again after
that: who has deleted it does not want it back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import duckdb

from backend import locks
from backend.durable import IN_CACHE, not_written, write_synced
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.paths import bundled_editions_dir, cache_dir
from backend.store.build import generations
from backend.store.examples import ahead, example, first_example

#: Its presence in the cache says that an example was taken over once: of editions, and of any other folder.
MARK = "example-taken"
LOCK = "example.lock"
_lock = Lock()


def take_over(place: Path) -> int:
    """`example.take_over`, or what was made of it ahead, and a note that it was done; how many runs."""
    with _one_at_a_time():
        taken = len(shards.run_dirs(place)) if _take(place) else example.take_over(place)
        _note(place)
    return taken


def take_ahead(place: Path) -> bool:
    """The same where it was made ahead, or can be at once, whose generation then is the newest and holds all of it;
    False, and nothing is done, where not."""
    with _one_at_a_time():
        if not _take(place):
            return False
        _note(place)
    return True


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """In this process and in all others: who comes second waits, and finds it there."""
    with _lock:
        try:
            cache_dir().mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise generations.unwritable(error) from None
        with locks.held(cache_dir() / LOCK, wait=True, refused=generations.unwritable):
            yield


def _take(place: Path) -> bool:
    """Take what was made ahead; where it is not made yet, but set-up has imported all of it, make it now, which takes
    half a second. Where that goes wrong, it goes wrong again, and is said, as the example is taken over without."""
    if ahead.take(place):
        return True
    base = generations.current()
    try:
        at_set_up = base is not None and first_example.instead_of(base, place) is not None
        return at_set_up and ahead.make(place) is not None and ahead.take(place)
    except (duckdb.Error, FlipsideError):
        return False


def _note(place: Path) -> None:
    try:
        write_synced(_mark(place), b"The example that ships was taken over here once.\n")
    except OSError as error:
        raise FlipsideError(not_written(error, _mark(place), IN_CACHE)) from error


def is_new(place: Path, known: example.Example | None = None) -> bool:
    """Whether there is an example that was never taken over here. known: what there is, where that was read already."""
    found = known or example.known(place)
    return found is not None and not found.here and not _mark(place).exists()


def _mark(place: Path) -> Path:
    # The editions' mark is older than the others, and has no name in it.
    return cache_dir() / (MARK if place == bundled_editions_dir() else f"{MARK}-{place.name}")
