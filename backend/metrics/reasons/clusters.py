"""Which items are no independent draws: those that share any image, or a `group` tag (a video, a scene)."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from backend.metrics.core.arrays import IntArray


def components(images: Sequence[Sequence[str]], groups: Sequence[str | None] | None = None) -> IntArray:
    """The cluster of each item, intp (n,): connected components over shared images and groups, numbered as they occur.

    images: the keys of each item's images; groups: n tags, None or "" for an item of no group. Raises ValueError where
    their numbers differ. An item without image or group is a cluster of its own.

    >>> components([["a", "b"], ["b", "c"], ["d"], ["e"]], [None, None, "v", "v"]).tolist()
    [0, 0, 1, 1]
    """
    n = len(images)
    if groups is not None and len(groups) != n:
        raise ValueError(f"groups must hold one tag for each of the {n} items, got {len(groups)}")
    number: dict[tuple[str, str], int] = {}
    links: list[tuple[int, int]] = []
    for item, keys in enumerate(images):
        tag = groups[item] if groups is not None else None
        for key in [*(("image", key) for key in keys), *([("group", tag)] if tag else [])]:
            links.append((item, n + number.setdefault(key, len(number))))  # noqa: PERF401 (a dict is filled in order)
    ends = np.array(links, dtype=np.intp).reshape(-1, 2)
    size = n + len(number)
    graph = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(size, size))
    found = connected_components(graph, directed=False)[1][:n]
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label.reshape(-1)].astype(np.intp)
