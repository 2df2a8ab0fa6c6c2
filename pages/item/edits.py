"""What was edited in an item's captions: each as it was and as it is, the changed places set off."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from backend.benchmarks.items_folder.changes import readable
from backend.store.queries import ItemDetail
from pages.item.view import roles


def title(detail: ItemDetail) -> str:
    """Which edit of which item this is."""
    kind, origin = (", ".join(detail.tags.get(name, [])) for name in ("edit", "origin"))
    return f"Edited: {kind.replace('_', ' ')}, from {origin}"


def html(detail: ItemDetail) -> Markup:
    """A line before and a line after for each edited caption; empty where nothing was edited."""
    short = roles(detail.protocol, len(detail.texts), len(detail.truth))
    lines = []
    for change in readable(detail.tags, detail.text):
        place = detail.place(change.text) or 0
        text = detail.texts[place]
        old, places = change.before(text)
        news = [text[start:stop] for start, stop in change.spans]
        name = short[place] if place < len(short) else str(change.text + 1)
        lines.append(
            Markup('<p class="fs-evidence"><b>{}</b> {} → {} <span>{}</span></p>').format(
                name, marked(old, places, news), marked(text, change.spans, change.was), change.what
            )
        )
    return Markup().join(lines)


def marked(text: str, spans: Sequence[tuple[int, int]], other: Sequence[str] = ()) -> Markup:
    """The text as safe HTML, marking whole words that a span cuts into. other: what stands at the same places in the
    other caption, which says of an empty span whether letters or a comma were taken out.

    A span that begins or ends with punctuation leaves the word beside it alone: only what changed is marked.

    >>> print(marked("a blue, dog", [(6, 7)], [""]))
    a blue<mark class="fs-diff">,</mark> dog
    >>> print(marked("a blue dog", [(6, 6)], [","]), "|", marked("a dog", [(5, 5)], ["s"]))
    a blue dog | a <mark class="fs-diff">dog</mark>
    """
    parts, end = [], 0
    for k, (start, stop) in enumerate(spans):
        there = text[start:stop] or (other[k] if k < len(other) else text[max(0, start - 1) : start])
        if there and _of_word(there[0]):
            while start > end and _of_word(text[start - 1]):
                start -= 1
        if there and _of_word(there[-1]):
            while stop < len(text) and _of_word(text[stop]):
                stop += 1
        if start < stop and start >= end:
            parts.append(Markup('{}<mark class="fs-diff">{}</mark>').format(text[end:start], text[start:stop]))
            end = stop
    return Markup().join(parts) + escape(text[end:])


def _of_word(sign: str) -> bool:
    return sign.isalnum() or sign in "'’-_"
