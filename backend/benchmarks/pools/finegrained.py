"""COCO-FG and Flickr30K-FG: captions with more detail, and pools with images that no caption belongs to.

`Annotations/*.json` has the captions by image name without its ending, `Images/*.npy` the names of all images of the
pool. Matched by name: the order of the two is not the same. An image without captions is an item without texts: a
distractor for text queries, never an image query.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from backend.arrays_in import DAMAGED
from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading.folder import safe
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked, json_object, skipped
from backend.errors import FlipsideError, UsageError
from backend.items import Item, Protocol, Skipped

SUBSET = "test"


@dataclass(frozen=True)
class Release:
    """The two files, by name, and the folders in which images are preferred."""

    captions: str
    images: str
    prefer: tuple[str, ...]

    @property
    def names(self) -> str:
        """The files, in words."""
        return f"{self.captions} and {self.images}"


def check(release: Release, source: Source) -> None:
    """UsageError where one of the two files is not there: without the names there is no pool."""
    missing = [name for name in (release.captions, release.images) if source.files.find(name) is None]
    if missing:
        raise UsageError(
            f"{source.files.root}: expected {release.names} in it or below, without {' and '.join(missing)}; "
            f"found {source.files.listing()}."
        )


def read(release: Release, source: Source) -> Iterator[Item | Skipped]:
    """Every image of the pool in the order of the names, annotated or not; then captions of images outside it."""
    file = source.files.find(release.captions)
    names = source.files.find(release.images)
    if file is None or names is None:
        check(release, source)
        return
    captions: dict[str, Any] = dict(json_object(file))
    for place, name in enumerate(image_names(names), start=1):
        key = name.rpartition(".")[0]
        try:
            yield _item(release, source, name, captions.pop(key, []), file.name)
        except Malformed as reason:
            yield skipped(names.name, key or f"entry {place}", str(reason))
    for key in captions:
        yield skipped(file.name, key, f"has captions, but its image is not among those of {release.images}")


def image_names(path: Path) -> Iterator[str]:
    """The names in a one-dimensional array file of text. FlipsideError for anything else; nothing is unpickled."""
    try:
        names = np.load(path, allow_pickle=False, mmap_mode="r")
    except DAMAGED as error:
        said = str(error).split("\n", maxsplit=1)[0]
        raise FlipsideError(f"{path}: is no array file of names ({said}). Copy the original file again.") from None
    if not isinstance(names, np.ndarray) or names.ndim != 1 or names.dtype.kind != "U":
        found = f"{names.ndim} dimensions of type {names.dtype}" if isinstance(names, np.ndarray) else "an archive"
        raise FlipsideError(f"{path}: expected one dimension of texts, found {found}. Use the original file.")
    for start in range(0, len(names), 4096):
        yield from (str(name) for name in names[start : start + 4096])


def _item(release: Release, source: Source, name: str, captions: Any, file: str) -> Item:
    inside = safe(name)
    if not isinstance(captions, list):
        raise Malformed("its captions are no list")
    for place, caption in enumerate(captions, start=1):
        if not isinstance(caption, str) or not caption.strip():
            raise Malformed(f"caption {place} is blank or no text")
        checked(caption, f"caption {place}")
    key = inside.rpartition(".")[0] or inside
    return Item(
        item_id=f"{SUBSET}/{key}",
        subset=SUBSET,
        protocol=Protocol.RETRIEVAL,
        images=(source.files.image(inside, prefer=release.prefer),),
        texts=tuple(captions),
        truth=tuple((0, place) for place in range(len(captions))),
        tags={
            "concept": ("sentence",),
            "perturbation": ("none",),
            "original": ("annotated" if captions else "distractor",),
        },
        source=f"{file}:{key}" if captions else f"{release.images}:{name}",
    )


COCO_FG_RELEASE = Release("MSCOCO_FG_ann.json", "MSCOCO_FG_img_filenames.npy", ("val2014", "unlabeled2017"))

COCO_FG = Declaration(
    name="coco_fg",
    title="MSCOCO-FG, fine-grained retrieval",
    source="https://github.com/cwj1412/MSCOCO-Flikcr30K_FG",
    revision="Annotations/ and Images/ of the repository",
    licence="none stated; images: COCO 2014 and COCO 2017 unlabeled, under COCO's own terms",
    citation="Chen, Yao and Jin, Rethinking Benchmarks for Cross-modal Image-text Retrieval, SIGIR 2023",
    protocols={SUBSET: Protocol.RETRIEVAL},
    read=partial(read, COCO_FG_RELEASE),
    check=partial(check, COCO_FG_RELEASE),
    data=COCO_FG_RELEASE.names,
    images="val2014/ for the annotated images, unlabeled2017/ for the 26,244 others",
    expected={SUBSET: 5000},
)


FLICKR30K_FG_RELEASE = Release(
    "Flickr30K_FG_ann.json", "Flickr30K_FG_img_filenames.npy", ("flickr30k-images", "unlabeled2017")
)

FLICKR30K_FG = Declaration(
    name="flickr30k_fg",
    title="Flickr30K-FG, fine-grained retrieval",
    source="https://github.com/cwj1412/MSCOCO-Flikcr30K_FG",
    revision="Annotations/ and Images/ of the repository",
    licence="none stated; images: Flickr30k (research only) and COCO 2017 unlabeled, under their own terms",
    citation="Chen, Yao and Jin, Rethinking Benchmarks for Cross-modal Image-text Retrieval, SIGIR 2023",
    protocols={SUBSET: Protocol.RETRIEVAL},
    read=partial(read, FLICKR30K_FG_RELEASE),
    check=partial(check, FLICKR30K_FG_RELEASE),
    data=FLICKR30K_FG_RELEASE.names,
    images="flickr30k-images/ for the annotated images, unlabeled2017/ for the 5,867 others",
    expected={SUBSET: 1000},
)
