"""Robustness: cards of items whose verdict flipped, with their captions before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from backend.benchmarks.items_folder.changes import readable
from backend.store.queries import ItemDetail
from pages.item.edits import marked
from pages.item.view import roles
from pages.shared.data import stored
from pages.shared.drawing.thumbnails import data_uri, picture
from pages.shared.drawing.verdicts import chip

#: Changed captions that a card shows.
MOST = 3


@dataclass(frozen=True)
class Opened:
    """An item and its edit. item_id: in the benchmark; edited_id: in the edition, known by hash and name."""

    item_id: str
    edited_id: str
    hash: str
    edition: str
    metric: str


def key(line: Any) -> str:
    """A row of `robustness.verdicts` by name."""
    return f"{line.edition}\t{line.edited_id}\t{line.item_id}\t{line.metric}\t{line.query}"


def opened(rows: Mapping[str, Any], name: str) -> Opened | None:
    """What the dialog shows of the row of a name."""
    if name not in rows:
        return None
    line = rows[name]
    return Opened(str(line.item_id), str(line.edited_id), str(line.hash), str(line.edition), str(line.metric))


def card(line: Any, benchmark: stored.StoredBenchmark) -> str:
    """One flipped item: its pictures, what was edited, the verdict before and after."""
    detail = stored.item(str(line.hash), str(line.edited_id))
    width = 92 if len(detail.image_uris) == 1 else 70
    pictures = "".join(
        picture(data_uri(uri), f"image {k + 1} of the item", width) for k, uri in enumerate(detail.image_uris[:4])
    )
    asked = f" · caption {int(line.query) + 1}" if line.query >= 0 else ""
    head = f"{line.item_id} · {line.edition.removeprefix(benchmark.name)}{asked}"
    own = [int(line.query)] if line.query >= 0 else None
    return (
        f'<article class="fs-card"><div class="fs-card-images">{pictures}</div><div class="fs-card-body">'
        f'<p class="fs-card-head">{escape(head)}</p>{edits(detail, own)}{turn(line)}</div></article>'
    )


def turn(line: Any) -> str:
    """The verdict before → after."""
    now = chip("after", bool(line.now), float(line.now_margin))
    if line.was != line.was:
        return f'<div class="fs-turn">{chip("caption against edit", bool(line.now), float(line.now_margin))}</div>'
    return f'<div class="fs-turn">{chip("before", bool(line.was), float(line.was_margin))}<span>→</span>{now}</div>'


def edits(detail: ItemDetail, only: Sequence[int] | None = None, most: int = MOST) -> str:
    """The changed captions of an edited item, each before and after, what changed set off. only: these texts."""
    short = roles(detail.protocol, len(detail.texts), len(detail.truth))
    every = readable(detail.tags, detail.text)
    chosen = [c for c in every if only is None or c.text in only]
    parts = []
    for change in (chosen or every)[:most]:
        place = detail.place(change.text) or 0
        text = detail.texts[place]
        old, places = change.before(text)
        news = [text[start:stop] for start, stop in change.spans]
        name = short[place] if place < len(short) else str(change.text + 1)
        parts.append(
            f'<span class="fs-text">{escape(name)} <em>{escape(change.what)}</em></span>'
            f'<span class="fs-role">before</span><span>{marked(old, places, news)}</span>'
            f'<span class="fs-role">after</span><span>{marked(text, change.spans, change.was)}</span>'
        )
    if not parts:
        return '<p class="fs-caption">Its own captions were left as they are; others of the pool were edited.</p>'
    rest = len(chosen or every) - most
    more = f'<span class="fs-text">… and {rest} more</span>' if rest > 0 else ""
    return f'<div class="fs-edits">{"".join(parts)}{more}</div>'
