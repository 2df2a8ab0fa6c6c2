"""The systems on which Flipside does not run, and what to do there."""

import importlib.util


def refusal() -> str:
    """Why this system cannot run Flipside, in one sentence; "" where it can."""
    if importlib.util.find_spec("fcntl"):
        return ""
    return (
        "Flipside does not run on Windows itself: its locks, jobs and limits of memory use what only Linux and macOS "
        "have; install it in WSL, the Windows Subsystem for Linux (docs/install.md)."
    )
