"""What the windows after this one will ask for, as far as it is known now: a guess, by which pictures and tokens are
made ready (inputs/decoder.py) and nothing else is decided."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from backend.engine.plan import Plan, Stage
from backend.intake.survey import WorkItem
from backend.items import IMAGE_KINDS, ImageRef, Kind

#: So many times a window's items are looked at for images, at most: not all where every image is known.
WINDOWS = 4
#: Items in work order, each with the stages for which it is pending.
Pending = Iterable[tuple[WorkItem, Sequence[Stage]]]


def images(
    plan: Plan, after: Pending, n_items: int, besides: Collection[str], known: Callable[[ImageRef, Stage], bool | None]
) -> Iterator[ImageRef]:
    """The images of the first items that are looked at, each once. besides: keys of those that are looked at before.
    known: whether a stage needs an image no more; None where to find that out is left for later, with all that
    follows."""
    seen = set(besides)
    for item, stages in islice(after, n_items):
        for stage in stages:
            if stage.kind not in IMAGE_KINDS:
                continue
            for ref in plan.images(stage, item):
                if ref.key in seen:
                    continue
                is_known = known(ref, stage)
                if is_known is None:
                    return
                if not is_known:
                    seen.add(ref.key)
                    yield ref


def texts(plan: Plan, after: Pending, n_items: int, besides: Collection[str]) -> list[str]:
    """The texts of the first items that are encoded as they stand, each once. besides: those that are known."""
    found: dict[str, None] = {}
    for item, stages in islice(after, n_items):
        if any(stage.kind in (Kind.ITC, Kind.T2T) and not stage.paired for stage in stages) and not plan.prompts(item):
            found |= {text: None for text in item.texts if text not in besides}
    return list(found)
