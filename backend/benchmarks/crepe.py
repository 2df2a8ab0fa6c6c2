"""CREPE: regions of Visual Genome, one true caption and several hard negatives each.

Systematicity: what was seen together in a training set (CC12M, YFCC, LAION) and what was not. Productivity: captions of
4 to 12 parts. The tables are CSV with Python lists in cells; JSON with the same names and fields is read, too.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.reading.literals import list_literal
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import csv_rows, json_list, skipped, text, texts
from backend.errors import UsageError
from backend.items import ImageRef, Item, Protocol, Skipped
from backend.metrics.ranks import recall

SPLITS, TRAINED_ON, NEGATIVES = (
    ("seen_compounds", "unseen_compounds"),
    ("cc12m", "yfcc", "laion"),
    ("atom", "comp", "combined"),
)
TYPES, COMPLEXITIES = ("atom", "swap", "negate"), tuple(range(4, 13))
KS = (1, 3, 5, 10)
SYSTEMATICITY, PRODUCTIVITY = "systematicity", "productivity"
#: What was done to a caption. A compound negative joins two captions with replaced parts.
_DONE = {"atom": "replace", "comp": "replace", "combined": "replace", "swap": "swap", "negate": "negate"}
_BOX = ("x", "y", "width", "height")
_FOLDERS = ("VG_100K", "VG_100K_2")


def tables() -> dict[str, dict[str, str]]:
    """File stem (with its folder) -> {column of hard negatives: subset}, in CREPE's order."""
    found = {
        f"syst_vg_hard_negs_{split}_in_{train}": {
            f"valid_hard_negs_{kind}": f"{SYSTEMATICITY}/{split}/{train}/{kind}" for kind in NEGATIVES
        }
        for split in SPLITS
        for train in TRAINED_ON
    }
    for kind in TYPES:
        for n in COMPLEXITIES:
            found[f"prod_vg_hard_negs_{kind}_complexity_{n}"] = {"hard_negs": f"{PRODUCTIVITY}/{kind}/complexity_{n}"}
        found[f"prod_vg_hard_negs_{kind}_all"] = {"hard_negs": f"{PRODUCTIVITY}/{kind}/all"}
    return found


def _present(source: Source) -> Iterator[tuple[Path, dict[str, str]]]:
    """The tables that are there; one of all complexities only where the single ones are not."""
    seen: set[str] = set()
    for stem, columns in tables().items():
        path = source.files.find(f"{stem}.csv") or source.files.find(f"{stem}.json")
        family = stem.split("_complexity_")[0].removesuffix("_all")
        if path is not None and not (stem.endswith("_all") and family in seen):
            seen.add(family)
            yield path, columns


def check(source: Source) -> None:
    """UsageError where no table is there; a packed one is named."""
    if next(_present(source), None) is not None:
        return
    packed = [path.name for path in source.files.find_all("*_hard_negatives.zip")]
    unpack = f" Unpack {' and '.join(packed)} there first." if packed else ""
    raise UsageError(f"{source.files.root}: expected {DATA} in it or below, found {source.files.listing()}.{unpack}")


def read(source: Source) -> Iterator[Item | Skipped]:
    """A choice for each row and kind of hard negatives, the kinds of one row one after the other."""
    for path, columns in _present(source):
        lacking: dict[str, list[int | str]] = {column: [] for column in columns}  # JSON's, until one has the column
        for place, (key, record) in enumerate(_rows(path), start=1):
            if isinstance(record, Malformed):
                yield skipped(path.name, key, str(record))
                continue
            for column, subset in columns.items():
                if path.suffix == ".json" and column not in record and column in lacking:
                    lacking[column].append(key)
                    continue
                for earlier in lacking.pop(column, ()):
                    yield skipped(path.name, earlier, f"has no '{column}', which others have")
                try:
                    yield _item(source, record, column, subset, place, f"{path.name}:{key}")
                except Malformed as reason:
                    yield skipped(path.name, key, str(reason))
        if path.suffix == ".json" and len(lacking) == len(columns):  # nobody has any of them
            for key in lacking[next(iter(columns))]:
                yield skipped(path.name, key, f"has none of {', '.join(columns)}")


