"""Which other images the captions of a choice or a triplet may be scored under, and in which order they are taken.

The images are those of the same subset. One seeded draw orders them for all items of a subset, so that items share
them, and an item that wants more takes more of the same order. Left out are the item's own image, its cluster (items
that share an image, or a tag `group`: a video, a scene), and in the bundled world the images of which one of the item's
captions is true; elsewhere some may fit, too, and nobody knows which. Images that share the item's objects come first,
where these are known (scenes of the world; tags `objects`), else those that share its concept.

Pure arithmetic on what is stored of items: the engine plans with it, the store reads by it.
"""

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from backend import enough, item_clusters
from backend.errors import FlipsideError
from backend.item_clusters import GROUP
from backend.protocols import Protocol
from backend.world.fitting import Scenes, is_scene
from backend.world.scenes import Scene

#: Protocols whose captions are scored under other images; a quad has its partner image.
PROTOCOLS = (Protocol.CHOICE, Protocol.TRIPLET)
#: How many where nobody says how many.
DEFAULT = enough.OTHER_IMAGES
#: The most that a command may ask for.
MOST = 1000
#: Tags that say which objects an image shows, and the tag that stands in where none does.
OBJECTS, CONCEPT = ("objects", "object"), "concept"

Mask = NDArray[np.bool_]
Ints = NDArray[np.int32]


class Seen(NamedTuple):
    """What is stored of an item. used: whether its captions, and its image, are among those that may be scored."""

    item_no: int
    subset: str
    protocol: str
    keys: Sequence[str]
    tags: Mapping[str, Sequence[str]]
    used: bool = True


@dataclass
class Pool:
    """The images of one subset, in the order of the draw.

    numbers: (images,) of each image, the least number of an item of the benchmark that shows it. clusters: (images,).
    features: what an image shows, as far as known -> places in that order. preferred: what the features are.
    """

    numbers: Ints
    keys: list[str]
    clusters: NDArray[np.int64]
    features: dict[str, list[int]]
    preferred: str

    @cached_property
    def scenes(self) -> Scenes | None:
        """The images as scenes of the world; None where one is no such scene."""
        if not all(map(is_scene, self.keys)):
            return None
        try:
            return Scenes([Scene.decode(key) for key in self.keys])
        except FlipsideError:
            return None

    @cached_property
    def largest_cluster(self) -> int:
        """How many images the largest cluster has."""
        return int(np.unique(self.clusters, return_counts=True)[1].max(initial=0))

    @cached_property
    def _showing(self) -> dict[str, Mask]:
        return {}

    def showing(self, feature: str) -> Mask:
        """(images,): those that are known to show it."""
        if feature not in self._showing:
            found = np.zeros(len(self), np.bool_)
            found[self.features.get(feature, [])] = True
            self._showing[feature] = found
        return self._showing[feature]

    def __len__(self) -> int:
        return len(self.keys)


@dataclass
class _Item:
    subset: str
    key: str
    features: tuple[str, ...]


