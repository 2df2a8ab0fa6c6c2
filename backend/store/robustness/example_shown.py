"""The example that ships is shown unasked the first time somebody looks for what it answers, and never again after
that: who has deleted it does not want it back."""

from threading import Lock

from backend.durable import write_synced
from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.store.robustness import example

#: Its presence in the cache says that the example was taken over once.
MARK = "example-taken"
_lock = Lock()


def take_over() -> int:
    """`example.take_over`, and a note that it was done; how many runs. One at a time in this process."""
    with _lock:
        taken = example.take_over()
        try:
            write_synced(cache_dir() / MARK, b"The example that ships was taken over here once.\n")
        except OSError as error:
            raise FlipsideError(f"{cache_dir() / MARK} cannot be written ({error}).") from error
    return taken


def is_new() -> bool:
    """Whether there is an example that was never taken over here."""
    found = example.known()
    return found is not None and not found.here and not (cache_dir() / MARK).exists()
