"""One item as one JSON object, for folders of one's own items (own.py): written as it is, read with a reason for every
fault. Images are named by a path inside the folder, or by key and uri."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked, text, texts
from backend.items import BGR_SCHEME, CROP_SCHEME, ImageRef, Item, Protocol

_CROP: Final = re.compile(rf"({CROP_SCHEME}-?\d+,-?\d+,\d+,\d+:)(.+)", re.DOTALL)
_WORLD: Final = "world:"


def to_record(item: Item) -> dict[str, Any]:
    """The item as JSON; `from_record` gives the same item back."""
    return {
        "item_id": item.item_id,
        "subset": item.subset,
        "protocol": item.protocol.value,
        "images": [{"key": image.key, "uri": image.uri} for image in item.images],
        "texts": list(item.texts),
        "truth": [list(pair) for pair in item.truth],
        "tags": {name: list(values) for name, values in item.tags.items()},
        "source": item.source,
    }


@dataclass(frozen=True, slots=True)
class Reader:
    """Records of one folder to items. absolute: whether images may be anywhere on this machine, which only the owner
    may say; otherwise they must lie in the folder, or in one of `folders`, which imports here have recorded."""

    files: Folder
    absolute: bool
    file: str
    folders: tuple[str, ...] = ()

    def item(self, line: int | str, record: Any) -> Item:
        """The item of a line; Malformed with what is wrong with it."""
        judged = text(record, "protocol")
        if judged not in set(Protocol):
            raise Malformed(f"protocol '{judged}' is unknown; expected {', '.join(Protocol)}")
        protocol = Protocol(judged)
        images = tuple(self._image(entry) for entry in _list(record, "images"))
        captions = tuple(texts(record, "texts")) if record.get("texts") else ()
        truth = _truth(record, len(images), len(captions))
        _check_shape(protocol, len(images), len(captions), truth)
        source = str(record.get("source") or f"{self.file}:{line}")
        name, subset = text(record, "item_id"), text(record, "subset")
        return Item(name, subset, protocol, images, captions, truth, _tags(record), source)

    def _image(self, entry: Any) -> ImageRef:
        if isinstance(entry, str):
            return self.files.image(checked(entry, "images"), by_name=False)
        return ImageRef(text(entry, "key"), self._uri(entry.get("uri") or ""))

    def _uri(self, uri: Any) -> str:
        """What the folder may show: "" where the file is not there; Malformed for a path that it may not name."""
        if not isinstance(uri, str):
            raise Malformed("an image's 'uri' is no text")
        checked(uri, "uri")
        if not uri or uri.startswith(_WORLD):
            return uri
        if found := _CROP.fullmatch(uri):
            inner = self._uri(found[2])
            return f"{found[1]}{inner}" if inner else ""
        scheme, path = (BGR_SCHEME, uri.removeprefix(BGR_SCHEME)) if uri.startswith(BGR_SCHEME) else ("", uri)
        if not path.startswith("/"):
            inside = self.files.image(path, by_name=False).uri
            return inside if not scheme or inside.startswith(BGR_SCHEME) or not inside else f"{scheme}{inside}"
        if not self.absolute and not self._recorded(path):
            raise Malformed(f"the image '{path}' lies outside the folder; put it there and name it by its path in it")
        return uri if "\0" not in path and Path(path).is_file() else ""

    def _recorded(self, path: str) -> bool:
        """Whether a file lies, links followed, in a folder of pictures that is known here."""
        if "\0" in path:
            return False
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(os.path.realpath(folder)) for folder in self.folders)


def _list(record: Any, field: str) -> list[Any]:
    if not isinstance(record, Mapping):
        raise Malformed("is no object")
    value = record.get(field) or []
    if not isinstance(value, list):
        raise Malformed(f"'{field}' is no list")
    return value


def _truth(record: Any, n_images: int, n_texts: int) -> tuple[tuple[int, int], ...]:
    pairs = []
    for pair in _list(record, "truth"):
        whole = isinstance(pair, list) and len(pair) == 2 and all(type(n) is int for n in pair)
        if not whole or not (0 <= pair[0] < n_images and 0 <= pair[1] < n_texts):
            raise Malformed(
                f"'truth' holds {str(pair)[:40]}, expected [image, text] below {n_images} and {n_texts}, counted from 0"
            )
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _tags(record: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    tags = record.get("tags") or {}
    if not isinstance(tags, Mapping):
        raise Malformed("'tags' is no object")
    found = {}
    for name, values in tags.items():
        listed = [values] if isinstance(values, str) else values
        if not isinstance(listed, list) or not all(isinstance(value, str) for value in listed):
            raise Malformed(f"the tag '{name}' is no text and no list of texts")
        found[checked(str(name), "tags")] = tuple(checked(value, str(name)) for value in listed)
    return found


def _check_shape(protocol: Protocol, n_images: int, n_texts: int, truth: tuple[tuple[int, int], ...]) -> None:
    """Malformed where an item cannot be judged by its protocol."""
    said = protocol.info
    if said.images is not None and n_images != said.images:
        raise Malformed(f"has {n_images} image{'' if n_images == 1 else 's'}, a {protocol} has {said.images}")
    if said.texts is not None and n_texts != said.texts:
        raise Malformed(f"has {n_texts} text{'' if n_texts == 1 else 's'}, a {protocol} has {said.texts}")
    if said.least_texts > 1 and n_texts < said.least_texts:
        ending = "" if n_texts == 1 else "s"
        raise Malformed(f"has {n_texts} text{ending}, a {protocol} has at least {said.least_texts}")
    if said.truth and set(truth) != set(said.truth):
        wanted = [list(pair) for pair in sorted(said.truth)]
        raise Malformed(f"'truth' is {[list(pair) for pair in truth]}, for a {protocol} it is {wanted}")
