"""A lasso as the address holds it: which dots it takes, on which map, and its corners; and what lies inside."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pages.equivariance.pick import inside

#: What the corners are counted in: the map's frame is from 0 to 1, and a lasso may reach one frame beyond on each side.
_STEPS, _SPAN, _BEGIN = 65535, 3.0, -1.0
#: Corners of a lasso; scatter.js leaves out those that hardly matter. An address field holds 200 letters.
_FORM = re.compile(r"([ait])([01])((?:[0-9a-f]{8}){3,24})")
_CLUMP = re.compile(r"c([0-9]{1,3})")


@dataclass(frozen=True)
class Lasso:
    """takes: a (images and captions), i (images) or t (captions); panel: the map it is drawn on; points: its corners
    (n, 2) in the map's frame."""

    takes: str
    panel: int
    points: NDArray[np.float64]


def read(said: str) -> Lasso | None:
    """The lasso of a name in an address; None for anything else."""
    found = _FORM.fullmatch(said)
    if found is None:
        return None
    corners = [[int(found[3][k : k + 4], 16), int(found[3][k + 4 : k + 8], 16)] for k in range(0, len(found[3]), 8)]
    return Lasso(found[1], int(found[2]), np.array(corners) / _STEPS * _SPAN + _BEGIN)


def clump_of(said: str) -> int | None:
    """The number of a clump that stands in the place of a lasso.

    >>> clump_of("c12"), clump_of("c-1"), clump_of("")
    (12, None, None)
    """
    found = _CLUMP.fullmatch(said)
    return int(found[1]) if found else None


def contents(lasso: Lasso, places: Sequence[NDArray[np.uint16]], n_images: int) -> NDArray[np.intp]:
    """The dots inside a lasso, of those that it takes. places: of each map, as the component has them (see
    `view.framed`); by the same arithmetic as in scatter.js, so that both find the same."""
    if lasso.panel >= len(places):
        return np.zeros(0, dtype=np.intp)
    at = places[lasso.panel].astype(np.float64) / _STEPS
    found = inside(at, lasso.points[:, 0].tolist(), lasso.points[:, 1].tolist())
    taken = np.arange(len(at)) < n_images
    found &= {"i": taken, "t": ~taken}.get(lasso.takes, np.ones(len(at), dtype=bool))
    return np.flatnonzero(found)
