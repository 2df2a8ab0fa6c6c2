"""The captions of choices and triplets under other images: which images, and which of them are scored already.

Of a similarity of two vectors no scores are kept but the vectors of these subsets' images and captions, once, whatever
number is asked for: every caption under every image is one product.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from backend import enough, other_images
from backend.errors import UsageError
from backend.intake.survey import PROTOCOLS, Survey
from backend.items import ImageRef, Kind
from backend.kinds import PAIR_KINDS
from backend.other_images import MOST, OtherImages, Seen

#: How the parts of these scores begin, and those that hold vectors.
PREFIX = "counterfactual:"
VECTORS = (f"{PREFIX}text", f"{PREFIX}image")
NOTHING = "no selected item is a choice or a triplet with another one's image in its subset"
NO_KIND = "none of the kinds gives one image with one text a number"
_JUDGED = tuple(PROTOCOLS.index(protocol) for protocol in other_images.PROTOCOLS)

Numbers = npt.NDArray[np.int32]


def parse(n: int | None) -> int | None:
    """How many images `--counterfactual` asks for; UsageError for a number that is none."""
    if n is not None and not 0 <= n <= MOST:
        raise UsageError(f"--counterfactual {n}: expected a number of other images from 0 (none) to {MOST}.")
    return n


def applicable(found: Survey) -> Numbers:
    """The selected items that have such scores if there are other images: one image, and at least two captions."""
    chosen = found.selected
    here = np.isin(found.protocol[chosen], _JUDGED) & (found.n_images[chosen] == 1) & (found.n_texts[chosen] > 1)
    return np.asarray(chosen[here])


def part_of(kind: Kind) -> str:
    """The part that holds a kind's scores under other images."""
    return f"{PREFIX}{kind}"


def kinds_among(kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds that give one image with one text a number: of these there is a margin under any image."""
    return [kind for kind in kinds if kind in PAIR_KINDS]


class Others:
    """Which other images each item's captions are scored under, n of them as far as there are so many."""

    def __init__(self, found: Survey, n: int, seed: int) -> None:
        """n: how many are asked for. seed: of the draw, the run's."""
        self.n, self.seed = n, seed
        self.items = applicable(found)
        self.items = self.items[found.n_missing[self.items] == 0]
        used = set(self.items.tolist())
        self.drawn = OtherImages.of(_seen(found, used), seed)
        self._row = np.full(len(found), -1, np.int32)
        self._row[self.items] = np.arange(len(self.items), dtype=np.int32)
        self._holder: dict[int, int] = {}
        self._refs: dict[int, ImageRef] = {}
        chosen: list[list[int]] = []
        for number in self.items.tolist():
            item = found.items[number]
            image = self.drawn.number[item.images[0].key]
            self._holder.setdefault(image, number)
            self._refs.setdefault(image, item.images[0])
            chosen.append(self.drawn.choose(number, item.texts, n))
        self.counts = np.zeros(len(found), np.int32)
        self.counts[self.items] = [len(images) for images in chosen]
        widest = max(map(len, chosen), default=0)
        self._chosen = np.array([images + [-1] * (widest - len(images)) for images in chosen], np.int32)
        self._chosen = self._chosen.reshape(len(chosen), widest)

    def wanted(self, item_no: int) -> Numbers:
        """The numbers of an item's images, in the order of the draw."""
        return np.asarray(self._chosen[self._row[item_no]][: self.counts[item_no]])

    def most(self, found: Survey, items: Numbers, *, every: bool) -> int:
        """The most other images that one of some items is scored under, as far as these are enough for a reason. every:
        of vectors, by which each caption meets all images of its subset."""
        most = int(self.counts[items].max(initial=0))
        for number in items.tolist() if every and self.n < enough.OTHER_IMAGES else ():
            if most >= enough.OTHER_IMAGES:
                break
            most = max(most, len(self.drawn.choose(number, found.items[number].texts, enough.OTHER_IMAGES)))
        return most

    def ref(self, image: int) -> ImageRef:
        """The image of a number."""
        return self._refs[image]

    def holds(self, item_no: int, key: str) -> bool:
        """Whether the vector of this image is kept with this item, the first that shows it."""
        return self._holder[self.drawn.number[key]] == item_no

    def vectors(self, found: Survey, items: Numbers) -> int:
        """How many vectors some items bring: their captions, and the images that they show first."""
        first = np.isin(items, np.fromiter(self._holder.values(), np.int32, len(self._holder)))
        return int(found.n_texts[items].sum() + first.sum())

    def about(self, items: Numbers, *, every: bool) -> dict[str, Any]:
        """What the run's record says of how the images were chosen. every: of vectors, by which each caption meets all
        images of its subset."""
        pools = self.drawn.pools
        world = {name: pool.scenes is not None for name, pool in pools.items()}
        used = np.unique(self._chosen[self._row[items]])
        distinct = len(self._holder) if every else int((used >= 0).sum())
        least = {} if every else {"least": int(self.counts[items].min(initial=self.n))}
        return {
            "images": "all" if every else self.n,
            **least,
            "distinct": distinct,
            "seed": self.seed,
            "from": "the selected items of the same subset",
            "preferred": {name: pool.preferred for name, pool in pools.items()},
            "left_out": {
                name: "its own image and cluster" + (", images that fit a caption" if world[name] else "")
                for name in pools
            },
            "may_fit": [name for name in pools if not world[name]],
            "largest_cluster": {name: pool.largest_cluster for name, pool in pools.items()},
        }


class Share:
    """What of one part is wanted and not there yet. others: which images; shared by all parts."""

    def __init__(self, others: Others) -> None:
        self.others = others
        self._done: dict[int, frozenset[int]] = {}
        self.counts = others.counts.copy()

    def note(self, items: Numbers, images: Numbers) -> Numbers:
        """Take note of the (item, image) that are there; the items that lack none of theirs."""
        order = np.argsort(items, kind="stable")
        numbers, starts = np.unique(items[order], return_index=True)
        groups = np.split(images[order], starts[1:]) if len(items) else []
        for number, there in zip(numbers.tolist(), groups, strict=True):
            if self.others.counts[number]:
                self._done[number] = frozenset(there.tolist())
                self.counts[number] = len(self.missing(number))
        return np.asarray(self.others.items[self.counts[self.others.items] == 0])

    def missing(self, item_no: int) -> list[int]:
        """The numbers of the images that an item still lacks."""
        done = self._done.get(item_no, frozenset())
        return [image for image in self.others.wanted(item_no).tolist() if image not in done]


def _seen(found: Survey, used: set[int]) -> Iterator[Seen]:
    for number, subset, protocol, keys, tags in found.items.rows("subset", "protocol", "image_keys", "tags"):
        yield Seen(number, subset, protocol, keys, json.loads(tags), number in used)
