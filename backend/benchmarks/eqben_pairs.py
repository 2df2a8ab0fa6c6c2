"""EqBen's flattened list: a million (image, caption) pairs in random order, and the two files that say what is what.

`private_random_idx.json` is a permutation: the pair at place i of the list stands at place p[i] of the original order.
`private_info.json` has the original order: sub-dataset, cell of the quad (c0i1: caption 0 with image 1), quad number.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.benchmarks.eqben_files import PARTS
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import json_list, number, text
from backend.errors import FlipsideError

LIST, INFO, ORDER = "ann_json_finegrained_random.json", "private_info.json", "private_random_idx.json"
CELLS = ("c0i0", "c0i1", "c1i0", "c1i1")
NO_QUADS = (
    f"{LIST} has no quads: it is a shuffled list of single pairs without numbers. Put {INFO} and {ORDER} beside it "
    "(folder src_file of EqBen's repository), or use the full annotation private_info_global.json."
)


@dataclass(frozen=True)
class Key:
    """What each place of the flattened list is, (n,): part as an index into PARTS, -1 for none of them, cell as one
    into CELLS, quad number."""

    part: NDArray[np.int8]
    cell: NDArray[np.int8]
    quad: NDArray[np.int32]


def key(info: Path, order: Path) -> Key:
    """The key to the flattened list and to a submission's scores, which come in its order. FlipsideError where the two
    files do not fit each other."""
    place = np.fromiter((_place(order, at, entry) for at, entry in json_list(order)), dtype=np.int64)
    parts, cells, quads = array("b"), array("b"), array("i")
    names, kinds = {name: k for k, name in enumerate(PARTS)}, {name: k for k, name in enumerate(CELLS)}
    for at, entry in json_list(info):
        try:
            parts.append(names.get(text(entry, "dataset"), -1))
            cells.append(kinds.get(text(entry, "name"), -1))
            quads.append(number(entry, "sample_cnt"))
        except (Malformed, OverflowError) as reason:
            raise FlipsideError(f"{info}, entry {at}: {reason}. Use the original file.") from None
    n = len(parts)
    if len(place) != n or not np.array_equal(np.sort(place), np.arange(n)):
        raise FlipsideError(f"{order}: is no permutation of the {n:,} entries of {info.name}. Use the original files.")
    found = (np.frombuffer(column, dtype=kind)[place] for column, kind in ((parts, "i1"), (cells, "i1"), (quads, "i4")))
    return Key(*(np.ascontiguousarray(column) for column in found))


def _place(order: Path, at: str, entry: object) -> int:
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise FlipsideError(f"{order}, entry {at}: expected a whole number. Use the original file.")
    return entry


def rebuilt(pairs: Path, known: Key) -> Iterator[tuple[int, dict[str, str] | Malformed]]:
    """(number, record) of each quad in its original order, with the fields of the full annotation; numbers are
    `sample_cnt` + 1, which are the positions in that annotation.

    Images and captions are held once each, so that a quarter of a million quads take some 200 MB.
    """
    numbers = np.unique(known.quad)
    row = np.searchsorted(numbers, known.quad)
    cells = np.full((len(numbers), len(CELLS), 2), -1, dtype=np.int32)
    part = np.full(len(numbers), -1, dtype=np.int8)
    strings: dict[str, int] = {}
    count = 0
    for _, entry in json_list(pairs):
        count += 1
        if count > len(row):
            break
        try:
            both = text(entry, "image"), text(entry, "caption")
        except Malformed:
            continue
        here, cell = row[count - 1], known.cell[count - 1]
        if cell >= 0:
            cells[here, cell] = [strings.setdefault(string, len(strings)) for string in both]
            part[here] = known.part[count - 1]
    if count != len(row):
        raise FlipsideError(f"{pairs}: holds not the {len(row):,} pairs that {INFO} names. Use files of one release.")
    said = list(strings)
    for quad, its_cells, its_part in zip(numbers.tolist(), cells.tolist(), part.tolist(), strict=True):
        yield quad + 1, _record(its_cells, its_part, said)


def _record(cells: list[list[int]], part: int, said: list[str]) -> dict[str, str] | Malformed:
    (image0, caption0), (image1, caption0_too), (image0_too, caption1), (image1_too, caption1_too) = cells
    if min(min(cell) for cell in cells) < 0:
        return Malformed("one of its four pairs is missing or has no image or caption")
    if (image0, image1, caption0, caption1) != (image0_too, image1_too, caption0_too, caption1_too):
        return Malformed("its four pairs do not name the same two images and captions")
    found = {"image0": said[image0], "image1": said[image1], "caption0": said[caption0], "caption1": said[caption1]}
    return found | ({"dataset": list(PARTS)[part]} if part >= 0 else {})
