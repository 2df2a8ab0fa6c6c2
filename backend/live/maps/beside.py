"""Finds the clumps of a map in a process of its own and keeps them (`clumped.py`): for a server that wants them before
anybody asks, and not the library that finds them, half a second and 60 MB. As a module it is that process:
`backend.live.maps.beside`, with the places as an `.npy` on standard input."""

import io
import sys
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.live import working_ahead
from backend.live.maps import clumped

MODULE: Final = "backend.live.maps.beside"
#: Seconds after which it is given up; of the largest map that is searched it takes some two.
PATIENCE: Final = 60.0


def find(places: NDArray[np.floating]) -> bool:
    """Whether the clumps of a map (n, 2) are kept now. Waits for the process; what goes wrong in it goes wrong again,
    and is said, where a page looks for them."""
    if clumped.is_known(places):
        return True
    said = io.BytesIO()
    np.save(said, np.ascontiguousarray(places), allow_pickle=False)
    working_ahead.ask(MODULE, said.getvalue(), PATIENCE)
    return clumped.is_known(places)


def stop() -> None:
    """End what is at work."""
    working_ahead.stop(MODULE)


def main() -> int:
    """Find and keep the clumps of the map that comes on standard input."""
    working_ahead.give_way()
    clumped.labels(np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
