"""What a server gives up when it is stopped. Not at Python's own end: a process that is told to terminate ends by that
signal once its server has shut down, and what was registered for its end never runs."""

import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """For `st.App(lifespan=…)`."""
    with closing_of_terminal_is_told():
        yield
    # With processes that work ahead; the one that follows another first, or it would begin as that ends.
    for name in ("pages.embeddings.prepared", "pages.robustness.prepared", "backend.live.maps.beside"):
        module = sys.modules.get(name)
        if module is not None:
            module.stop()
    # Nobody has opened Teach where it was never imported, or is being imported.
    shared = getattr(sys.modules.get("backend.live.teaching.asking"), "shared", None)
    if shared is not None:
        shared().close()


@contextmanager
def closing_of_terminal_is_told() -> Iterator[None]:
    """A terminal that is closed under a server stops it as SIGTERM does. By itself SIGHUP ends a process on the spot,
    with everything lying about; where it is ignored, as under nohup, it stays so."""
    number = getattr(signal, "SIGHUP", None)  # Windows has none
    if (
        number is None
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(number) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(number, lambda *_: signal.raise_signal(signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(number, signal.SIG_DFL)