def _rows(path: Path) -> Iterator[tuple[int | str, Any]]:
    if path.suffix == ".csv":
        needed = next(columns for stem, columns in tables().items() if stem == path.stem)
        yield from csv_rows(path, ("image_id", "caption", *_BOX, *needed))
        return
    for key, record in json_list(path):
        yield key, record if isinstance(record, Mapping) else Malformed("is no object with 'image_id' and 'caption'")


def _item(source: Source, record: Mapping[str, Any], column: str, subset: str, place: int, where: str) -> Item:
    caption = record.get("caption")
    caption = text({"caption": str(caption)} if isinstance(caption, int | float) else record, "caption")
    foils = _negatives(record, column)
    part, *labels = subset.split("/")
    done = _DONE[labels[-1] if part == SYSTEMATICITY else labels[0]]
    return Item(
        item_id=f"{subset}/{place}",
        subset=subset,
        protocol=Protocol.CHOICE,
        images=(_region(source, record),),
        texts=(caption, *foils),
        truth=((0, 0),),
        tags={"concept": ("sentence",), "perturbation": (done,), "original": (part, *labels)},
        source=where,
    )


def _negatives(record: Mapping[str, Any], column: str) -> list[str]:
    cell = record.get(column)
    if isinstance(cell, str):
        try:
            cell = list_literal(cell) if cell.strip() else []
        except Malformed as reason:
            raise Malformed(f"'{column}' {reason}") from None
    if cell in (None, []):
        raise Malformed(f"no hard negative in '{column}'")
    return texts({column: cell}, column)


def _region(source: Source, record: Mapping[str, Any]) -> ImageRef:
    x, y, width, height = (_pixels(record, field) for field in _BOX)
    if width < 1 or height < 1:
        raise Malformed(f"the region is {width} x {height} pixels; it needs a width and a height")
    name = f"{_pixels(record, 'image_id')}.jpg"
    return source.files.image(name, prefer=_FOLDERS).cropped(x, y, width, height)


def _pixels(record: Mapping[str, Any], field: str) -> int:
    """A whole number, as pandas writes it, too ("12.0")."""
    value = record.get(field)
    try:
        found = float(str(value))
    except ValueError:
        found = float("nan")
    if not found.is_integer():
        raise Malformed(f"'{field}' is {str(value)[:20]!r}, expected a whole number")
    return int(found)


def scores(judged: Judged) -> list[Official]:
    """Recall at 1, 3, 5 and 10 among an item's own captions, for each part."""
    if judged.metric != "accuracy" or judged.scores is None:
        return []
    subset = np.array(judged.subset, dtype=object)
    found = []
    for part in dict.fromkeys(judged.subset):
        rows = subset == part
        for k, share in recall(judged.scores[rows], judged.correct[rows], KS).items():
            how = f"share of items whose true caption is among the best {k} of its own; an equal foil stands before it"
            found.append(Official(f"{part}: recall_at_{k}", share.value, share.n, how, (part,)))
    return found


DATA = (
    "syst_vg_hard_negs_{seen,unseen}_compounds_in_{cc12m,yfcc,laion}.csv or "
    "prod_vg_hard_negs_{atom,swap,negate}_complexity_{4…12}.csv (unpacked)"
)

CREPE = Declaration(
    name="crepe",
    title="CREPE: systematicity and productivity",
    source="https://github.com/RAIVNLab/CREPE",
    revision="syst_hard_negatives.zip and prod_hard_negatives.zip, unpacked",
    licence="none stated; images of Visual Genome under their own terms",
    citation="Ma et al., CREPE: Can Vision-Language Foundation Models Reason Compositionally?, CVPR 2023",
    protocols={subset: Protocol.CHOICE for columns in tables().values() for subset in columns.values()},
    read=read,
    data=DATA,
    check=check,
    images="VG_100K/<id>.jpg, else VG_100K_2/<id>.jpg, always cropped to the region",
    official=scores,
)
