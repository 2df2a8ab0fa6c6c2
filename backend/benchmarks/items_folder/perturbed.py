"""A benchmark's perturbed editions: its items with edited captions, or choices between a caption and its edit.

`replace` puts edited captions in the place of the old ones and leaves the question as it was; `foils` asks a new
question: which of a true caption and its edit belongs to the image. Every item says which one it came from (tag
`origin`), what was done (`edit`) and where (`change`, see changes.py).
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, Literal

from backend.benchmarks.items_folder.changes import told
from backend.benchmarks.items_folder.kept import EDITED
from backend.errors import UsageError
from backend.items import Benchmark, Item, Protocol
from backend.perturb import Edit, Effect, Perturbation, apply_many

Texts = Literal["all", "truth", "foils"]
Way = Literal["replace", "foils"]

#: Items that are edited together, so that a proposer is asked in batches; and edits that are kept for the next items.
_CHUNK: Final = 64
_KEPT: Final = 16_384

NOTHING: Final = "no caption that it applies to"
SAME: Final = "two captions would be the same"
CLASSES: Final = "class names are no captions"
TRUE_TOO: Final = "its edit is another of its true captions"


@dataclass(frozen=True)
class Wanted:
    """One edition. texts: which captions are edited. way: None takes the perturbation's own: `replace` where the
    meaning stays or where the brittleness paper does so, `foils` elsewhere."""

    kind: Perturbation
    seed: int = 0
    texts: Texts = "all"
    way: Way | None = None

    def __post_init__(self) -> None:
        """UsageError for a foil that would be true."""
        if self.way == "foils" and self.kind.effect is Effect.PRESERVING:
            raise UsageError(
                f"--as foils: {self.kind.name} keeps the meaning, so its captions are no foils. Leave --as out."
            )

    @property
    def taken(self) -> Way:
        """The way that is gone."""
        own: Way = "replace" if self.kind.effect is Effect.PRESERVING or self.kind.paper == "brittleness" else "foils"
        return self.way or own

    def name(self, parent: str) -> str:
        """The edition's name; what is not as usual is part of it.

        >>> from backend.perturb import get
        >>> Wanted(get("character_swap"), seed=3, texts="truth").name("visla")
        'visla~character_swap+truth_only@3'
        """
        usual = self.taken == replace(self, way=None).taken
        more = ("" if self.texts == "all" else f"+{self.texts}_only") + ("" if usual else f"+as_{self.taken}")
        return f"{parent}{EDITED}{self.kind.name}{more}" + (f"@{self.seed}" if self.seed else "")


@dataclass
class Coverage:
    """What one pass found. items: those asked for; made: those of the edition; unchanged: items of a pool that stay as
    they are, because a pool without them would be another one; texts: captions that were to be edited."""

    items: int = 0
    used: int = 0
    made: int = 0
    unchanged: int = 0
    texts: int = 0
    texts_edited: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def document(self) -> dict[str, Any]:
        """As benchmark.json keeps it."""
        return {
            "items": self.items, "items_edited": self.used, "items_made": self.made, "items_unchanged": self.unchanged,
            "items_left_out": dict(self.left_out), "texts": self.texts, "texts_edited": self.texts_edited,
        }  # fmt: skip


class Edition:
    """One perturbed edition of a benchmark. parent_hash: of the parent's whole content. chosen: numbers of the parent's
    items that are edited, None for all. made_with: what else decides the edits (the
    model that proposed them); read anew whenever it is told."""

    def __init__(
        self,
        parent: Benchmark,
        parent_hash: str,
        wanted: Wanted,
        chosen: Container[int] | None = None,
        made_with: Mapping[str, Any] | None = None,
    ) -> None:
        self.parent, self.parent_hash, self.wanted, self.chosen = parent, parent_hash, wanted, chosen
        self.made_with = made_with or {}
        self.coverage = Coverage()
        self._edits: dict[str, Edit | None] = {}

    @property
    def benchmark(self) -> Benchmark:
        """The edition; each pass over it edits anew and counts anew."""
        return Benchmark(self.wanted.name(self.parent.name), self._items, about=self.about())

    def about(self) -> dict[str, Any]:
        """What benchmark.json keeps; the coverage is that of the last pass."""
        kind = self.wanted.kind
        parent = {"name": self.parent.name, "hash": self.parent_hash}
        parent |= {"split": self.parent.split} if self.parent.split else {}
        return {
            "parent": parent,
            "perturbation": {
                "name": kind.name, "title": kind.title, "effect": str(kind.effect), "family": kind.family,
                "paper": kind.paper, "seed": self.wanted.seed, "texts": self.wanted.texts, "as": self.wanted.taken,
                **self.made_with, "coverage": self.coverage.document(),
            },
        }  # fmt: skip

    def _items(self) -> Iterator[Item]:
        self.coverage = Coverage()
        make = self._replaced if self.wanted.taken == "replace" else self._foils
        stream = (item for number, item in enumerate(self.parent) if self.chosen is None or number in self.chosen)
        while chunk := list(islice(stream, _CHUNK)):
            self._edit(chunk)
            for item in chunk:
                self.coverage.items += 1
                made = make(item)
                self.coverage.made += len(made)
                yield from made

    def _edit(self, items: Sequence[Item]) -> None:
        """Edits of all captions that these items need; the same caption is edited once."""
        if len(self._edits) > _KEPT:
            self._edits.clear()
        asked = (item.texts[t] for item in items for t in self._asked(item))
        fresh = [text for text in dict.fromkeys(asked) if text not in self._edits]
        self._edits |= zip(fresh, apply_many(self.wanted.kind, fresh, self.wanted.seed), strict=True)

    def _asked(self, item: Item) -> list[int]:
        """Positions of the captions that are to be edited."""
        if item.protocol == Protocol.CLASSIFY:
            return []
        true = {text for _, text in item.truth}
        if self.wanted.taken == "foils":
            return sorted(true)
        places = range(len(item.texts))
        return [t for t in places if self.wanted.texts == "all" or (t in true) == (self.wanted.texts == "truth")]

    def _found(self, item: Item) -> dict[int, Edit]:
        """Position -> edit, where there is one; counted."""
        asked = self._asked(item)
        found = {t: edit for t in asked if (edit := self._edits[item.texts[t]]) is not None}
        self.coverage.texts += len(asked)
        self.coverage.texts_edited += len(found)
        return found

    def _replaced(self, item: Item) -> list[Item]:
        found = self._found(item)
        texts = tuple(found[t].text if t in found else text for t, text in enumerate(item.texts))
        pooled = item.protocol == Protocol.RETRIEVAL
        if not found and pooled:
            self.coverage.unchanged += 1
            tags = {**item.tags, "origin": (item.item_id,)}
            return [replace(item, tags=tags, source=self._source(item))]
        if not found or (_distinct(texts) < _distinct(item.texts) and not pooled):
            self.coverage.left_out[SAME if found else _nothing(item)] += 1
            return []
        self.coverage.used += 1
        family = self.wanted.kind.family
        kinds = dict.fromkeys([*item.tags.get("perturbation", ()), family])
        lines = [told(t, item.texts[t], edit) for t, edit in found.items()]
        tags = {**item.tags, "perturbation": tuple(kinds), **self._marks(item, lines)}
        return [replace(item, texts=texts, tags=tags, source=self._source(item))]

    def _foils(self, item: Item) -> list[Item]:
        found = self._found(item)
        made = []
        for number, (image, t) in enumerate(item.truth):
            edit = found.get(t)
            # What is true of this image; the other caption of a quad is a foil here.
            true = {item.texts[other].casefold() for i, other in item.truth if i == image}
            if edit is None or edit.text.casefold() in true:
                continue
            name = item.item_id if len(item.truth) == 1 else f"{item.item_id}#{number}"
            concepts = (edit.concept,) if edit.concept else self.wanted.kind.concepts
            tags = {name: values for name, values in item.tags.items() if name not in ("concept", "original")}
            tags |= {"concept": concepts or item.tags.get("concept", ()), "perturbation": (self.wanted.kind.family,)}
            tags |= self._marks(item, [told(1, item.texts[t], edit)])
            made.append(
                Item(name, item.subset, Protocol.CHOICE, (item.images[image],), (item.texts[t], edit.text), ((0, 0),),
                     tags, self._source(item))
            )  # fmt: skip
        self.coverage.used += bool(made)
        if not made:
            self.coverage.left_out[TRUE_TOO if found else _nothing(item)] += 1
        return made

    def _marks(self, item: Item, lines: list[str]) -> dict[str, tuple[str, ...]]:
        return {"origin": (item.item_id,), "edit": (self.wanted.kind.name,), "change": tuple(lines)}

    def _source(self, item: Item) -> str:
        return f"{self.parent.name}:{item.item_id}"


def _nothing(item: Item) -> str:
    """Why an item has no edit."""
    return CLASSES if item.protocol == Protocol.CLASSIFY else NOTHING


def _distinct(texts: Sequence[str]) -> int:
    return len({text.casefold() for text in texts})