@dataclass
class OtherImages:
    """The images of a benchmark's choices and triplets. pools: by subset. number: image key -> its number."""

    pools: dict[str, Pool]
    number: dict[str, int]
    _items: dict[int, _Item] = field(default_factory=dict)
    _clusters: dict[str, int] = field(default_factory=dict)
    _shared: dict[tuple[str, str], Mask] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Iterable[Seen], seed: int) -> "OtherImages":
        """Those of all items of a benchmark, in its order; clusters are formed over all of them, whatever is used."""
        keys, groups = list[Sequence[str]](), list[Sequence[str]]()
        number, found = dict[str, int](), dict[int, _Item]()
        for item in items:
            keys.append(item.keys)
            groups.append(item.tags.get(GROUP, ()))
            if item.protocol not in PROTOCOLS or len(item.keys) != 1:
                continue
            key = item.keys[0]
            number.setdefault(key, item.item_no)
            if item.used:
                found[item.item_no] = _Item(item.subset, key, _features(key, item.tags))
        clusters = item_clusters.of_images(keys, item_clusters.clusters(keys, groups))
        by_key = {key: clusters[key] for key in number}
        subsets: dict[str, dict[str, set[str]]] = {}
        for each in found.values():
            subsets.setdefault(each.subset, {}).setdefault(each.key, set()).update(each.features)
        pools = {name: _pool(shown, number, by_key, seed) for name, shown in subsets.items()}
        return cls(pools, number, found, by_key)

    def choose(self, item_no: int, texts: Sequence[str], n: int) -> list[int]:
        """The numbers of the first n images that the item's captions may be scored under, fewer where there are no
        more. The first of them are the same for every n."""
        item, pool = self._items[item_no], self.pools[self._items[item_no].subset]
        own = self._clusters[item.key]
        fits = pool.scenes.fit(texts) if pool.scenes is not None else None
        chosen: dict[int, None] = {}
        for place in self._order(item, pool) if n else ():
            if pool.clusters[place] != own and (fits is None or not fits[place]):
                chosen[int(pool.numbers[place])] = None
                if len(chosen) >= n:
                    break
        return list(chosen)

    def may(self, item_no: int, texts: Sequence[str], n: int | None = None) -> Mask:
        """(images of its subset,): those that the item's captions may be scored under. Where n or more share something
        with the item, these alone."""
        item, pool = self._items[item_no], self.pools[self._items[item_no].subset]
        found = np.asarray(pool.clusters != self._clusters[item.key])
        if pool.scenes is not None:
            found &= ~pool.scenes.fit(texts)
        related = np.zeros(len(pool), np.bool_)
        for name in item.features:
            related |= pool.showing(name)
        related &= found
        return related if n is not None and related.sum() >= n else found

    def elsewhere(self, item_no: int, texts: Sequence[str], subset: str, first: int) -> Mask:
        """(first images of another subset's draw,): those that the item's captions may be scored under, without images
        that its own subset shows, too."""
        pool, item = self.pools[subset], self._items[item_no]
        found = (
            np.asarray(pool.clusters[:first] != self._clusters[item.key]) & ~self._in_both(item.subset, subset)[:first]
        )
        return found if pool.scenes is None else found & ~pool.scenes.fit(texts)[:first]

    def _in_both(self, own: str, subset: str) -> Mask:
        """(images of a subset,): those that another one shows, too."""
        if (own, subset) not in self._shared:
            keys = set(self.pools[own].keys)
            self._shared[own, subset] = np.array([key in keys for key in self.pools[subset].keys], np.bool_)
        return self._shared[own, subset]

    def knows(self, item_no: int) -> bool:
        """Whether an item is among those whose captions may be scored."""
        return item_no in self._items

    @staticmethod
    def _order(item: _Item, pool: Pool) -> Iterator[int]:
        """Places in the pool: those that share something with the item, then all of them."""
        related = heapq.merge(*(pool.features.get(name, ()) for name in item.features))
        return chain(related, range(len(pool)))


def _pool(shown: Mapping[str, set[str]], number: Mapping[str, int], clusters: Mapping[str, int], seed: int) -> Pool:
    keys = sorted(shown, key=lambda key: (_hash(f"{seed}:{key}"), key))
    features: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        for name in sorted(shown[key]):
            features.setdefault(name, []).append(place)
    kinds = sorted({name.partition(":")[0] for name in features}, reverse=True)
    return Pool(
        np.array([number[key] for key in keys], np.int32),
        keys,
        np.array([clusters[key] for key in keys], np.int64),
        features,
        " or ".join(kinds),
    )


def _features(key: str, tags: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What an item's image is known to show, else what the item is about."""
    objects: Iterable[str] = chain.from_iterable(tags.get(name, ()) for name in OBJECTS)
    if is_scene(key):
        try:
            objects = {o.shape for o in Scene.decode(key).objects}
        except FlipsideError:
            objects = ()
    found = [f"objects:{name}" for name in sorted(set(objects))]
    return tuple(found or [f"{CONCEPT}:{name}" for name in tags.get(CONCEPT, ())])


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
