"""ImageNet's validation images, sorted into WordNet folders: zero-shot classification with open_clip's names.

The 1,000 names and 80 prompts are open_clip's (`imagenet_classes.json`, made by `scripts/imagenet_classes.py`). Two
names occur twice, "missile" and "sunglasses": those classes always tie.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.classification import class_folders as classes
from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

SUBSET = "imagenet"
WORDNET = re.compile(r"n\d{8}")
SPLITS = {
    "val": "50,000 validation images",
    "train": "the training images that are there",
    "all": "both, as far as they are there",
}


@cache
def known() -> dict[str, Any]:
    """`folders` (WordNet ids in class order), `names`, `prompts`, with their source and licence."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("imagenet_classes.json").read_text(encoding="utf-8"))
    return found


def places() -> dict[str, int]:
    """WordNet id -> class index."""
    return {folder: place for place, folder in enumerate(known()["folders"])}


def bases(source: Source) -> dict[str, str]:
    """The folders that hold WordNet folders with images -> val or train. What is called neither counts as val."""
    ours, found = set(known()["folders"]), {}
    for path in source.files.paths():
        parts = path.split("/")
        at = next((n for n, part in enumerate(parts[:-1]) if part in ours), None)
        if at is not None and classes.is_image(path):
            found["/".join([*parts[:at], ""])] = "train" if "train" in parts[:at] else "val"
    return found


def check(source: Source) -> None:
    """UsageError where the folder has no images of the split in WordNet folders."""
    splits = set(bases(source).values())
    if not splits:
        raise UsageError(
            f"{source.files.root}: expected val/<WordNet id>/<image> (n01440764, …) in it or below, found "
            f"{source.files.listing()}. Sort the images into such folders first."
        )
    if source.split not in ("", "all", *splits):
        raise UsageError(f"{source.files.root}: has no {source.split} images; it has {', '.join(splits)}.")


def read(source: Source) -> Iterator[Item | Skipped]:
    """Every image of the split, by WordNet folder."""
    for base, split in bases(source).items():
        if source.split in ("all", split):
            names = tuple(known()["names"])
            task = classes.Task(SUBSET, base, names, places(), tags={"split": (split,)})
            yield from classes.read_task(source.files, task)
            yield from _strangers(source, base)


def _strangers(source: Source, base: str) -> Iterator[Skipped]:
    """Folders called like a WordNet id that none of the 1,000 classes has."""
    for name in classes.class_folders(source.files.paths(), base):
        if WORDNET.fullmatch(name) and name not in places():
            reason = "no class of ImageNet-1k has this WordNet id, so its images are left out"
            yield Skipped(f"{base}{name}", reason, item=name)


def templates(source: Source) -> dict[str, tuple[str, ...]]:
    """open_clip's 80 prompts, or those of a `templates.txt` in the data folder."""
    return {SUBSET: classes.prompts_of(source.files.root, tuple(known()["prompts"]))}


IMAGENET = Declaration(
    name="imagenet",
    title="ImageNet-1k, zero-shot classification",
    source="https://image-net.org; names and prompts: https://github.com/mlfoundations/open_clip",
    revision="ILSVRC 2012 validation images; names and 80 prompts of open_clip's zero_shot_metadata",
    licence="images: research only, on request; names and prompts: MIT",
    citation="Russakovsky et al., IJCV 2015; prompts: Radford et al., ICML 2021",
    protocols={SUBSET: Protocol.CLASSIFY},
    read=read,
    check=check,
    data="val/<WordNet id>/<image>, ImageNet's validation images in their 1,000 folders",
    images="the WordNet folders themselves",
    expected={SUBSET: 50_000},
    splits=SPLITS,
    default_split="val",
    templates=templates,
    gated="ImageNet is handed out at image-net.org after registration.",
)
