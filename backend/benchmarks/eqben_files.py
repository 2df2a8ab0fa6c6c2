"""The shapes in which EqBen's quads are published, each as one stream of (number in the file, record)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backend.benchmarks.reading.records import first_character, json_list, records_in_lists

#: The seven folders, of which the three of Kubric are one sub-dataset; and how many quads the full test set has.
PARTS = {
    "eqbenag": 195_872,
    "eqbenyoucook2": 45_849,
    "eqbengebc": 1_814,
    "eqbenkubric_loc": 2_000,
    "eqbenkubric_attr": 2_000,
    "eqbenkubric_cnt": 2_000,
    "eqbensd": 1_513,
}
#: The five sub-datasets by their names in the paper.
SUB_DATASETS = {
    "Eq-AG": ("eqbenag",),
    "Eq-YouCook2": ("eqbenyoucook2",),
    "Eq-GEBC": ("eqbengebc",),
    "Eq-Kubric": ("eqbenkubric_loc", "eqbenkubric_cnt", "eqbenkubric_attr"),
    "Eq-SD": ("eqbensd",),
}

_IMAGES = frozenset({"image0", "image_0", "image1", "image_1"})
#: How a record of quads names its first image, in bytes of JSON; and how far into a file one is looked for.
_FIRST_IMAGE = re.compile(rb'"image_?0"\s*:\s*"(?:\.\\?/)?(?:' + "|".join(PARTS).encode() + rb")\\?/")
_OPENING = 64 << 10


def has_quads(path: Path) -> bool:
    """Whether a JSON file begins with quads whose images lie in EqBen's folders, whatever it is called: EqBen's loaders
    leave the names of the sub-datasets' files to their owners. A file that cannot be read holds none."""
    try:
        with path.open("rb") as file:
            return _FIRST_IMAGE.search(file.read(_OPENING)) is not None
    except OSError:
        return False


def quads(path: Path) -> Iterator[tuple[int, Any]]:
    """(number, record) of an annotation file: a flat list, an object of videos (and subjects) that hold lists,
    or an object of records.

    Numbers go through the whole file from 1, in its order. One record at a time is in memory.
    """
    entries = (
        (record for _, record in json_list(path)) if first_character(path) == "[" else records_in_lists(path, _IMAGES)
    )
    yield from enumerate(entries, start=1)


def part_of(reference: str, file: Path) -> str:
    """The sub-dataset's folder name: the first part of an image's path, else what the file's own name says; "" if
    neither does.

    >>> part_of("eqbensd/17/a.png", Path("all.json")), part_of("17/a.png", Path("eqbenkubric_cnt_ann.json"))
    ('eqbensd', 'eqbenkubric_cnt')
    """
    first = reference.removeprefix("./").partition("/")[0]
    if first in PARTS:
        return first
    return next((part for part in PARTS if file.name.startswith(part) or file.parent.name == part), "")
