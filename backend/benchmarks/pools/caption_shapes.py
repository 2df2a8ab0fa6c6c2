"""An image and its captions, out of each of the shapes in which Karpathy's split of COCO and Flickr30k goes round."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import json_list, lines, number, text, texts


@dataclass(slots=True)
class Captioned:
    """One image. name: with or without folders in front. folder: where the file says it lies. original: the split as
    the file names it, "" where it does not."""

    name: str
    captions: list[str] = field(default_factory=list)
    folder: str = ""
    original: str = ""


Found = Iterator[tuple[int | str, "Captioned | Malformed"]]
#: From a file and the split that is wanted to its images, each under its line or number.
Shape = Callable[[Path, str], Found]


def karpathy(path: Path, split: str) -> Found:
    """`{"images": [{"split", "filename", "sentences": [{"raw"}]}]}`; `restval` is training data, as is usual."""
    names = {"train": ("train", "restval")}.get(split, (split,))
    for key, record in json_list(path, "images"):
        original = record.get("split") if isinstance(record, Mapping) else None
        # A record without a known split is shown once, with the test images: nobody else would name it.
        if original in names or (split == "test" and original not in ("train", "restval", "val")):
            yield key, _caught(_sentences, record, names)


def _sentences(record: Any, names: tuple[str, ...]) -> Captioned:
    original = text(record, "split")
    if original not in names:
        raise Malformed(f"'split' is '{original}', expected train, restval, val or test")
    sentences = record.get("sentences")
    if not isinstance(sentences, list) or not sentences:
        raise Malformed("has no 'sentences'")
    folder = record.get("filepath")
    captions = [text(sentence, "raw") for sentence in sentences]
    return Captioned(text(record, "filename"), captions, folder if isinstance(folder, str) else "", original)


def _caught(make: Callable[..., Captioned], *arguments: Any) -> Captioned | Malformed:
    try:
        return make(*arguments)
    except Malformed as reason:
        return reason


def blip(path: Path, _: str) -> Found:
    """`[{"image", "caption": [...] or "..."}]`; rows of one image, as training files have them, become one."""
    groups: dict[str, tuple[str, Captioned]] = {}
    for key, record in json_list(path):
        found = _caught(_row, record)
        if isinstance(found, Malformed):
            yield key, found
        else:
            groups.setdefault(found.name, (key, Captioned(found.name, [], found.folder)))[1].captions += found.captions
    yield from groups.values()


def _row(record: Any) -> Captioned:
    name = text(record, "image")
    many = isinstance(record.get("caption"), list)
    captions = texts(record, "caption") if many else [text(record, "caption")]
    return Captioned(name, captions, name.rpartition("/")[0].rpartition("/")[2])


def annotations(path: Path, _: str) -> Found:
    """`{"images": [{"id", "file_name"}], "annotations": [{"image_id", "caption"}]}`."""
    captions: dict[int, list[str]] = {}
    for key, record in json_list(path, "annotations"):
        try:
            captions.setdefault(number(record, "image_id"), []).append(text(record, "caption"))
        except Malformed as reason:
            yield f"annotation {key}", reason
    seen: set[int] = set()
    for key, record in json_list(path, "images"):
        yield key, _caught(_with_captions, record, captions, seen)
    for identity in captions.keys() - seen:
        yield f"image {identity}", Malformed("has captions, but is not among the images")


def _with_captions(record: Any, captions: Mapping[int, list[str]], seen: set[int]) -> Captioned:
    identity = number(record, "id")
    seen.add(identity)
    if identity not in captions:
        raise Malformed(f"image {identity} has no caption")
    return Captioned(text(record, "file_name"), captions[identity])


def name_lines(path: Path, _: str) -> Found:
    """A header, then `<name>.jpg,<caption>`: captions hold commas and are not quoted."""
    groups: dict[str, tuple[int, Captioned]] = {}
    for place, line in lines(path):
        name, separator, caption = line.partition(".jpg,")
        if place == 1 or not line.strip():
            continue
        if separator and caption.strip():
            groups.setdefault(name, (place, Captioned(f"{name}.jpg")))[1].captions.append(caption)
        else:
            yield place, Malformed("expected '<name>.jpg,<caption>'")
    yield from groups.values()
