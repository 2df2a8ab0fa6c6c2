"""Items by their ids and by what they hold: image and caption."""

import hashlib
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple, Protocol

from backend.benchmarks.reading.malformed import Malformed
from backend.items import ImageRef
from backend.items import Protocol as Judged
from backend.predictions.claim import About
from backend.predictions.places import Places


class Known(Protocol):
    """What is needed of an item; `Item` has it, and so has what the engine keeps of one."""

    @property
    def item_id(self) -> str: ...
    @property
    def subset(self) -> str: ...
    @property
    def protocol(self) -> Judged: ...
    @property
    def images(self) -> tuple[ImageRef, ...]: ...
    @property
    def texts(self) -> tuple[str, ...]: ...


class Cell(NamedTuple):
    """An image with a text. text: the position in the item, of a retrieval item that in its pool."""

    item_no: int
    image: int
    text: int


class Items:
    """The items of a benchmark, found by what a statement says about them.

    item_of: the item of a number. numbers: those that count, ascending; statements about others are refused.
    """

    def __init__(self, item_of: Callable[[int], Known], numbers: Iterable[int], n: int) -> None:
        self.item_of, self.n = item_of, n
        self.numbers = frozenset(numbers)

    @cached_property
    def by_id(self) -> dict[str, int]:
        """Every item's number by its id."""
        return {self.item_of(number).item_id: number for number in range(self.n)}

    @cached_property
    def _alone(self) -> str:
        """The one subset there is, else ""."""
        subsets = {self.item_of(number).subset for number in range(self.n)}
        return subsets.pop() if len(subsets) == 1 else ""

    @cached_property
    def starts(self) -> dict[int, int]:
        """Where the texts of a retrieval item begin in its subset's pool."""
        found: dict[int, int] = {}
        length: dict[str, int] = {}
        for number in range(self.n):
            item = self.item_of(number)
            if item.protocol == Judged.RETRIEVAL:
                found[number] = length.get(item.subset, 0)
                length[item.subset] = found[number] + len(item.texts)
        return found

    @cached_property
    def pools(self) -> dict[str, int]:
        """How many texts each retrieval subset has."""
        found: dict[str, int] = {}
        for number, start in self.starts.items():
            item = self.item_of(number)
            found[item.subset] = max(found.get(item.subset, 0), start + len(item.texts))
        return found

    @cached_property
    def _exact(self) -> "_Index":
        return self._index(str)

    @cached_property
    def _bare(self) -> "_Index":
        return self._index(bare)

    @cached_property
    def _keys(self) -> dict[str, tuple[str, ...]]:
        """Bare image name -> the first three image keys that have it."""
        found: dict[str, tuple[str, ...]] = {}
        for number in range(self.n):
            for image in self.item_of(number).images:
                known = found.get(bare(image.key), ())
                if len(known) < _NAMED and image.key not in known:
                    found[bare(image.key)] = (*known, image.key)
        return found

    @cached_property
    def _places(self) -> Places:
        def read(number: int) -> tuple[str, str, tuple[str, ...]]:
            item = self.item_of(number)
            return item.item_id, item.subset, item.texts

        return Places(sorted(self.numbers), read)

    def _index(self, spelt: Callable[[str], str]) -> "_Index":
        """Hash of image name and caption -> the cells that have both, packed; a million of them take some 150 MB."""
        found: _Index = {}
        for number in range(self.n):
            item = self.item_of(number)
            if item.protocol == Judged.RETRIEVAL:
                continue
            for i, image in enumerate(item.images):
                for t, text in enumerate(item.texts):
                    key, cell = _hash(spelt(image.key), text), _packed(Cell(number, i, t))
                    before = found.get(key)
                    found[key] = cell if before is None else (*_listed(before), cell)
        return found

    @cached_property
    def _pool_texts(self) -> dict[tuple[str, str], list[int]]:
        """(subset, caption) -> its positions in the pool."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, start in self.starts.items():
            item = self.item_of(number)
            for place, text in enumerate(item.texts):
                found.setdefault((item.subset, text), []).append(start + place)
        return found

    @cached_property
    def _pool_images(self) -> dict[str, list[tuple[str, int]]]:
        """Bare image name -> the images of pools that have it, by their whole key and item."""
        found: dict[str, list[tuple[str, int]]] = {}
        for number in self.starts:
            for image in self.item_of(number).images:
                found.setdefault(bare(image.key), []).append((image.key, number))
        return found

    def number(self, about: About) -> int:
        """The item of an id or a place. Malformed where there is none, or where it is not among those that count."""
        if about.of >= 0:
            return self._places.number(about)
        if about.position >= 0:
            if about.position >= self.n:
                raise Malformed(f"there is no item at place {about.position}: the benchmark has {self.n:,}, from 0")
            return self._counting(about.position)
        number = self.known(about)
        if number is None:
            raise Malformed(f"there is no item '{about.ids[0]}'")
        return self._counting(number)

    def spelt(self, about: About) -> list[str]:
        """Every id that may be meant, the likeliest first."""
        return [*about.ids, *([f"{self._alone}/{name}" for name in about.ids] if self._alone else [])]

    def known(self, about: About) -> int | None:
        """The item that has one of the ids, whether it counts or not; None where none has."""
        return next((self.by_id[name] for name in self.spelt(about) if name in self.by_id), None)

    def cells(self, about: About) -> list[Cell]:
        """Every cell of an image with a caption. Malformed where there is none, or where several images' names fit."""
        found = [_unpacked(cell) for cell in _listed(self._exact.get(_hash(about.image, about.caption), ()))]
        found += self._in_pools(about, str) if self.starts else []
        if not found:
            name = bare(about.image)
            keys = self._keys.get(name, ())
            if about.image not in keys and len(keys) > 1:  # frames of different videos share their names
                raise Malformed(f"the image '{about.image}' could be any of {', '.join(keys)}")
            if about.image not in keys:
                found = [_unpacked(cell) for cell in _listed(self._bare.get(_hash(name, about.caption), ()))]
                found += self._in_pools(about, bare) if self.starts else []
        cells = [cell for cell in found if cell.item_no in self.numbers]
        if not cells:
            outside = " in the selection" if found else ""
            raise Malformed(
                f"no item{outside} has the image '{about.image}' with the caption '{_short(about.caption)}'"
            )
        return cells

    def _in_pools(self, about: About, spelt: Callable[[str], str]) -> list[Cell]:
        images = self._pool_images.get(bare(about.image), ())
        return [
            Cell(number, 0, place)
            for key, number in images
            if spelt(key) == spelt(about.image)
            for place in self._pool_texts.get((self.item_of(number).subset, about.caption), ())
        ]

    def item(self, about: About) -> int:
        """The item that a verdict is about: by its id, else by image, true caption and false ones."""
        if about.ids or about.position >= 0:
            return self.number(about)
        numbers = {
            cell.item_no
            for cell in self.cells(about)
            if cell.text == 0 and set(about.negatives) <= set(self.item_of(cell.item_no).texts[1:])
        }
        if len(numbers) != 1:
            what = f"{len(numbers)} items have" if numbers else "no item has"
            raise Malformed(f"{what} the image '{about.image}' with these captions")
        return numbers.pop()

    def _counting(self, number: int) -> int:
        if number not in self.numbers:
            raise Malformed(f"the item '{self.item_of(number).item_id}' is not in the selection")
        return number


