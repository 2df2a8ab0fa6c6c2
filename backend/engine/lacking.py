"""Items of which only a part was said: rows for some of their cells, so that no verdict follows from them."""

from collections.abc import Iterable, Mapping
from typing import cast

from backend.engine.plan import T2T_PAIRS, Plan
from backend.intake.survey import WorkItem
from backend.items import Kind, Protocol
from backend.predictions.finding import Items, Known
from backend.predictions.parts import Key, Part

#: Why an item that has some rows is not judged, as the manifest and `report` say it.
INCOMPLETE = "a score of one of its texts or images is missing"

#: What a row is of: image, text, other text.
Place = tuple[int, int, int]


def lacking(name: str, part: Part, items: Items, plan: Plan) -> list[int]:
    """The items with rows of this part (a kind, or `prior@…`, `verdict@…`) that lack one of their cells, ascending.

    A pool's image lacks a text where other images of the pool have a score of that text.
    """
    kind = Kind(name.partition("@")[0])
    held = _places(part)
    pooled: dict[str, set[int]] = {}
    for number, places in held.items():
        item = items.item_of(number)
        if item.protocol == Protocol.RETRIEVAL and kind != Kind.PRIOR:
            pooled.setdefault(item.subset, set()).update(text for _, text, _ in places)
    found = []
    for number, places in held.items():
        item = items.item_of(number)
        if item.protocol == Protocol.RETRIEVAL and kind != Kind.PRIOR:
            complete = pooled[item.subset] == {text for _, text, _ in places}
        else:
            complete = places.issuperset(_expected(kind, item, plan))
        if not complete:
            found.append(number)
    return sorted(found)


def _places(part: Part) -> Mapping[int, set[Place]]:
    found: dict[int, set[Place]] = {}
    keys: Iterable[Key] = part.rows
    for number, image, text, other, _ in keys:
        found.setdefault(number, set()).add((image, text, other))
    return found


def _expected(kind: Kind, item: Known, plan: Plan) -> set[Place]:
    """The cells that an item's verdicts of a kind are made of; none where the kind judges no such item."""
    if kind == Kind.PRIOR:
        return {(-1, text, -1) for text in range(len(item.texts))}
    if kind == Kind.T2T:
        return {(-1, a, b) for a, b in T2T_PAIRS} if len(item.texts) == 3 else set()
    if kind == Kind.VERDICT:
        return {(pair.image_index, pair.text_index, pair.rival_index) for pair in plan.contests(cast("WorkItem", item))}
    return {(image, text, -1) for image in range(len(item.images)) for text in range(len(item.texts))}
