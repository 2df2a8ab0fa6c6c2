"""VSR: a statement on where two things are, and whether it is true of a photo; one JSON object a line.

Checked against the original zero-shot test split: 731 statements on 488 photos, 357 of them true.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import each, json_lines, number, text
from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

SUBSET = "zeroshot"
#: As it is handed on by itself, and as it lies in the repository.
FILES = ("zeroshot_test.jsonl", "zeroshot/test.jsonl")


def read(source: Source) -> Iterator[Item | Skipped]:
    """The statements in file order; a statement has no id, so it is known by its number."""
    path = _file(source)
    assert path is not None, "check refuses a folder without it"  # noqa: S101
    yield from each(path.name, json_lines(path), partial(_item, source))


def _file(source: Source) -> Path | None:
    return next((path for name in FILES if (path := source.files.find(name)) is not None), None)


def check(source: Source) -> None:
    """UsageError where the folder has no such file."""
    if _file(source) is None:
        raise UsageError(f"{source.files.root}: expected {DATA} in it or below, found {source.files.listing()}.")


def _item(source: Source, key: int | str, record: Any) -> Item:
    label, relation = number(record, "label"), text(record, "relation")
    if label not in (0, 1):
        raise Malformed(f"'label' is {label}, expected 1 (true) or 0 (false)")
    return Item(
        item_id=f"{SUBSET}/{key}",
        subset=SUBSET,
        protocol=Protocol.ANSWERS,
        images=(source.files.image(text(record, "image"), prefer=("train2017", "val2017")),),
        texts=(text(record, "caption"),),
        truth=((0, 0),) if label else (),
        tags={"concept": ("spatial",), "relation": (relation,), "original": (relation,), "split": ("test",)},
        source=f"{FILES[0]}:{key}",
    )


DATA = " or ".join(FILES)

VSR = Declaration(
    name="vsr",
    title="VSR: is this said of where two things are true of the photo?",
    source="https://github.com/cambridgeltl/visual-spatial-reasoning",
    revision="the test file of the zero-shot split, 731 statements",
    licence="Apache-2.0; images: COCO, under its own terms",
    citation="Visual Spatial Reasoning, TACL 2023",
    protocols={SUBSET: Protocol.ANSWERS},
    read=read,
    data=DATA,
    check=check,
    images="by their names: COCO train2017 and val2017",
    expected={SUBSET: 731},
)
