"""Own data: tables of triplets, choices, quads or image–caption pools, in whatever columns their owner has."""

from collections.abc import Iterator, Mapping
from typing import Any

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.custom.opening import WANTED, opened
from backend.items import Benchmark, Item, Protocol, Skipped


def _opened(source: Source) -> Benchmark:
    return opened(source.files.root)


def _read(source: Source) -> Iterator[Item | Skipped]:
    yield from _opened(source).open_items()


def _about(source: Source) -> Mapping[str, Any]:
    return _opened(source).about


CUSTOM = Declaration(
    name="custom",
    title="Own data",
    source="your own files, see docs/own-data.md",
    revision="as you keep them",
    licence="yours",
    citation="none",
    # What a table may hold; its own name is the subset, unless a column says it.
    protocols={each.value: each for each in (Protocol.TRIPLET, Protocol.CHOICE, Protocol.QUAD, Protocol.RETRIEVAL)},
    read=_read,
    data=WANTED,
    images="beside the table, in --images DIR, or anywhere below a folder given as --data",
    check=_opened,
    name_of=lambda source: _opened(source).name,
    about=_about,
    templates=lambda source: _opened(source).templates,
    open_file=opened,
)
