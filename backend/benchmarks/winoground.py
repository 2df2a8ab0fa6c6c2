"""Winoground: two images and two captions of the same words in another order; in any of its three layouts.

`examples.jsonl` with `images/` (the original), Parquet shards with the pictures inside (the newer one), or the
`metadata.csv` of t2v_metrics. An item has the same id, texts and image keys in all of them. Its licence lets nobody
hand the files on: none was at hand, so names of fields are of our notes on the original, and no count was checked.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.parts import score
from backend.benchmarks.reading import packed
from backend.benchmarks.reading.records import csv_rows, each, json_lines, json_object, lines, number, skipped, text
from backend.errors import FlipsideError, UsageError
from backend.items import ImageRef, Item, Protocol, Skipped
from backend.metrics.official import by_group

EXAMPLES, SHARDS, TABLE, HARD = "examples.jsonl", "test-*.parquet", "metadata.csv", "why_winoground_hard.json"
COLUMNS = ("id", "image_0", "image_1", "caption_0", "caption_1")
CONCEPTS = {"Object": ("object",), "Relation": ("relation",), "Both": ("object", "relation")}
LABELS = ("tag", "secondary_tag", "collapsed_tag", "num_main_preds")


def read(source: Source) -> Iterator[Item | Skipped]:
    """The items of the layout that is there; the original's where there are several."""
    hard = _hard(source)
    examples, table = _examples(source), _table(source)
    shards = [] if examples else _shards(source)
    if examples is not None:
        yield from _unpacked(source)
        yield from each(EXAMPLES, json_lines(examples), partial(_item, source, hard, EXAMPLES))
    elif shards:
        for shard in shards:
            rows = packed.rows(shard, ("image_0", "image_1"))
            yield from each(shard.name, rows, partial(_item, source, hard, shard.name))
    elif table is not None:
        yield from each(TABLE, csv_rows(table, COLUMNS), partial(_item, source, hard, TABLE))


def _item(source: Source, hard: Mapping[str, tuple[str, ...]], file: str, line: int | str, record: Any) -> Item:
    name = number(record, "id")
    images = (_image(source, record, name, 0), _image(source, record, name, 1))
    tags: dict[str, tuple[str, ...]] = {
        label: (str(record[label]),) for label in LABELS if str(record.get(label) or "").strip()
    }
    concept = CONCEPTS.get(str(record.get("collapsed_tag")), ("sentence",))
    tags |= {"concept": concept, "perturbation": ("swap",), "original": tags.get("tag", ("test",))}
    if str(name) in hard:
        tags["why_hard"] = hard[str(name)]
    return Item(
        item_id=f"test/{name}",
        subset="test",
        protocol=Protocol.QUAD,
        images=images,
        texts=(text(record, "caption_0"), text(record, "caption_1")),
        truth=((0, 0), (1, 1)),
        tags=tags,
        source=f"{file}:{line}",
    )


def _image(source: Source, record: Mapping[str, Any], name: int, which: int) -> ImageRef:
    """The picture by its name with `.png`, which may hide another format, or as it was unpacked. Its key is the bare
    name in all layouts, so that the benchmark's hash does not depend on them."""
    value = record.get(f"image_{which}")
    if isinstance(value, packed.Picture):
        return ImageRef(f"ex_{name}_img_{which}", value.path)
    reference = text(record, f"image_{which}")
    found = source.files.image(reference, prefer=("images",), suffixes=(".png", ".jpg"))
    return ImageRef(PurePosixPath(reference).stem, found.uri)


def _hard(source: Source) -> dict[str, tuple[str, ...]]:
    """Why an item is hard, by id, as others have labelled it; an empty list there means that it has no label."""
    path = source.files.find(HARD)
    if path is None:
        return {}
    labels = ((key, value) for key, value in json_object(path) if isinstance(value, list))
    return {key: tuple(str(label) for label in value) or ("No Tag",) for key, value in labels}


def _unpacked(source: Source) -> Iterator[Skipped]:
    if source.files.find("images.zip") is not None and not source.files.find_all("images/*.png"):
        reason = "the pictures are still packed: unpack it where it is (unzip images.zip)"
        yield skipped("images.zip", "images.zip", reason)


def _shards(source: Source) -> list[Path]:
    return [path for path in source.files.find_all(SHARDS) if packed.has_columns(path, COLUMNS)]


def _examples(source: Source) -> Path | None:
    """The file of that name, where its first record does not show that it is something else's: the name is no rare
    one. A file that cannot be read is kept, so that reading it says what is wrong."""
    for path in source.files.every(EXAMPLES):
        try:
            first = next(json_lines(path), (0, None))[1]
        except FlipsideError:
            return path
        if not isinstance(first, Mapping) or "caption_0" in first:
            return path
    return None


def _table(source: Source) -> Path | None:
    """The same for t2v_metrics' table, by its header."""
    for path in source.files.every(TABLE):
        try:
            header = next(lines(path), (0, ""))[1]
        except FlipsideError:
            return path
        if set(COLUMNS) <= {name.strip('" ') for name in header.split(",")}:
            return path
    return None


def check(source: Source) -> None:
    """UsageError where the folder has none of the three layouts."""
    if (_examples(source) or _table(source)) is None and not _shards(source):
        raise UsageError(
            f"{source.files.root}: expected {DATA} in it or below, found {source.files.listing()}. {GATED}"
        )


def official(judged: Judged) -> list[Official]:
    """The three scores by collapsed tag and by number of main predicates, as the paper's tables have them."""
    if judged.metric not in ("text_score", "image_score", "group_score"):
        return []
    found = []
    for label, values in (("collapsed_tag", CONCEPTS), ("num_main_preds", ("1", "2"))):
        shares = by_group(judged.correct, [tags.get(label, ("",))[0] for tags in judged.tags])
        for value in values:
            if value in shares:
                how = f"{judged.metric} of the items whose {label} is {value}."
                found.append(score(f"{label} {value}", shares[value], how))
    return found


DATA = f"{EXAMPLES} with images/ (or data/{SHARDS}, or t2v_metrics' {TABLE})"
GATED = (
    "Winoground is handed out by its owners only: sign in at huggingface.co/datasets/facebook/winoground, accept the "
    "licence (research only), download examples.jsonl and images.zip, and unpack the pictures beside it."
)

WINOGROUND = Declaration(
    name="winoground",
    title="Winoground: the same words in another order, another picture",
    source="https://huggingface.co/datasets/facebook/winoground",
    revision="400 items, one split",
    licence="gated; its own, research only; images courtesy of Getty Images: never hand them on",
    citation="Winoground: Probing Vision and Language Models for Visio-Linguistic Compositionality, CVPR 2022",
    protocols={"test": Protocol.QUAD},
    read=read,
    data=DATA,
    check=check,
    images="images/NAME.png, or inside the Parquet shards, from which they are unpacked once into the cache",
    expected={"test": 400},
    splits={"test": "all of it; there is no other"},
    default_split="test",
    official=official,
    gated=GATED,
    tags_may_be_published=False,
)
