"""Which clump each dot of a map belongs to, kept on disk once it was found: sklearn takes half a second to load, which
who opens a map that was searched before need not wait for.

`<cache>/embeddings/clumps/<key>.npz`; those of the maps that ship lie beside these, and those of the map that
Embeddings draws first of the results that ship where set-up put them (pages/embeddings/make_first_clumps.py). The key
is made of the places, of how they are searched, and of the library's version, so another map, rule or version is
searched anew. All of it may be deleted.
"""

from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend import paths
from backend.errors import FlipsideError
from backend.live.maps import maps
from backend.store.build import first
from backend.store.enrichment import clumps

FOLDER: Final = "clumps"


def labels(places: NDArray[np.floating]) -> NDArray[np.intp]:
    """What `clumps.labels_of` gives for a map (n, 2): as it was found before, else found now and kept."""
    found = _read(places)
    if found is not None:
        return found
    found = clumps.labels_of(places)
    with suppress(OSError, FlipsideError):  # a cache that may not be written, or is full: it is found again next time
        keep(maps.folder() / FOLDER, places, found)
    return found


def is_known(places: NDArray[np.floating]) -> bool:
    """Whether nothing has to be found of a map (n, 2): it was, or it is not searched at all."""
    return not clumps.is_searched(len(places)) or _read(places) is not None


def _read(places: NDArray[np.floating]) -> NDArray[np.intp] | None:
    """What was found on a map before; None where nothing was, or nothing of it can be read."""
    name = f"{key(places)}.npz"
    for folder in (shipped(), set_up(), maps.folder() / FOLDER):
        found = maps.read_labels(folder / name, len(places))
        if found is not None:
            return found
    return None


def keep(folder: Path, places: NDArray[np.floating], found: NDArray[np.intp]) -> Path:
    """Write what was found on a map (n, 2); the file."""
    path = folder / f"{key(places)}.npz"
    maps.write_arrays(path, labels=found.astype(np.int16))
    return path


def shipped() -> Path:
    """Where those of the maps that ship lie."""
    return paths.bundled_runs_dir() / "maps" / FOLDER


def set_up() -> Path:
    """Where set-up keeps what it has found."""
    return first.folder() / FOLDER


def key(places: NDArray[np.floating]) -> str:
    """What the clumps of a map are kept under."""
    rule = (len(places), clumps.smallest(len(places)), clumps.NEIGHBOURS, "leaf, equal edges as found", _library())
    digest = sha256(repr(rule).encode())
    digest.update(np.ascontiguousarray(places, dtype=np.float64).tobytes())
    return digest.hexdigest()[:20]


@cache
def _library() -> str:
    try:
        return version("scikit-learn")
    except PackageNotFoundError:
        return "none"
