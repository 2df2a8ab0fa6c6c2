"""From the records of one's own table to items, under a mapping."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from backend.benchmarks.custom import exported, tables
from backend.benchmarks.custom.cells import Record, one, several, terms, word
from backend.benchmarks.custom.columns import Mapping
from backend.benchmarks.custom.labels import Labels
from backend.benchmarks.custom.pictures import Pictures
from backend.benchmarks.custom.pieces import PIECE
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.packed import Picture
from backend.benchmarks.reading.records import each, skipped
from backend.items import ImageRef, Item, Protocol, Skipped

#: A record with its number in the file, from 1.
Numbered = tuple[int, Record]


def read_table(path: Path, mapping: Mapping, pictures: Pictures) -> Iterator[Item | Skipped]:
    """The items of a table, and the records that are none. The subset is the file's name where no column says it."""
    rows = Rows(path, mapping, pictures)
    if mapping.protocol == "items":
        return each(path.name, tables.records(path), partial(exported.item, pictures, path.name))
    if mapping.protocol == "retrieval":
        return rows.pool()
    if mapping.protocol == "labelled":
        return each(path.name, numbered(path), partial(rows.labelled, Labels.of(path, mapping)))
    make = {"triplet": rows.triplet, "choice": rows.choice, "quad": rows.quad}[mapping.protocol]
    return each(path.name, numbered(path), make)


def numbered(path: Path) -> Iterator[tuple[int | str, Numbered | Malformed]]:
    """The records, counted: one without an id is known by its number, whatever was skipped before it."""
    for number, (key, record) in enumerate(tables.records(path), start=1):
        if isinstance(record, Malformed):
            yield key, record
        else:
            yield key, (number, record) if isinstance(record, dict) else Malformed("is no object with columns")


#: Names of splits among those of pieces.
SPLITS = frozenset({"train", "test", "validation", "val", "dev", "valid"})


class Rows:
    """One table under one mapping: an item from a record, for each shape."""

    def __init__(self, path: Path, mapping: Mapping, pictures: Pictures) -> None:
        self.path, self.mapping, self.pictures = path, mapping, pictures
        part = PIECE.fullmatch(path.stem)
        self._is_part = part is not None
        self._stem = part["name"] if part else path.stem
        self._shard = f"{int(part['number'])}-" if part and int(part["of"]) > 1 else ""

    def triplet(self, key: int | str, row: Numbered) -> Item:
        """Two true captions, then the false one."""
        texts = tuple(self._text(row, role) for role in ("caption", "paraphrase", "negative"))
        return self._item(key, row, Protocol.TRIPLET, texts, ((0, 0), (0, 1)), self._image(row, "image"))

    def choice(self, key: int | str, row: Numbered) -> Item:
        """The true caption, then every false one."""
        caption, foils = self._text(row, "caption"), several(row[1], self.mapping.roles["negative"])
        return self._chosen(key, row, caption, foils)

    def labelled(self, labels: Labels, key: int | str, row: Numbered) -> Item:
        """The caption that the label names, then the others in their order."""
        candidates = several(row[1], self.mapping.roles["candidate"])
        caption = candidates.pop(labels.place(row[1], candidates))
        return self._chosen(key, row, caption, candidates)

    def quad(self, key: int | str, row: Numbered) -> Item:
        """Caption i belongs to image i."""
        texts = tuple(self._text(row, role) for role in ("caption_0", "caption_1"))
        images = [self._image(row, role) for role in ("image_0", "image_1")]
        return self._item(key, row, Protocol.QUAD, texts, ((0, 0), (1, 1)), *images)

    def pool(self) -> Iterator[Item | Skipped]:
        """Pictures with all their captions, which may stand in several rows; in order of first appearance."""
        groups: dict[tuple[str, str], tuple[int | str, Numbered, list[str]]] = {}
        for key, row in numbered(self.path):
            try:
                name, texts = self._captions(row)
                group = groups.setdefault((self._subset(row[1]), name), (key, row, []))  # type: ignore[index, arg-type]
            except Malformed as reason:
                yield skipped(self.path.name, key, str(reason))
                continue
            for text in texts:
                if text in group[2]:
                    yield skipped(self.path.name, key, f"the caption {text[:60]!r} of {name} occurred before")
                else:
                    group[2].append(text)
        for key, row, texts in groups.values():
            yield from each(self.path.name, iter([(key, (row, texts))]), self._pooled)

    def _captions(self, row: Numbered | Malformed) -> tuple[str, list[str]]:
        if isinstance(row, Malformed):
            raise row
        name = self.mapping.column("image")
        value = row[1].get(name)
        if isinstance(value, Picture) and not value.path:
            raise Malformed(f"'{name}' holds no picture")
        key = value.digest if isinstance(value, Picture) else one(value, name)
        return key, several(row[1], self.mapping.roles["caption"])

    def _pooled(self, key: int | str, found: tuple[Numbered, list[str]]) -> Item:
        row, texts = found
        truth = tuple((0, place) for place in range(len(texts)))
        return self._item(key, row, Protocol.RETRIEVAL, tuple(texts), truth, self._image(row, "image"))

    def _chosen(self, key: int | str, row: Numbered, caption: str, foils: list[str]) -> Item:
        if not foils:
            raise Malformed("has one caption, where a choice needs two")
        if caption in foils:
            raise Malformed("the true caption is among the false ones")
        return self._item(key, row, Protocol.CHOICE, (caption, *foils), ((0, 0),), self._image(row, "image"))

    def _item(
        self,
        key: int | str,
        row: Numbered,
        protocol: Protocol,
        texts: tuple[str, ...],
        truth: tuple[tuple[int, int], ...],
        *images: ImageRef | None,
    ) -> Item:
        """A picture that no column names is missing, under the item's own id: items do not share it."""
        number, record = row
        subset = self._subset(record)
        own = key if isinstance(key, str) and not self._counted(key, number) else f"{self._shard}{number}"
        item_id = f"{subset}/{word(record, self.mapping.column('id')) or own}"
        refs = tuple(ImageRef(item_id, "") if image is None else image for image in images)
        return Item(item_id, subset, protocol, refs, texts, truth, self._tags(record), f"{self.path.name}:{key}")

    def _counted(self, key: str, number: int) -> bool:
        """Whether a key is only the record's place, not a key of its own."""
        return self.path.suffix.lower() == ".parquet" or key == str(number)

    def _subset(self, record: Record) -> str:
        subset = word(record, self.mapping.column("subset")) or self._stem
        if "," in subset:
            raise Malformed(f"the subset {subset!r} holds a comma, which parts subsets on the command line")
        return subset

    def _tags(self, record: Record) -> dict[str, tuple[str, ...]]:
        names = ("concept", "perturbation", "split")
        found = {name: terms(record, self.mapping.column(name)) for name in names}
        if not found["split"] and self._is_part and self._stem in SPLITS:
            found["split"] = (self._stem,)
        return {name: words for name, words in found.items() if words}

    def _text(self, row: Numbered, role: str) -> str:
        name = self.mapping.column(role)
        return one(row[1].get(name), name)

    def _image(self, row: Numbered, role: str) -> ImageRef | None:
        name = self.mapping.column(role)
        if not name:
            return None
        value: Any = row[1].get(name)
        if isinstance(value, Picture):
            return ImageRef(f"sha256:{value.digest[:16]}", value.path) if value.path else None
        return self.pictures.find(one(str(value) if isinstance(value, int) else value, name))
