"""VL-CheckList: one true and one false phrase an image, for objects, attributes and relations; JSON lists of pairs.

Checked against five original files: 11,569, 941, 5,974, 10,554 and 12,733 items. A subset is a file's path below
`data/` without `.json`; whatever lies below Object, Attribute or Relation is read.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked, each, json_list
from backend.benchmarks.vl_checklist_types import COUNTS, FILES, official, type_of
from backend.errors import FlipsideError, UsageError
from backend.items import Item, Protocol, Skipped

#: Of each file, the official configuration uses the first half of MAX_NUM 2000: so many items with an image.
OFFICIAL = 1000
CONCEPTS = {
    "color": "colour", "material": "material", "size": "size", "state": "state", "spatial": "spatial",
}  # fmt: skip
ACTION = {"Attribute": "doing", "Relation": "action"}
IMAGES = ("VG_100K", "VG_100K_2", "images_512", "swig", "hake")


def read(source: Source) -> Iterator[Item | Skipped]:
    """All files' records in order; in split `official`, the first 1,000 of each file whose image is there."""
    found = False
    for subset, path in files(source):
        entries = each(f"{subset}.json", json_list(path), partial(_item, subset, source))
        for entry in _cut(entries) if source.split == "official" else entries:
            found = found or isinstance(entry, Item)
            yield entry
    if source.split == "official" and not found:
        raise FlipsideError(
            f"{source.files.root}: no image of any item is there, and --split official is the first {OFFICIAL:,} items "
            "of each file with an image. Put the images below this folder, or read --split all."
        )


def _cut(entries: Iterator[Item | Skipped]) -> Iterator[Item | Skipped]:
    """As the official evaluator: items without their image are passed over before the cut."""
    with_image = (entry for entry in entries if isinstance(entry, Skipped) or not entry.images[0].missing)
    n = 0
    for entry in with_image:
        yield entry
        n += isinstance(entry, Item)
        if n == OFFICIAL:
            return


def files(source: Source) -> Iterator[tuple[str, Path]]:
    """(subset, path) of every file below Object, Attribute or Relation, those of the release first and in its order;
    of two copies of a file the one nearest to the root."""
    found: dict[str, Path] = {}
    root = source.files.root
    for path in sorted(source.files.find_all("*.json"), key=lambda path: (len(path.parts), path)):
        subset = _subset((root.name, *path.relative_to(root).with_suffix("").parts))
        if subset is not None:
            found.setdefault(subset, path)
    known = [subset for subset in FILES if subset in found]
    for subset in [*known, *sorted(found.keys() - set(known))]:
        yield subset, found[subset]


def _subset(parts: Sequence[str]) -> str | None:
    """The path from Object, Attribute or Relation on, where a known kind of file lies there."""
    places = [place for place, part in enumerate(parts) if part in ("Object", "Attribute", "Relation")]
    subset = "/".join(parts[places[-1] :]) if places else ""
    return subset if subset and type_of(subset) else None


def check(source: Source) -> None:
    """UsageError where the folder has no file of VL-CheckList's."""
    if next(files(source), None) is None:
        raise UsageError(f"{source.files.root}: expected {DATA} in it or below, found {source.files.listing()}.")


def _item(subset: str, source: Source, place: int | str, record: Any) -> Item:
    if not isinstance(record, list) or len(record) != 2 or not isinstance(record[1], dict):
        raise Malformed("is no pair of an image's name and an object with 'POS' and 'NEG'")
    image, texts = record
    if not isinstance(image, str):
        raise Malformed("the image's name is no text")
    pair = (_first(texts, "POS"), _first(texts, "NEG"))
    family, (kind, dataset) = subset.split("/")[0], type_of(subset) or ("", "")
    concept = "object" if family == "Object" else CONCEPTS.get(kind) or ACTION[family]
    tags = {
        "concept": (concept,),
        "perturbation": ("replace",),
        "original": (subset,),
        "family": (family,),
        "type": (kind,),
        "dataset": (dataset,),
    }
    unused = max(len(texts["POS"]), len(texts["NEG"])) - 1
    if unused:
        tags["unused_pairs"] = (str(unused),)  # the official evaluator uses the first of three
    return Item(
        item_id=f"{subset}/{place}",
        subset=subset,
        protocol=Protocol.CHOICE,
        images=(source.files.image(image, prefer=IMAGES),),
        texts=pair,
        truth=((0, 0),),
        tags=tags,
        source=f"{subset}.json:{place}",
    )


def _first(texts: dict[str, Any], field: str) -> str:
    """The only phrase that the official evaluator uses, as it stands: some begin with a blank."""
    values = texts.get(field)
    if not isinstance(values, list) or not values:
        raise Malformed(f"has no phrase in '{field}'")
    if not isinstance(values[0], str) or not values[0].strip():
        raise Malformed(f"the first phrase of '{field}' is none")
    return checked(values[0], field)


DATA = (
    "the folders Object, Attribute and Relation with VL-CheckList's files (Attribute/vg/color.json, "
    "Relation/swig_action.json, Object/Size/vg_size/vg_subj_small.json …)"
)

VL_CHECKLIST = Declaration(
    name="vl_checklist",
    title="VL-CheckList: objects, attributes and relations, each by size, place or kind",
    source="https://github.com/om-ai-lab/VL-CheckList",
    revision=f"data/, {len(FILES)} files; the same files are in TSVLC's vl_checklist_annot_data",
    licence="no licence file; package metadata: free for non-commercial use; images: Visual Genome, SWiG, HAKE",
    citation="VL-CheckList: Evaluating Pre-trained Vision-Language Models with Objects, Attributes and Relations, 2022",
    protocols=dict.fromkeys(FILES, Protocol.CHOICE),
    read=read,
    data=DATA,
    check=check,
    images="by the file's reference: VG_100K/ID.jpg or VG_100K_2/ID.jpg, SWiG's VERB_N.jpg, HAKE's folders",
    expected=COUNTS,
    expected_in={"official": {subset: min(n, OFFICIAL) for subset, n in COUNTS.items()}},
    splits={
        "all": "the whole files",
        "official": f"the first {OFFICIAL:,} items of each file whose image is there, as the original is configured",
    },
    default_split="all",
    official=official,
)
