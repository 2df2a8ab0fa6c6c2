"""The bundled synthetic world as a benchmark; the scenes, captions and pairs are made in `backend.world`."""

from collections.abc import Iterator
from pathlib import Path

from backend.benchmarks.base import Declaration, Source
from backend.items import Item, Protocol, Skipped
from backend.world.benchmark import BUNDLED, BUNDLED_SEED, load

_PROTOCOLS = {"triplet": Protocol.TRIPLET, "choice": Protocol.CHOICE, "retrieval": Protocol.RETRIEVAL}


def _root(source: Source) -> Path | None:
    return None if source.folder is None else source.folder.root


def read(source: Source) -> Iterator[Item | Skipped]:
    """The bundled edition, or one that `flipside world --out DIR` wrote."""
    yield from load(_root(source)).open_items()


WORLD = Declaration(
    name="world",
    title="The bundled world: scenes of coloured shapes, minimal pairs by construction",
    source="made by Flipside (backend/world)",
    revision=f"bundled edition, seed {BUNDLED_SEED}, {sum(BUNDLED.values())} items",
    licence="Apache-2.0",
    citation="Flipside (CITATION.cff)",
    protocols={subset: _PROTOCOLS.get(subset, Protocol.QUAD) for subset in BUNDLED},
    read=read,
    check=lambda source: load(_root(source)),
    images="rendered from scene codes; an edition in a folder brings its own",
    texts_may_be_published=True,
    pictures_may_be_published=True,
)
