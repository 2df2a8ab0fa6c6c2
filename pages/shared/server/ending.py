"""What a server gives up when it is stopped. Not at Python's own end: a process that is told to terminate ends by that
signal once its server has shut down, and what was registered for its end never runs."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """For `st.App(lifespan=…)`."""
    yield
    # Nobody has opened Teach where it was never imported, or is being imported.
    shared = getattr(sys.modules.get("backend.live.teaching.asking"), "shared", None)
    if shared is not None:
        shared().close()