#: Hash -> a packed cell, or several.
_Index = dict[int, int | tuple[int, ...]]
#: How many images that a name could mean are named.
_NAMED = 3
#: Bits for a text's place and for an image's, in a packed cell.
_TEXT, _IMAGE = 24, 8


def _hash(image: str, text: str) -> int:
    digest = hashlib.blake2b(image.encode("utf-8", "surrogatepass"), digest_size=8)
    digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest(), "big")


def _packed(cell: Cell) -> int:
    return (cell.item_no << _IMAGE | cell.image) << _TEXT | cell.text


def _unpacked(packed: int) -> Cell:
    return Cell(packed >> (_IMAGE + _TEXT), packed >> _TEXT & (1 << _IMAGE) - 1, packed & (1 << _TEXT) - 1)


def _listed(found: int | tuple[int, ...]) -> tuple[int, ...]:
    return (found,) if isinstance(found, int) else found


def bare(name: str) -> str:
    """An image's name without folders and suffix: people's files call `val2017/000000000139.jpg` what they like.

    >>> bare("val2017/000000000139.jpg"), bare(r"val2017\\139.jpg"), bare("crop.v2.png#1,2,3,4"), bare("eqbensd/7")
    ('000000000139', '139', 'crop.v2.png#1,2,3,4', '7')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = last.rpartition(".")
    return stem if dot and stem and suffix.isalpha() and len(suffix) <= 4 else last


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
