"""Which items are no independent draws: those that share any image, or a `group` tag (a video, a scene)."""

from collections.abc import Sequence

import numpy as np

from backend.metrics.core.arrays import IntArray


def components(images: Sequence[Sequence[str]], groups: Sequence[str | None] | None = None) -> IntArray:
    """The cluster of each item, intp (n,): connected components over shared images and groups, numbered as they occur.

    images: the keys of each item's images; groups: n tags, None or "" for an item of no group. Raises ValueError where
    their numbers differ. An item without image or group is a cluster of its own.

    >>> components([["a", "b"], ["b", "c"], ["d"], ["e"]], [None, None, "v", "v"]).tolist()
    [0, 0, 1, 1]
    """
    from scipy.sparse import coo_array  # takes a tenth of a second to load, as first pages need not
    from scipy.sparse.csgraph import connected_components

    n = len(images)
    if groups is not None and len(groups) != n:
        raise ValueError(f"groups must hold one tag for each of the {n} items, got {len(groups)}")
    shown: dict[str, int] = {}
    named: dict[str, int] = {}
    owner = np.repeat(np.arange(n), np.array([len(keys) for keys in images], dtype=np.intp))
    other = [shown.setdefault(key, len(shown)) for keys in images for key in keys]
    tagged = [(item, tag) for item, tag in enumerate(groups or ()) if tag]
    tags = [named.setdefault(tag, len(named)) for _, tag in tagged]
    rows = np.concatenate([owner, np.array([item for item, _ in tagged], dtype=np.intp)])
    columns = np.concatenate([np.array(other, dtype=np.intp), len(shown) + np.array(tags, dtype=np.intp)])
    size = n + len(shown) + len(named)
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, n + columns)), shape=(size, size))
    found = connected_components(graph, directed=False)[1][:n]
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label.reshape(-1)].astype(np.intp)
