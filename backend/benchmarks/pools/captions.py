"""COCO and Flickr30k as retrieval pools: Karpathy's split in the three shapes in which it goes round.

- Karpathy, `dataset_coco.json`: images of every split, with `split`, `filename` and `sentences`;
- BLIP, `coco_karpathy_test.json`: images of one split with their captions;
- CLIP_benchmark, `coco_test_karpathy.json` (images and annotations) or `flickr30k_test_karpathy.txt` (lines).

All give the same items: the id is the image's own file name, so results on one shape match results on another.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from backend.benchmarks.base import Source
from backend.benchmarks.pools import caption_shapes
from backend.benchmarks.pools.caption_shapes import Captioned, Shape
from backend.benchmarks.reading.folder import safe
from backend.benchmarks.reading.records import each
from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

SPLITS = ("train", "val", "test")
#: How many captions an image has in `--split test-5`.
FIRST = 5


@dataclass(frozen=True)
class Release:
    """What differs between COCO and Flickr30k: file names of the three shapes, and folders of images.

    karpathy: one file for all splits. blip: split -> file. clip_benchmark: the test file. prefer: image folders.
    """

    karpathy: str
    blip: Mapping[str, str]
    clip_benchmark: str
    prefer: tuple[str, ...]

    @property
    def names(self) -> str:
        """The files, in words."""
        return f"{self.karpathy}, or {', '.join(self.blip.values())}, or {self.clip_benchmark}"


def splits(sizes: Mapping[str, str]) -> dict[str, str]:
    """What `--split` can be. sizes: split -> how much is in it, in words."""
    first = f"{sizes['test']}, the first {FIRST} captions of each"
    return {
        "test": f"{sizes['test']}, all their captions",
        f"test-{FIRST}": first,
        "val": sizes["val"],
        "train": sizes["train"],
        "all": "all of them, one pool a split",
    }


def check(release: Release, source: Source) -> None:
    """UsageError where no file holds a split that is wanted."""
    there = [split for split in SPLITS if _choose(release, source, split)]
    if not there:
        raise UsageError(
            f"{source.files.root}: expected {release.names} in it or below, found {source.files.listing()}."
        )
    if source.split and not set(_wanted(source.split)) & set(there):
        raise UsageError(
            f"{source.files.root}: holds no {source.split} split; its files have {', '.join(there)}. Choose by --split."
        )


def read(release: Release, source: Source) -> Iterator[Item | Skipped]:
    """The images of the split in file order, each with its captions; the pool is the split."""
    cut = FIRST if source.split == f"test-{FIRST}" else None
    for split in _wanted(source.split):
        chosen = _choose(release, source, split)
        if chosen is not None:
            path, shape = chosen
            yield from each(path.name, shape(path, split), _maker(release, source, path.name, split, cut))


def _wanted(split: str) -> tuple[str, ...]:
    if split == "all":
        return SPLITS
    return (split.removesuffix(f"-{FIRST}") or "test",)


def _choose(release: Release, source: Source, split: str) -> tuple[Path, Shape] | None:
    """The file that a split is read from, the fullest shape first, and how it is read."""
    found = source.files.find(release.karpathy)
    if found is not None:
        return found, caption_shapes.karpathy
    if (found := source.files.find(release.blip[split])) is not None:
        return found, caption_shapes.blip
    if split == "test" and (found := source.files.find(release.clip_benchmark)) is not None:
        return found, caption_shapes.name_lines if found.suffix == ".txt" else caption_shapes.annotations
    return None


def _maker(
    release: Release, source: Source, file: str, split: str, cut: int | None
) -> Callable[[int | str, Captioned], Item]:
    def make(key: int | str, record: Captioned) -> Item:
        name = safe(record.name).rpartition("/")[2]
        folder = (record.folder,) if record.folder else ()
        texts = tuple(record.captions[:cut])
        return Item(
            item_id=f"{split}/{name.rpartition('.')[0] or name}",
            subset=split,
            protocol=Protocol.RETRIEVAL,
            images=(source.files.image(name, prefer=(*folder, *release.prefer)),),
            texts=texts,
            truth=tuple((0, place) for place in range(len(texts))),
            tags={
                "concept": ("sentence",),
                "perturbation": ("none",),
                "split": (split,),
                "original": (record.original or split,),
            },
            source=f"{file}:{key}",
        )

    return make
