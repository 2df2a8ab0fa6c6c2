"""VALSE: one true caption and one foil an image, for linguistic phenomena; eleven JSON objects, id -> record.

Checked against three original files: existence 505 of 534, counting-small-quant 900 of 1,000, actant-swap 949 of 1,042
are valid. The other counts are of our notes on the original files.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.parts import accuracies, mean_over
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import each, json_object, number, text
from backend.item_clusters import GROUP
from backend.items import Item, Protocol, Skipped
from backend.metrics.official import Mean


@dataclass(frozen=True, slots=True)
class _Piece:
    """One file. valid: items that at least two of three annotators accepted, of `all`."""

    valid: int
    all: int
    concept: str
    perturbation: str
    images: tuple[str, ...] = ()


_V7W, _SWIG = ("visual7w", "images"), ("images_512", "SWiG")
PIECES = {
    "existence": _Piece(505, 534, "existence", "negate", _V7W),
    "plurals": _Piece(851, 1000, "plurality", "number", ("val2017",)),
    "counting-small-quant": _Piece(900, 1000, "count", "number", _V7W),
    "counting-hard": _Piece(868, 1000, "count", "number", _V7W),
    "counting-adversarial": _Piece(691, 756, "count", "number", _V7W),
    "relations": _Piece(535, 614, "spatial", "replace", ("val2017",)),
    "action-replacement": _Piece(648, 779, "action", "replace", _SWIG),
    "actant-swap": _Piece(949, 1042, "action", "swap", _SWIG),
    "coreference-standard": _Piece(708, 916, "coreference", "replace", ("train2014",)),
    "coreference-hard": _Piece(104, 141, "coreference", "replace", ("VisualDialog_val2018",)),
    "foil-it": _Piece(943, 1000, "object", "replace", ("val2014",)),
}
FILES = {piece: f"{piece}.json" for piece in PIECES}
#: Pieces whose photos are COCO's: 2014 and 2017 give one photo the same number under different names.
OF_COCO = ("plurals", "relations", "coreference-standard", "foil-it")
_COCO = re.compile(r"(\d{12})\.jpg\Z")
#: Of three annotators, how many must have taken the caption and not the foil.
ENOUGH = 2


def read(source: Source) -> Iterator[Item | Skipped]:
    """All files' records in order; in split `valid`, those that the annotators accepted."""
    for piece, path in source.present(FILES):
        records = _wanted(json_object(path), source.split)
        yield from each(path.name, records, partial(_item, piece, source))


def _wanted(records: Iterator[tuple[str, Any]], split: str) -> Iterator[tuple[str, Any]]:
    for key, record in records:
        if split == "all" or not _refused(record):
            yield key, record


def _refused(record: Any) -> bool:
    """Whether the votes are there and too few. Records without votes are read, and then say what they lack."""
    votes = record.get("mturk") if isinstance(record, Mapping) else None
    try:
        return isinstance(votes, Mapping) and number(votes, "caption") < ENOUGH
    except Malformed:
        return False


def _item(piece: str, source: Source, key: int | str, record: Any) -> Item:
    told = PIECES[piece]
    image = source.files.image(text(record, "image_file"), prefer=told.images)
    texts = (text(record, "caption"), text(record, "foil"))
    tags = {"concept": (told.concept,), "perturbation": (told.perturbation,), "original": (piece,)}
    for field in ("linguistic_phenomena", "dataset"):
        if isinstance(record.get(field), str):
            tags[field] = (record[field],)
    photo = _COCO.search(text(record, "image_file")) if piece in OF_COCO else None
    if photo is not None:
        tags[GROUP] = (f"coco:{int(photo.group(1))}",)
    if source.split == "valid" and not isinstance(record.get("mturk"), Mapping):
        raise Malformed("has no 'mturk' with the annotators' votes; --split all reads it without")
    if isinstance(record.get("mturk"), Mapping):
        votes = number(record["mturk"], "caption")
        tags |= {"mturk": (str(votes),), "valid": ("yes" if votes >= ENOUGH else "no",)}
    return Item(
        item_id=f"{piece}/{key}",  # ids occur in several files
        subset=piece,
        protocol=Protocol.CHOICE,
        images=(image,),
        texts=texts,
        truth=((0, 0),),
        tags=tags,
        source=f"{FILES[piece]}:{key}",
    )


SCORED = (
    "existence", "plurals", "counting-hard", "counting-small-quant", "counting-adversarial", "relations",
    "action-replacement", "actant-swap", "coreference-standard", "coreference-hard", "foil-it",
)  # fmt: skip
#: Metrics of thresholded matching that are means of their own, by the paper's names; undefined without probabilities.
THRESHOLDED = {"pc": "pc", "pf": "pf", "threshold_accuracy": "acc", "min_pc_pf": "min(pc, pf)"}


def official(judged: Judged) -> list[Official]:
    """The mean over the pieces of acc_r and, where scores are probabilities, of pc, pf, acc and min(pc, pf)."""
    if judged.metric != "accuracy":
        return []
    found = [mean_over("acc_r", accuracies(judged), SCORED, _how("acc_r"))]
    for metric, name in THRESHOLDED.items():
        parts = {piece: Mean(*rates[metric]) for piece, rates in judged.rates.items() if metric in rates}
        if any(part.value is not None for part in parts.values()):
            found.append(mean_over(name, parts, SCORED, _how(name)))
    return found


def _how(name: str) -> str:
    return f"Plain mean of {name} over the eleven pieces, each piece with the same weight."


VALSE = Declaration(
    name="valse",
    title="VALSE: existence, plurality, counting, relations, actions, coreference",
    source="https://github.com/Heidelberg-NLP/VALSE",
    revision="the eleven files of data/, 7,702 valid items of 8,782",
    licence="MIT; images: Visual7W, SWiG, COCO, VisDial and FOIL, each under its own terms",
    citation="VALSE: A Task-Independent Benchmark for Vision and Language Models, ACL 2022",
    protocols=dict.fromkeys(PIECES, Protocol.CHOICE),
    read=read,
    files=FILES,
    images="by their names: v7w_*.jpg (Visual7W), SWiG's images_512, COCO val2017, val2014, train2014, VisDial val2018",
    expected={piece: told.valid for piece, told in PIECES.items()},
    expected_in={"all": {piece: told.all for piece, told in PIECES.items()}},
    splits={
        "valid": "items whose caption at least two of three annotators accepted: the benchmark",
        "all": "the whole files; not comparable with print",
    },
    default_split="valid",
    official=official,
)
