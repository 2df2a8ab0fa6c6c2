"""The bundled synthetic world as a benchmark; the scenes, captions and pairs are made in `backend.world`."""

from collections.abc import Iterator
from pathlib import Path

from backend.benchmarks.base import Declaration
from backend.items import Item, Protocol, Skipped

#: Subsets in the order of the bundled edition.
PROTOCOLS = {
    "attribute": Protocol.QUAD,
    "relation": Protocol.QUAD,
    "count": Protocol.QUAD,
    "location": Protocol.QUAD,
    "size": Protocol.QUAD,
    "triplet": Protocol.TRIPLET,
    "choice": Protocol.CHOICE,
    "retrieval": Protocol.RETRIEVAL,
}


def read(folder: Path | None) -> Iterator[Item | Skipped]:
    """The bundled edition, or one that `flipside world --out DIR` wrote."""
    from backend.world import benchmark

    yield from benchmark.load(folder).open_items()


WORLD = Declaration(
    name="world",
    title="The bundled world: scenes of coloured shapes, minimal pairs by construction",
    source="made by Flipside (backend/world)",
    revision="bundled edition, seed 0",
    licence="Apache-2.0",
    citation="Flipside, CITATION.cff",
    protocols=PROTOCOLS,
    read=read,
    images="rendered from scene codes when needed",
)
