"""Which items of a benchmark are no independent draws: one implementation for importers, intervals, draws and priors.

Items belong together that share any image, a region of one (ARO's crops), or a `group` tag (a video, a scene); what
is joined by way of others is joined, too: clusters are connected components over the whole benchmark.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from backend.metrics.core.arrays import IntArray
from backend.metrics.reasons.clusters import components

#: The tag that importers give to items of one video, or of one scene. Tags are not part of a benchmark's hash.
GROUP = "group"
_REGION = re.compile(r"#-?\d{1,6},-?\d{1,6},\d{1,6},\d{1,6}\Z")


def picture_of(key: str) -> str:
    """The picture that an image key names, without its region.

    >>> picture_of("2345.jpg#10,20,30,40"), picture_of("a#b.jpg")
    ('2345.jpg', 'a#b.jpg')
    """
    return _REGION.sub("", key) if "#" in key else key


def clusters(keys: Sequence[Sequence[str]], groups: Sequence[Sequence[str]]) -> IntArray:
    """The cluster of each item, intp (n,), numbered as they occur. keys: the image keys of each item; groups: its
    `group` tags. An item without both is a cluster of its own. ValueError where their numbers differ.

    >>> clusters([["a"], ["b", "a"], ["c#1,1,2,2"], ["c"], ["a"]], [[], [], [], [], ["v"]]).tolist()
    [0, 0, 1, 1, 0]
    """
    joined = [
        [*map(picture_of, shown), *(f"\0{GROUP}\0{name}" for name in tags)]
        for shown, tags in zip(keys, groups, strict=True)
    ]
    return components(joined)


def names(keys: Sequence[Sequence[str]], groups: Sequence[Sequence[str]], item_ids: Sequence[str]) -> list[str]:
    """What each item's cluster is called, (n,): by the first picture of its first item that has one, else by that
    item's id. So an image alone keeps its name, and the same pictures are called the same in two benchmarks.

    >>> names([["x"], ["y", "x"], []], [[], [], []], ["1", "2", "3"])
    ['x', 'x', '3']
    """
    found = clusters(keys, groups)
    if len(item_ids) != len(found):
        raise ValueError(f"item_ids must hold {len(found)} ids, got {len(item_ids)}")
    _, first = np.unique(found, return_index=True)  # clusters are numbered as they occur
    called = [picture_of(keys[at][0]) if keys[at] else item_ids[at] for at in first.tolist()]
    return [called[number] for number in found.tolist()]


def of_images(keys: Sequence[Sequence[str]], found: IntArray) -> Mapping[str, int]:
    """image key -> the cluster that it belongs to; found: what `clusters` says of the same items.

    >>> of_images([["a", "b"], ["c"]], clusters([["a", "b"], ["c"]], [[], []]))
    {'a': 0, 'b': 0, 'c': 1}
    """
    return {key: number for shown, number in zip(keys, found.tolist(), strict=True) for key in shown}
