"""What independent random scores reach on an axis of the Atlas, where that is known of all its columns."""

from typing import Final

from backend.metrics.core.registry import by_name
from backend.published.atlas.columns import Column, columns
from backend.published.atlas.measures import Measure

#: Benchmarks of two images and two captions an item.
QUADS: Final = ("colorswap", "eqben", "mmvp_vlm", "winoground")
#: Benchmark or column -> among how many captions an image chooses.
CANDIDATES: Final = {"sugarcrepe": 2, "valse": 2, "aro::Flickr30k_Order": 5, "aro::COCO_Order": 5}


def of_measure(measure: Measure) -> float | None:
    """Per cent; None where it is not known of all its columns.

    >>> from backend.published.atlas.measures import measures
    >>> [round(of_measure(measures()[key]) or 0, 1) for key in ("winoground::text", "mean:winoground", "mean:valse")]
    [25.0, 16.7, 50.0]
    """
    known = {each.key: each for each in columns() if each.key in measure.weights}
    levels = {key: of_column(known[key]) for key in measure.weights}
    if any(level is None for level in levels.values()):
        return None
    return sum(share * (levels[key] or 0.0) for key, share in measure.weights.items())


def of_column(column: Column) -> float | None:
    """What independent random scores reach on a column, per cent; None where it is not known here."""
    part = column.part.rpartition("::")[2]
    if column.benchmark in QUADS and part in ("text", "image", "group"):
        level = by_name(f"{part}_score").chance
        return 100 * level if isinstance(level, float) else None
    k = CANDIDATES.get(column.key) or CANDIDATES.get(column.benchmark)
    return 100 / k if k else None
