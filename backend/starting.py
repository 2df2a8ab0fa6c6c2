"""While a program of ours is being imported: nothing is at work yet, and nothing answers Ctrl-C in words."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_quietly() -> Iterator[None]:
    """Ctrl-C ends the process by that signal (130 for a shell), as it would have in any case, without a traceback
    through everybody's imports. Where it is ignored it stays so."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
