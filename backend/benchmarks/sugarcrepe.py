"""SugarCrepe: one true caption and one foil on a COCO image; seven JSON objects, key -> record.

Checked against the original files: 7,511 items, keys kept (`swap_obj` has no "108"; older copies with it have 246).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from backend.benchmarks import shapes
from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.parts import accuracies, mean_over
from backend.benchmarks.reading.records import each, json_object, text
from backend.items import Item, Protocol, Skipped

COUNTS = {
    "add_att": 692, "add_obj": 2062, "replace_att": 788, "replace_obj": 1652, "replace_rel": 1406, "swap_att": 666,
    "swap_obj": 245,
}  # fmt: skip
FILES = {subset: f"{subset}.json" for subset in COUNTS}
CONCEPTS = {"att": "attribute", "obj": "object", "rel": "relation"}
IMAGES = ("val2017",)
#: The edition before adversarial filtering has the same file names and is not the benchmark.
UNREFINED = ("data_unrefined",)

LISTS = (
    "is a list of records, where SugarCrepe's files are objects (key: record). That is the form of SugarCrepe++: "
    "import sugarcrepe_pp."
)


def read(source: Source) -> Iterator[Item | Skipped]:
    """All files' records in order; a value that is no record (one copy has a top-level "accuracy") is skipped."""
    for subset, path in shapes.files_of(source, FILES, "[", UNREFINED):
        yield from each(path.name, json_object(path), partial(_item, subset, source))


def check(source: Source) -> None:
    """UsageError where the files are SugarCrepe++'s, which have the same names."""
    shapes.refuse_all_of_the_other(source, FILES, "[", UNREFINED, LISTS)


def _item(subset: str, source: Source, key: int | str, record: Any) -> Item:
    return Item(
        item_id=f"{subset}/{key}",
        subset=subset,
        protocol=Protocol.CHOICE,
        images=(source.files.image(text(record, "filename"), prefer=IMAGES),),
        texts=(text(record, "caption"), text(record, "negative_caption")),
        truth=((0, 0),),
        tags=tags(subset),
        source=f"{FILES[subset]}:{key}",
    )


def tags(subset: str) -> dict[str, tuple[str, ...]]:
    """What a file's name says: `replace_att` is an attribute replaced."""
    family, part = subset.split("_")
    return {"concept": (CONCEPTS[part],), "perturbation": (family,), "original": (subset,)}


def official(judged: Judged) -> list[Official]:
    """The means that papers add to the official script's seven accuracies."""
    if judged.metric != "accuracy":
        return []
    parts = accuracies(judged)
    found = []
    for family in ("replace", "swap", "add"):
        wanted = [subset for subset in COUNTS if subset.startswith(family)]
        how = f"Plain mean of the accuracies of the files {', '.join(wanted)}, each with the same weight."
        found.append(mean_over(family, parts, wanted, how))
    how = "Plain mean of the seven files' accuracies, each file with the same weight."
    return [*found, mean_over("mean of the seven", parts, COUNTS, how)]


SUGARCREPE = Declaration(
    name="sugarcrepe",
    title="SugarCrepe: hard negatives without the artefacts of older ones",
    source="https://github.com/RAIVNLab/sugar-crepe",
    revision="the seven files of data/, 7,511 items",
    licence="MIT; images: COCO 2017, under COCO's own terms",
    citation="SugarCrepe: Fixing Hackable Benchmarks for Vision-Language Compositionality, NeurIPS 2023",
    protocols=dict.fromkeys(COUNTS, Protocol.CHOICE),
    read=read,
    files=FILES,
    without=UNREFINED,
    check=check,
    images="COCO 2017 validation files by their 12-digit names, those under val2017 first",
    expected=COUNTS,
    official=official,
)
