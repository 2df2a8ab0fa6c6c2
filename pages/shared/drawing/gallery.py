"""A gallery of item cards: a click, or Enter, on a card opens its item."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pages.shared.drawing import component
from pages.shared.frame.style import checked

HERE = Path(__file__).parent

_component = component.load(
    "flipside_gallery", HERE / "gallery.js", html='<div class="fs-gallery"></div>', isolate_styles=False
)


@dataclass(frozen=True, slots=True)
class Card:
    """One card. html: what `cards.item_card` made of the item; name: for screen readers; tags: a person's, below it."""

    item_id: str
    html: Markup
    name: str
    tags: tuple[str, ...] = ()


def view(
    cards: Sequence[Card], compact: bool = False, tiles: bool = False, judges: bool = False, listed: Sequence[str] = ()
) -> dict[str, object]:  # fmt: skip
    """What the component draws. listed: the tags that the list is filtered by.

    >>> view([Card("a/1", Markup("<p>one</p>"), "a/1")])["cards"]
    [{'id': 'a/1', 'html': '<p>one</p>', 'name': 'a/1'}]
    """
    return {
        "compact": compact,
        "tiles": tiles,
        "judges": judges,
        "cards": [
            {"id": card.item_id, "html": checked(card.html), "name": card.name}
            | ({"tags": list(card.tags)} if card.tags else {})
            for card in cards
        ],
    } | ({"listed": list(listed)} if listed else {})


def draw(
    cards: Sequence[Card], key: str, compact: bool = False, *, tiles: bool = False,
    judge: Callable[[str, int], None] | None = None, tagged: Callable[[str], None] | None = None,
    listed: Sequence[str] = (),
) -> str | None:  # fmt: skip
    """The gallery; returns the id of the item that was just opened. tiles: three columns of large pictures, for cards
    of `cards.tile`; judge: takes the id of a card and 1, 2 or 3 that was pressed on it, before the page runs again;
    tagged: the same with a tag that was pressed; listed: the tags that the list is filtered by."""
    result: Any = _component(
        data=view(cards, compact, tiles, judge is not None, listed), key=key, on_opened_change=lambda: None,
        on_judged_change=lambda: _judged(key, judge), on_tagged_change=lambda: _tagged(key, tagged),
    )  # fmt: skip
    opened = result.opened if result is not None else None
    return str(opened) if opened else None


def _judged(key: str, judge: Callable[[str, int], None] | None) -> None:
    found: Any = component.state(key)
    number, _, item_id = str(found.get("judged") or "" if found else "").partition(" ")
    if judge is not None and item_id and number in ("1", "2", "3"):
        judge(item_id, int(number))


def _tagged(key: str, tagged: Callable[[str], None] | None) -> None:
    found: Any = component.state(key)
    tag = str(found.get("tagged") or "" if found else "")
    if tagged is not None and tag:
        tagged(tag)
