"""Files to start from on Try it, many items: tables of new scenes of the drawn world, as a user would bring them."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from backend.items import Item

#: Of the scenes: another than the bundled edition's, so that these are items of their own.
SEED: Final = 20_261


@dataclass(frozen=True)
class TableExample:
    """title and asks: for people; table: the file's bytes, CSV in UTF-8."""

    title: str
    asks: str
    table: Callable[[], bytes]


def _rows(items: Iterator[Item]) -> Iterator[list[str]]:
    for item in items:
        pictures = [image.uri for image in item.images]
        yield [*pictures, *item.texts, item.tags["concept"][0], item.tags["perturbation"][0]]


def _csv(columns: Sequence[str], rows: Iterator[list[str]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


@cache
def quads() -> bytes:
    """60 quads, twelve of each concept."""
    from backend.world.subsets.quads import quad_items

    columns = ("image_0", "image_1", "caption_0", "caption_1", "concept", "perturbation")
    concepts = ("attribute", "relation", "count", "location", "size")
    return _csv(columns, (row for concept in concepts for row in _rows(quad_items(concept, 12, SEED))))


@cache
def triplets() -> bytes:
    """60 triplets: two paraphrases and a negative a picture."""
    from backend.world.subsets.triplet import triplet_items

    columns = ("image", "caption", "paraphrase", "negative", "concept", "perturbation")
    return _csv(columns, _rows(triplet_items(60, SEED)))


EXAMPLES: Final = {
    "quads": TableExample(
        "60 quads", "Two scenes and two captions each: attribute, relation, count, place and size.", quads
    ),
    "triplets": TableExample("60 triplets", "Two paraphrases and a negative for each scene.", triplets),
}
