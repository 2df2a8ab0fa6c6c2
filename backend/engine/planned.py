"""Windows of work that the plan alone decides: cut by images and cells, never by the clock, the machine or what an
earlier window has left in memory.

A window is whole images: items that share one, by way of others too, stand in one window, so that each image is decoded
and encoded once however many processes score the windows. Only where such a group is larger than a window itself (a
pool of frames, say, in which every quad shares a frame with the next) is it cut, between two items, and the few images
at the cut are encoded on both sides.

Which items are pending decides nothing: a window is the same in the first session of a run and in one that goes on
with it, and an item's batch is the same on one machine and on many. That is what makes scores equal to the bit.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from backend.engine.plan import RETRIEVAL, Plan
from backend.intake.survey import PROTOCOLS
from backend.items import Protocol

Numbers = npt.NDArray[np.int32]
CLASSIFY = PROTOCOLS.index(Protocol.CLASSIFY)
#: About how many cells of one kind a window has: some seconds of work for a model that reads pairs, and windows enough
#: for many machines (EqBen's million cells are a thousand windows).
CELLS = 1024
#: So many products of vectors take about as long as one cell that a model reads. Without it, a window would hold the
#: four images that make 4,096 cells with a thousand classes, and a GPU would see four images at a time.
OF_VECTORS = 16


def costs(plan: Plan) -> npt.NDArray[np.int64]:
    """About how many cells of one kind each item of the survey has, at least 1, (n_items,); class names that are
    vectors count as `OF_VECTORS` says."""
    found = plan.survey
    others = np.zeros(len(found), np.int64)
    if plan.others is not None and any(stage.share is not None and stage.paired for stage in plan.stages):
        others += plan.others.counts
    cells = np.maximum(np.maximum(found.n_images, others), 1) * found.n_texts
    if not any(stage.paired or stage.source for stage in plan.stages):
        read_through = [bool(plan.survey.templates.get(name)) for name in found.subset_names]
        classes = (found.protocol == CLASSIFY) & np.array(read_through, np.bool_)[found.subset]
        cells = np.where(classes, cells // OF_VECTORS, cells)
    pooled = found.protocol == RETRIEVAL
    cells[pooled] = found.n_texts[pooled]
    for pool in plan.pools.values():
        scored = np.array(sorted(pool.image_items), np.int64)
        cells[scored] += found.n_images[scored] * len(pool.texts)
    return np.asarray(np.maximum(cells, 1))


def windows(plan: Plan, cells: int | None = None) -> Iterator[Numbers]:
    """The planned items in windows, each once: their numbers, in the order in which a window scores them. cells: CELLS
    where none are given."""
    cells = CELLS if cells is None else cells
    order, group = _grouped(plan)
    each = costs(plan)[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    window: list[Numbers] = []
    size = 0
    for start, stop in zip(starts.tolist(), [*starts.tolist(), len(order)][1:], strict=True):
        mine = int(each[start:stop].sum())
        if window and size + mine > cells:
            yield np.concatenate(window)
            window, size = [], 0
        if mine <= cells:
            window.append(order[start:stop])
            size += mine
        else:
            for first, last in _pieces(each[start:stop].tolist(), cells):
                yield order[start + first : start + last]
    if window:
        yield np.concatenate(window)


def _pieces(costs: Sequence[int], cells: int) -> Iterator[tuple[int, int]]:
    """Where a group of more than `cells` cells is cut: (start, stop) of pieces that hold at least one item each."""
    start = size = 0
    for at, one in enumerate(costs):
        if at > start and size + one > cells:
            yield start, at
            start, size = at, 0
        size += one
    yield start, len(costs)


def _grouped(plan: Plan) -> tuple[Numbers, Numbers]:
    """The planned items by groups that share no image, groups and items in work order; and each item's group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    found = plan.survey
    wanted = np.zeros(len(found), np.bool_)
    for stage in plan.stages:
        wanted[stage.items] = True
    order = found.work_order()
    order = order[wanted[order]]
    numbers: dict[str, int] = {}
    ends: tuple[list[int], list[int]] = ([], [])
    for item_no, keys in found.items.rows("image_keys"):
        if wanted[item_no]:
            for key in keys:
                ends[0].append(item_no)
                ends[1].append(len(found) + numbers.setdefault(key, len(numbers)))
    n = len(found) + len(numbers)
    edges = coo_array((np.ones(len(ends[0]), np.bool_), ends), shape=(n, n))
    _, label = connected_components(edges, directed=False)
    _, first, group = np.unique(label[order], return_index=True, return_inverse=True)
    by_group = np.argsort(first[group], kind="stable")
    return order[by_group], first[group][by_group].astype(np.int32)
