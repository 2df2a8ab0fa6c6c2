"""Which vectors a run keeps beside its cosines: every different image and caption of a subset once, so that they can be
looked at as a map (pages/embeddings) without the model.

Pools keep theirs as `embeddings:…`; here are all other items that a similarity of two vectors scores, whatever else is
asked for (so a part has the same rows whichever way its run came about). An image or a caption stands with the first
item of its subset that shows it. Class names are read through prompts and are not kept.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.intake.survey import Survey, WorkItem
from backend.items import ImageRef

PREFIX = "vectors:"
PARTS = (f"{PREFIX}image", f"{PREFIX}text")
#: Different images and captions of one run whose vectors are kept, its subsets taken in order and whole: 50 MB in half
#: precision at 512 numbers each. Of larger subsets none is kept.
MOST = 50_000
_LEFT_OUT = ("retrieval", "classify")


@dataclass(frozen=True)
class Kept:
    """item_no -> which of its images and which of its texts stand with it. left_out: subset -> how many different
    images and captions it has at least, where these are too many."""

    places: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]
    left_out: dict[str, int]

    @property
    def items(self) -> npt.NDArray[np.int32]:
        """The items with which something stands, ascending."""
        return np.array(sorted(self.places), np.int32)

    def images(self, item: WorkItem) -> list[tuple[int, ImageRef]]:
        """(index, image) of an item's images that stand with it."""
        return [(index, item.images[index]) for index in self.places[item.item_no][0]]

    def texts(self, item: WorkItem) -> list[tuple[int, str]]:
        """(index, text) of an item's texts that stand with it."""
        return [(index, item.texts[index]) for index in self.places[item.item_no][1]]

    @property
    def notes(self) -> list[str]:
        """What a person should know of subsets whose vectors are not kept."""
        return [
            f"{subset}: {n:,} different images and captions or more are too many to keep the vectors of (a run keeps "
            f"{MOST:,}); Embeddings computes those of a sample."
            for subset, n in self.left_out.items()
        ]


def kept(found: Survey, items: npt.NDArray[np.int32], most: int = MOST) -> Kept:
    """What stands where. items: that are scored and whose images are there; most: how many vectors in all."""
    chosen = np.zeros(len(found), np.bool_)
    chosen[items] = True
    seen: dict[str, set[tuple[bool, str]]] = {}
    places: dict[str, dict[int, tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for number, subset, protocol, keys, texts in found.items.rows("subset", "protocol", "image_keys", "texts"):
        if not chosen[number] or protocol in _LEFT_OUT:
            continue
        known = seen.setdefault(subset, set())
        if len(known) > most:
            continue  # too many already: the rest is not looked at
        new = []
        for texts_or_keys, is_text in ((keys, False), (texts, True)):
            mine = []
            for index, name in enumerate(texts_or_keys):
                if (is_text, name) not in known:
                    known.add((is_text, name))
                    mine.append(index)
            new.append(tuple(mine))
        if any(new):
            places.setdefault(subset, {})[number] = (new[0], new[1])
    result: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    left_out, room = {}, most
    for subset, known in seen.items():
        if len(known) > room:
            left_out[subset] = len(known)
            continue
        room -= len(known)
        result |= places.get(subset, {})
    return Kept(result, left_out)
