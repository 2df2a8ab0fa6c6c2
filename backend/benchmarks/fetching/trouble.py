"""What can go wrong with one file, and how much of the rest it takes with it."""

from backend.benchmarks.fetching.outcome import Outcome
from backend.errors import FlipsideError


class FileError(FlipsideError):
    """This file cannot be had; the others may."""


class UnreachableError(FileError):
    """A server does not answer, its own or the one it sends on to, so that nothing else of that server is tried."""

    def __init__(self, why: str, host: str) -> None:
        super().__init__(why)
        self.host = host


class FullDiskError(FileError):
    """The disk is full: nothing else is tried."""


class StoppedError(FlipsideError):
    """Ctrl-C. outcomes: of the files before, and of the one that was being fetched."""

    exit_code = 130

    def __init__(self, outcomes: list[Outcome]) -> None:
        super().__init__("stopped; what has come so far is kept, and the same command goes on from there")
        self.outcomes = outcomes


class PassingError(Exception):
    """Worth another try. pause: seconds that the server asked for; None where it asked for none. unreachable: the host
    that does not answer; "" where it did."""

    def __init__(self, why: str, pause: float | None = None, *, unreachable: str = "") -> None:
        super().__init__(why)
        self.pause = pause
        self.unreachable = unreachable
