"""NaturalBench: two photos, two questions, and each question has another answer on each photo.

Read from the authors' own loader (naturalbench_vqa.py): its columns, and that a group is four cells; its Parquet file
itself was not at hand. Questions with the options A and B are no yes or no: they are skipped, and said so.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading import packed
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import each, skipped, text
from backend.errors import UsageError
from backend.item_clusters import GROUP
from backend.items import ImageRef, Item, Protocol, Skipped

SUBSET = "yes_no"
PICTURES = ("Image_0", "Image_1")
COLUMNS = ("Question_0", "Question_1", *PICTURES, "Image_0_Question_0", "Image_1_Question_1", "Question_Type")
SHARDS = "*.parquet"


def read(source: Source) -> Iterator[Item | Skipped]:
    """Four cells of each group: question 0 on image 0 and 1, then question 1. Groups are counted over all shards."""
    group = 0
    for path in _shards(source):
        for row, record in packed.rows(path, PICTURES):
            group += 1
            if isinstance(record, Mapping) and record.get("Question_Type") != "yes_no":
                yield skipped(path.name, str(group), "its question has options, and only yes and no are asked")
                continue
            cells = ((f"{group}_q{q}_i{i}", (record, q, i)) for q in (0, 1) for i in (0, 1))
            yield from each(path.name, cells, partial(_item, path.name, row, group))


def _shards(source: Source) -> list[Path]:
    found = sorted(source.files.find_all(SHARDS))
    return [path for path in found if packed.has_columns(path, COLUMNS)]


def check(source: Source) -> None:
    """UsageError where no Parquet file has its columns."""
    if not _shards(source):
        raise UsageError(f"{source.files.root}: expected {DATA} in it or below, found {source.files.listing()}.")


def _item(file: str, row: int, group: int, key: int | str, cell: Any) -> Item:
    record, question, image = cell
    if isinstance(record, Malformed):
        raise record
    answer = text(record, f"Image_{image}_Question_{question}").strip().lower()
    if answer not in ("yes", "no"):
        raise Malformed(f"'Image_{image}_Question_{question}' is {answer!r}, expected Yes or No")
    picture = record.get(f"Image_{image}")
    uri = picture.path if isinstance(picture, packed.Picture) else ""
    return Item(
        item_id=f"{SUBSET}/{key}",
        subset=SUBSET,
        protocol=Protocol.ANSWERS,
        images=(ImageRef(f"{group}_image_{image}", uri),),
        texts=(text(record, f"Question_{question}"),),
        truth=((0, 0),) if answer == "yes" else (),
        tags={GROUP: (str(group),), "question": (str(question),), "image": (str(image),)},
        source=f"{file}:{row}",
    )


DATA = f"its Parquet file ({SHARDS} with the columns {', '.join(COLUMNS[:4])}, …)"

NATURALBENCH = Declaration(
    name="naturalbench",
    title="NaturalBench: a question has another answer on each of two photos",
    source="https://huggingface.co/datasets/BaiqiL/NaturalBench",
    revision="1,900 groups of four answers; its questions with options are left out",
    licence="none stated in its repository; photos under their own terms",
    citation="NaturalBench: Evaluating Vision-Language Models on Natural Adversarial Samples, NeurIPS 2024",
    protocols={SUBSET: Protocol.ANSWERS},
    read=read,
    data=DATA,
    check=check,
    images="inside the Parquet file, from which they are unpacked once into the cache",
)
