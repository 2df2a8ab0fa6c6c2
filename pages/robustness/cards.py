"""Robustness: cards of items whose verdict flipped, with their captions before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from backend.benchmarks.items_folder.changes import readable
from backend.store.queries import ItemDetail
from pages.failures import data as failures_data
from pages.item import card_line
from pages.item.edits import marked
from pages.item.view import roles
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import picture, source
from pages.shared.drawing.verdicts import chip

#: Changed captions that a card shows.
MOST = 3


@dataclass(frozen=True)
class Opened:
    """An item and its edit. item_id: in the benchmark; edited_id: in the edition, known by hash and name. model, kind:
    whose verdict flipped."""

    item_id: str
    edited_id: str
    hash: str
    edition: str
    metric: str
    model: str
    kind: str


def key(line: Any) -> str:
    """A row of `robustness.verdicts` by name."""
    return f"{line.edition}\t{line.edited_id}\t{line.item_id}\t{line.metric}\t{line.query}"


def opened(rows: Mapping[str, Any], name: str) -> Opened | None:
    """What the dialog shows of the row of a name."""
    if name not in rows:
        return None
    line = rows[name]
    names = ("item_id", "edited_id", "hash", "edition", "metric", "model", "kind")
    return Opened(*(str(getattr(line, name)) for name in names))


#: Why an edited item has no reason where the item has one.
UNMEASURED = "reason not measured: the edited captions were not scored under other images"


def details(lines: Sequence[Any], benchmark: stored.StoredBenchmark) -> list[tuple[ItemDetail, ItemDetail]]:
    """(the edited item, the original) of rows of `robustness.verdicts`, as cards show them: all items of an edition are
    read at once, for item by item they were a quarter of what the page does as it opens."""
    wanted: dict[str, dict[str, None]] = {}
    for line in lines:
        wanted.setdefault(str(line.hash), {})[str(line.edited_id)] = None
        wanted.setdefault(benchmark.hash, {})[str(line.item_id)] = None
    known = {of: failures_data.card_items(of, tuple(ids)) for of, ids in wanted.items()}
    return [(known[str(line.hash)][str(line.edited_id)], known[benchmark.hash][str(line.item_id)]) for line in lines]


def card(line: Any, detail: ItemDetail, original: ItemDetail, benchmark: stored.StoredBenchmark) -> Markup:
    """One flipped item: why, before and after; its pictures, what was edited, the verdict before and after. detail,
    original: see `details`."""
    was, now = (
        card_line.of_model(each, str(line.model), str(line.metric), str(line.kind), note=f", {when}")
        for each, when in ((original, "before"), (detail, "after"))
    )
    if was and not now:
        model = str(line.model)
        now = card_line.line(colours.dot(model), f"{colours.label(model)}, after", UNMEASURED)
    why = Markup().join((was, now))
    width = 92 if len(detail.image_uris) == 1 else 70
    pictures = Markup().join(
        picture(source(uri), f"image {k + 1} of the item", width) for k, uri in enumerate(detail.image_uris[:4])
    )
    asked = f" · caption {int(line.query) + 1}" if line.query >= 0 else ""
    head = f"{line.item_id} · {line.edition.removeprefix(benchmark.name)}{asked}"
    own = [int(line.query)] if line.query >= 0 else None
    return Markup(
        '<article class="fs-card"><div class="fs-card-images">{}</div><div class="fs-card-body">{}'
        '<p class="fs-card-head">{}</p>{}{}</div></article>'
    ).format(pictures, why, head, edits(detail, own), turn(line))


def turn(line: Any) -> Markup:
    """The verdict before → after."""
    now = chip("after", bool(line.now), float(line.now_margin))
    if line.was != line.was:
        return Markup('<div class="fs-turn">{}</div>').format(
            chip("caption against edit", bool(line.now), float(line.now_margin))
        )
    return Markup('<div class="fs-turn">{}<span>→</span>{}</div>').format(
        chip("before", bool(line.was), float(line.was_margin)), now
    )


def edits(detail: ItemDetail, only: Sequence[int] | None = None, most: int = MOST) -> Markup:
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
            Markup(
                '<span class="fs-text">{} <em>{}</em></span>'
                '<span class="fs-role">before</span><span>{}</span>'
                '<span class="fs-role">after</span><span>{}</span>'
            ).format(name, change.what, marked(old, places, news), marked(text, change.spans, change.was))
        )
    if not parts:
        return Markup(
            '<p class="fs-caption">Its own captions were left as they are; others of the pool were edited.</p>'
        )
    rest = len(chosen or every) - most
    more = Markup('<span class="fs-text">… and {} more</span>').format(rest) if rest > 0 else ""
    return Markup('<div class="fs-edits">{}{}</div>').format(Markup().join(parts), more)
