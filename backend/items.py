"""Items and benchmarks: what is judged, before any model has seen it.

Plain frozen dataclasses; no torch, no duckdb, no streamlit in here.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.kinds import IMAGE_KINDS, SIMILARITIES, Kind
from backend.protocols import Protocol

#: What an image's uri may begin with besides a path: a region of another image, and pixels stored as blue, green, red.
CROP_SCHEME = "crop:"
BGR_SCHEME = "bgr:"


@dataclass(frozen=True, slots=True)
class ImageRef:
    """One image: a name that is stable across machines and where to get the pixels here.

    key: stable identity inside the benchmark (`000000460347.jpg`, or a `world:` scene code).
    uri: what `backend.images.open_image` opens: an absolute path, a `world:` scene code, `crop:x,y,width,height:<uri>`,
        `bgr:<path>` (an array file of height x width x 3 bytes in the order blue, green, red), or "" where missing.
    """

    key: str
    uri: str

    @property
    def missing(self) -> bool:
        return not self.uri

    def cropped(self, x: int, y: int, width: int, height: int) -> "ImageRef":
        """A region of the image, in pixels from its top left corner: another image, with another key.

        >>> ImageRef("7.jpg", "/data/7.jpg").cropped(1, 2, 30, 40)
        ImageRef(key='7.jpg#1,2,30,40', uri='crop:1,2,30,40:/data/7.jpg')
        """
        box = f"{x},{y},{width},{height}"
        return ImageRef(f"{self.key}#{box}", f"{CROP_SCHEME}{box}:{self.uri}" if self.uri else "")


@dataclass(frozen=True, slots=True)
class Item:
    """One test case.

    item_id: `<subset>/<original id>`, unique in the benchmark.
    images, texts: in file order. Triplet texts: paraphrase, paraphrase, negative. Choice texts: truth, then
        foils. Quad: image i belongs to text i. Retrieval: one image and its own captions; the pool is the subset.
    truth: pairs (image index, text index) that belong together. Answers: one image, one text; the pair stands there
        where yes is expected, nothing where no is. Cells of one group say it in the tags "group", "question", "image".
    tags: e.g. {"concept": ("colour",), "perturbation": ("swap",), "split": ("test",)}; values are tuples. Concepts and
        perturbations are terms of backend/taxonomy.py, the source's own labels stay in "original"; "origin" is the id
        of the item that a perturbed one was made from. A grounding item says when its frames were taken
        ("frames_per_second", or "frame_seconds" one by one) and which moments are right ("boundary_seconds").
    source: `file:line` or the generator that made it.
    """

    item_id: str
    subset: str
    protocol: Protocol
    images: tuple[ImageRef, ...]
    texts: tuple[str, ...]
    truth: tuple[tuple[int, int], ...]
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = ""

    def canonical(self) -> str:
        """One JSON line that identifies the item on any machine; the benchmark's hash is taken over these."""
        return json.dumps(
            [self.item_id, self.protocol, [i.key for i in self.images], self.texts, self.truth],
            ensure_ascii=False,
            separators=(",", ":"),
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of the original file that is no item, and why. Exactly one of `line` and `item` is set."""

    file: str
    reason: str
    line: int | None = None
    item: str | None = None

    @property
    def where(self) -> str:
        """The file and the place in it: "a.csv, line 3"."""
        return f"{self.file}, {f'line {self.line}' if self.line is not None else f'item {self.item}'}"


def all_skipped(n: int, first: Skipped | None) -> str:
    """What was wrong, where a file has n records and none of them is an item; "" where it has no record.

    >>> all_skipped(2, Skipped("a.csv", "no caption", line=2)), all_skipped(0, None)
    ('Of its 2 records none is an item. The first one (a.csv, line 2): no caption.', '')
    """
    if first is None:
        return ""
    reason = f"({first.where}): {first.reason.rstrip('.')}."
    return (
        f"Of its {n:,} records none is an item. The first one {reason}"
        if n > 1
        else f"Its one record is no item {reason}"
    )


@dataclass(frozen=True)
class Benchmark:
    """A named collection of items that is read lazily, as often as it is iterated.

    open_items: called at each iteration; yields Items and Skipped records in file order. split: what was read of a
    benchmark that comes in splits, "" for its default one. templates: subset -> prompts with one `{}`, by which the
    class names of `classify` items are read. files_missing: files of the original release that the folder lacks.
    about: what else is kept with the items, as JSON: `parent` (name and hash of the benchmark that this one was made
    from), `perturbation`, and so on.
    """

    name: str
    open_items: Callable[[], Iterator[Item | Skipped]]
    data_dir: str = ""
    split: str = ""
    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    files_missing: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Item]:
        for entry in self.open_items():
            if isinstance(entry, Item):
                yield entry

    def skipped(self) -> list[Skipped]:
        return [entry for entry in self.open_items() if isinstance(entry, Skipped)]

    def content_hash(self) -> str:
        """sha256 over all items' canonical lines, in order: the same on every machine for the same files."""
        digest = self.hash_begun()
        for item in self:
            digest.update(item.canonical().encode())
            digest.update(b"\n")
        return digest.hexdigest()

    def hash_begun(self) -> "hashlib._Hash":
        """The digest before the first item: templates change what a class name is read as, so they count."""
        digest = hashlib.sha256()
        if self.templates:
            ordered = {subset: list(prompts) for subset, prompts in sorted(self.templates.items())}
            digest.update(json.dumps(ordered, ensure_ascii=False).encode() + b"\n")
        return digest


def set_digest(items: Iterable[str]) -> str:
    """16 hex digits that name a set of item ids, in whatever order they come.

    >>> set_digest(["a/2", "a/1"]) == set_digest(["a/1", "a/2", "a/1"])
    True
    """
    return hashlib.sha256(json.dumps(sorted(set(items))).encode()).hexdigest()[:16]


__all__ = [
    "BGR_SCHEME", "CROP_SCHEME", "IMAGE_KINDS", "SIMILARITIES",
    "Benchmark", "ImageRef", "Item", "Kind", "Protocol", "Skipped", "all_skipped", "set_digest",
]  # fmt: skip
