"""A gallery of item cards: a click, or Enter, on a card opens its item."""

from collections.abc import Sequence
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
    """One card. html: what `cards.item_card` made of the item; name: for screen readers."""

    item_id: str
    html: Markup
    name: str


def view(cards: Sequence[Card], compact: bool = False) -> dict[str, object]:
    """What the component draws.

    >>> view([Card("a/1", Markup("<p>one</p>"), "a/1")])["cards"]
    [{'id': 'a/1', 'html': '<p>one</p>', 'name': 'a/1'}]
    """
    return {
        "compact": compact,
        "cards": [{"id": card.item_id, "html": checked(card.html), "name": card.name} for card in cards],
    }


def draw(cards: Sequence[Card], key: str, compact: bool = False) -> str | None:
    """The gallery; returns the id of the item that was just opened."""
    result: Any = _component(data=view(cards, compact), key=key, on_opened_change=lambda: None)
    opened = result.opened if result is not None else None
    return str(opened) if opened else None
