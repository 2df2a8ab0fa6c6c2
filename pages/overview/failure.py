"""Overview begins with one real failure: what was asked, who is right, and why one model is wrong, as it is stored."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from backend.metrics.core.registry import by_name
from backend.store.queries import ItemDetail
from backend.store.reasons import showcase
from backend.store.reasons.showcase import Shown
from pages.item import boundary, why
from pages.item import view as item_view
from pages.overview.view import Grid
from pages.shared.data import stored
from pages.shared.drawing import colours, gallery
from pages.shared.drawing.cards import captions_list
from pages.shared.drawing.facts import told
from pages.shared.drawing.numbers import count
from pages.shared.drawing.thumbnails import picture, source
from pages.shared.drawing.words import differences
from pages.shared.frame import address

KEY = "overview-failure"
#: Pixels of a picture each way.
SIZE = 132
#: Of more models than these the marks alone stand, their names where they are pointed at.
NAMED = 10
_ASKED = {
    "quad": "Which caption belongs to which picture?",
    "triplet": "Which of the three captions is not true of the picture?",
    "choice": "Which caption is true of the picture?",
}


def found(benchmark: stored.StoredBenchmark, shown: Grid) -> list[Shown]:
    """The failures that can be shown, by the models and kinds of the heat map's rows, people and repeats apart; none
    where several benchmarks stand side by side."""
    if benchmark.parts:
        return []
    rows: dict[str, str] = {}
    for row in shown.rows:
        model, _, kind = row.key.partition("\t")
        rows.setdefault(model, kind)
    return _found(benchmark, tuple((model, benchmark.runs[model], kind) for model, kind in rows.items()))


@stored.kept("Looking for a telling failure …")
def _found(benchmark: stored.StoredBenchmark, asked: tuple[tuple[str, str, str], ...]) -> list[Shown]:
    from pages.shared.data import apart

    counted = apart.of(benchmark).counted([model for model, _, _ in asked])
    return showcase.real_failures(stored.store(), benchmark.hash, [each for each in asked if each[0] in counted])


def keys(failures: Sequence[Shown]) -> None:
    """Put the choice in place, before anything is drawn: the item that is shown."""
    if failures:
        ids = [each.item_id for each in failures]
        address.option("example", ids, ids[0])


def draw(benchmark: stored.StoredBenchmark, failures: Sequence[Shown]) -> None:
    """The card with its two buttons; nothing without failures."""
    if failures:
        _fragment(benchmark, list(failures))


@st.fragment
def _fragment(benchmark: stored.StoredBenchmark, failures: list[Shown]) -> None:
    """Only this part runs again when another one is asked for."""
    ids = [each.item_id for each in failures]
    at = ids.index(st.session_state["example"]) if st.session_state.get("example") in ids else 0
    shown = failures[at]
    with st.container(key=KEY):
        card = gallery.Card(shown.item_id, html(benchmark, shown), shown.item_id)
        opened = gallery.draw([card], f"{KEY}-{benchmark.name}")
        with st.container(horizontal=True, gap="small", key=f"{KEY}-act"):
            if st.button("See this item", icon=":material/arrow_forward:", key=f"{KEY}-open", type="primary"):
                opened = shown.item_id
            if len(failures) > 1:
                st.button(
                    "Another", icon=":material/refresh:", key=f"{KEY}-next", on_click=_next, args=(ids, at),
                    help=f"The next of {len(failures)}: of each subset and reason one, the models that disagree first.",
                )  # fmt: skip
    address.end()
    if opened:
        wanted: dict[str, str | list[str]] = {"benchmark": benchmark.name, "item": shown.item_id}
        address.go("pages/item/page.py", wanted | {"model": shown.model, "kind": shown.kind})


def _next(ids: list[str], at: int) -> None:
    st.session_state["example"] = ids[(at + 1) % len(ids)]


def html(benchmark: stored.StoredBenchmark, shown: Shown) -> Markup:
    """The card: pictures and captions, then who is right and why one is not."""
    detail = stored.item(benchmark.hash, shown.item_id)
    return Markup(
        '<article class="fs-card ov-failure">{}<div class="fs-card-body"><p class="ov-head"><b>{}</b> {}</p>{}{}</div>'
        "</article>"
    ).format(
        _pictures(detail), _ASKED.get(shown.protocol, ""), headline(shown), marks(detail, shown),
        why.claim(detail, shown.model, shown.kind) or _unmeasured(shown),
    )  # fmt: skip


def _unmeasured(shown: Shown) -> Markup:
    """In the place of a sentence where there is none."""
    name = colours.label(shown.model)
    return Markup('<p class="fs-why-rest">{}{} is wrong here; why is not measured.</p>').format(
        colours.dot(shown.model) + Markup(" "), name
    )


def headline(shown: Shown) -> str:
    """How many models are right.

    >>> shown = Shown("a/1", "a", "quad", "group_score", "m", "r", "itc", "right", "right", (("m", False), ("n", True)))
    >>> headline(shown)
    '1 of 2 models gets it right.'
    """
    n = len(shown.verdicts)
    if n == 1:
        return f"{colours.label(shown.model)} gets it wrong."
    verb = "gets" if shown.right == 1 else "get"
    return f"{shown.right or 'None'} of {count(n, 'model')} {verb} it right."


def marks(detail: ItemDetail, shown: Shown) -> Markup:
    """A small mark a model: its hue, ✓ or ✗, and its margin where it is pointed at; names as long as there is room."""
    names = colours.labels(model for model, _ in shown.verdicts)
    tips = {
        each.model: each.tip
        for each in item_view.judged(detail, shown.metric, shown.kind, [model for model, _ in shown.verdicts])
    }
    title = by_name(shown.metric).title
    few = len(shown.verdicts) <= NAMED
    parts = [
        Markup(
            '<span class="ov-mark fs-{} fs-told" data-facts="{}" role="img" aria-label="{}: {}">{}{}<b>{}</b></span>'
        ).format(
            "right" if correct else "wrong", told(note=tips.get(model, f"{names[model]}, {title}")), names[model],
            "right" if correct else "wrong", colours.dot(model),
            Markup("<span>{}</span>").format(names[model]) if few else "", "✓" if correct else "✗",
        )
        for model, correct in shown.verdicts
    ]  # fmt: skip
    return Markup('<div class="ov-marks">{}</div>').format(Markup().join(parts))


def _pictures(detail: ItemDetail) -> Markup:
    """Quads: each picture with its own caption below; others: the picture beside its captions."""
    images = [source(detail.image_uris[k], 2 * SIZE) for k in boundary.on_card(detail)]
    shown = [picture(image, f"image {k + 1} of the item", SIZE) for k, image in enumerate(images)]
    if detail.protocol == "quad":
        figures = Markup().join(
            Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(image, text)
            for image, text in zip(shown, differences(detail.texts, 0), strict=True)
        )
        return Markup('<div class="ov-pair">{}</div>').format(figures)
    roles = item_view.roles(detail.protocol, len(detail.texts), len(detail.truth))
    return Markup('<div class="ov-pair"><figure>{}</figure>{}</div>').format(
        Markup().join(shown), captions_list(detail.texts, roles)
    )
