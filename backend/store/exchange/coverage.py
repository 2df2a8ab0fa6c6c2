"""Which items a bundle's run is about, as its selection says, and whether a part that says "complete" has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.engine.inputs.selection import Selection
from backend.errors import UsageError
from backend.items import SIMILARITIES, Item, Kind, Protocol

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
PROTOCOLS = list(Protocol)
#: Parts with the vectors of a pool, of which its cosines are made.
_VECTORS = ("embeddings:image", "embeddings:text")


@dataclass(frozen=True)
class Shapes:
    """What scores may refer to, one entry an item. reach: how many texts its pair scores may name, which in a pool are
    those of all its items. protocol: its place in PROTOCOLS. selected: whether the run's selection admits it; bool (n,)
    where the others are int64. n_picked: how many of these the run is to score where the record does not say which,
    for it has the digest of a picked set alone; None where it is to score all of them. pools: the number of a pool of
    each item of one, -1 for the others. pictures: which picture an item's only image is, -1 where it has none or more;
    items that show the same picture have the same."""

    images: Ints
    texts: Ints
    reach: Ints
    protocol: Ints
    selected: Mask
    n_picked: int | None = None
    pools: Ints | None = None
    pictures: Ints | None = None

    @property
    def n_selected(self) -> int:
        """How many items the run was to score."""
        return int(self.selected.sum()) if self.n_picked is None else self.n_picked


class Admitted:
    """A run's selection, asked about each item of its benchmark in turn."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        """record: run.json. ValueError for a selection that no run can have."""
        said = record["selection"]
        named = {name: said.get(name) for name in ("split", "subset", "limit", "sample")}
        self.picked: Mapping[str, Any] | None = said.get("items")
        try:
            self.selection = Selection(**named, seed=said.get("seed") or 0)
        except UsageError as error:
            raise ValueError(f"run.json has a selection that no run can have ({str(error).rstrip('.')})") from None
        self.subsets: dict[str, int] = {}
        self.subset: list[int] = []
        self.matches: list[bool] = []

    def see(self, item: Item) -> None:
        """The next item of the benchmark, in its order."""
        self.subset.append(self.subsets.setdefault(item.subset, len(self.subsets)))
        self.matches.append(self.selection.matches(item))

    def result(self) -> tuple[Mask, int | None]:
        """`selected` and `n_picked` of Shapes. ValueError where the selection admits nothing."""
        matching = np.flatnonzero(self.matches).astype(np.int32)
        if not len(matching):
            raise ValueError("run.json has a selection that admits none of the benchmark's items")
        found = np.zeros(len(self.matches), np.bool_)
        if self.picked is not None:
            found[matching] = True
            return found, self._n_picked(len(matching))
        found[self.selection.choose(matching, np.array(self.subset, np.int64)[matching])] = True
        return found, None

    def _n_picked(self, n_matching: int) -> int:
        """Of a picked set; where a split is named besides, one item at least, for nobody knows how many it leaves."""
        n = (self.picked or {}).get("n") or 1
        if n > n_matching:
            raise ValueError(f"run.json has {n:,} picked items, and its selection admits {n_matching:,}")
        return min(n if self.selection.split is None else 1, self.selection.limit or n, self.selection.sample or n)


def check_counts(record: Mapping[str, Any], shapes: Shapes) -> None:
    """What a record says of how many items there are and how many were selected, by which pages call a run whole, is
    so. ValueError with both numbers."""
    said, n_items = record["benchmark"].get("n_items"), len(shapes.images)
    if said not in (None, n_items):
        raise ValueError(f"run.json says that its benchmark has {said:,} items, and it has {n_items:,}")
    said = record.get("n_selected")
    n, most = shapes.n_selected, n_items
    if shapes.n_picked is None or record["selection"].get("split") is None:
        most = n
    if said is not None and not n <= said <= most:
        raise ValueError(f"run.json says that {said:,} items were selected, and its selection is of {n:,}")


def check_part(
    part: str, entry: Mapping[str, Any], has_rows: Ints, shapes: Shapes, has_all: Mask | None = None, in_pools: int = 0
) -> None:
    """A part has rows of selected items only; if it says that it is complete, every cell of each of them that has cells
    of its kind, but for as many items as it names as left out. ValueError with the item that is none of these, or with
    how many it lacks. has_rows: the numbers of the items that have rows. has_all: which items have every cell of their
    own, bool (n,); None for those with rows. in_pools: how many items of pools lack cells.

    Parts beside a kind's own (tokens, vectors for a map, scores under other images) are held to nothing here.
    """
    owed = _owed(part, shapes)
    if owed is None:
        return
    scored = np.zeros(len(shapes.images), np.bool_)
    scored[has_rows] = True
    if (wrong := scored & ~shapes.selected).any():
        raise ValueError(f"part {part} has rows of item {int(np.argmax(wrong))}, which the run's selection leaves out")
    left_out = sum((entry.get("left_out") or {}).values())
    if left_out > shapes.n_selected and shapes.n_picked is None:
        raise ValueError(f"part {part} leaves out {left_out:,} items, and the run is of {shapes.n_selected:,}")
    if not entry["complete"]:
        return
    for held, said in ((scored, "has no scores"), (scored if has_all is None else scored & has_all, "lacks scores")):
        if shapes.n_picked is None:
            n = int((owed & ~held).sum())
        else:  # which of the admitted items were picked is not known: those without cells of this kind may all be
            n = shapes.n_picked - int((shapes.selected & ~owed).sum()) - int((owed & held).sum())
        if n > left_out:
            raise ValueError(f"part {part} says that it is complete, and {said} of {n - left_out:,} items")
    if in_pools > left_out:
        raise ValueError(
            f"part {part} says that it is complete, and lacks scores of {in_pools - left_out:,} items of its pools"
        )


def owes(part: str) -> bool:
    """Whether it is known what a part of this name owes its items."""
    return part in (*_VECTORS, Kind.T2T, Kind.VERDICT, *SIMILARITIES) or part.startswith("prior@")


def _owed(part: str, shapes: Shapes) -> Mask | None:
    """Which of the selected items have rows in a part that is whole, as `engine.plan` has it, bool (n,); None for a
    part of which that is not known. Of a pool only some cells are scored pair by pair, but every vector is kept."""
    pooled = shapes.protocol == PROTOCOLS.index(Protocol.RETRIEVAL)
    both = (shapes.images > 0) & (shapes.texts > 0)
    if part in _VECTORS:
        return np.asarray(shapes.selected & pooled & both)
    if part == Kind.T2T:
        triplets = shapes.protocol == PROTOCOLS.index(Protocol.TRIPLET)
        return np.asarray(shapes.selected & triplets & (shapes.texts == 3))
    if part.startswith("prior@"):
        return np.asarray(shapes.selected & ~pooled & (shapes.texts > 0))
    if part in SIMILARITIES:
        return np.asarray(shapes.selected & ~pooled & both)
    if part == Kind.VERDICT:
        texts = {
            Protocol.TRIPLET: shapes.texts == 3,
            Protocol.QUAD: shapes.texts == 2,
            Protocol.CHOICE: shapes.texts > 1,
        }
        judged = [(shapes.protocol == PROTOCOLS.index(protocol)) & fits for protocol, fits in texts.items()]
        return np.asarray(shapes.selected & (shapes.images > 0) & np.any(judged, axis=0))
    return None
