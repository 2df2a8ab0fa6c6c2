"""What was edited in an item's captions: each as it was and as it is, the changed places set off."""

from collections.abc import Sequence
from html import escape

from backend.benchmarks.changes import changes
from backend.store.queries import ItemDetail
from pages.parts.item_view import roles


def title(detail: ItemDetail) -> str:
    """Which edit of which item this is."""
    kind, origin = (", ".join(detail.tags.get(name, [])) for name in ("edit", "origin"))
    return escape(f"Edited: {kind.replace('_', ' ')}, from {origin}")


def html(detail: ItemDetail) -> str:
    """A line before and a line after for each edited caption; empty where nothing was edited."""
    short = roles(detail.protocol, len(detail.texts), len(detail.truth))
    lines = []
    for change in changes(detail.tags):
        place = detail.place(change.text)
        if place is None:
            continue
        text = detail.texts[place]
        old, places = change.before(text)
        name = short[place] if place < len(short) else str(change.text + 1)
        lines.append(
            f'<p class="fs-evidence"><b>{escape(name)}</b> {marked(old, places)} → {marked(text, change.spans)}'
            f" <span>{escape(change.what)}</span></p>"
        )
    return "".join(lines)


def marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text as safe HTML, marking whole words that a span touches."""
    parts, end = [], 0
    for start, stop in spans:
        while start > end and not text[start - 1].isspace():
            start -= 1
        while stop < len(text) and not text[stop].isspace():
            stop += 1
        if start < stop and start >= end:
            parts.append(f'{escape(text[end:start])}<mark class="fs-diff">{escape(text[start:stop])}</mark>')
            end = stop
    return "".join(parts) + escape(text[end:])
