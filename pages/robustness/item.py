"""Robustness: an item and its edit side by side, with what every model makes of both."""

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.store.queries import ItemDetail
from pages.item import card_line, view, why
from pages.robustness import cards, data
from pages.robustness.cards import Opened
from pages.shared.data import stored
from pages.shared.drawing.cards import captions_list
from pages.shared.drawing.matrix import LEGEND
from pages.shared.drawing.thumbnails import data_uri, picture
from pages.shared.drawing.verdicts import chips
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title


@st.dialog("Before and after", width="large")
def open_dialog(benchmark: stored.StoredBenchmark, chosen: Opened) -> None:
    """Both, side by side; each has a page of its own."""
    edition = data.edition_of(chosen.hash)
    try:
        before, after = stored.item(benchmark.hash, chosen.item_id), stored.item(chosen.hash, chosen.edited_id)
    except FlipsideError as error:
        trouble(str(error))
        return
    pictures = Markup().join(
        picture(data_uri(uri, 256), f"image {k + 1}", 150) for k, uri in enumerate(before.image_uris[:4])
    )
    show(
        Markup(
            '<p class="fs-card-head">{} · {}</p><div class="fs-big">'
            '<div class="fs-card-images">{}</div><div>{}</div></div>'
        ).format(chosen.item_id, chosen.edition, pictures, cards.edits(after, most=8))
    )
    left, right = st.columns(2, gap="medium")
    for column, title, detail, of in (
        (left, "Before", before, benchmark), (right, "After", after, edition or benchmark),
    ):  # fmt: skip
        with column:
            show(
                Markup('<p class="fs-model">{}<small>{}</small></p>{}').format(
                    title, detail.protocol, _side(detail, of, chosen)
                )
            )
            if of.hash == detail.benchmark:
                st.page_link(
                    "pages/item/page.py", label=f"{title}: page of its own", icon=":material/link:",
                    query_params={"benchmark": of.name, "item": detail.item_id},
                )  # fmt: skip
    chart_caption("✓ right, ✗ wrong, with the margin: how far the verdict is from flipping. " + LEGEND)


def _side(detail: ItemDetail, of: stored.StoredBenchmark, chosen: Opened) -> Markup:
    short = view.roles(detail.protocol, len(detail.texts), len(detail.truth))
    models = [model for model in of.models if model in set(detail.outcomes["model"])]
    carried = card_line.carried(detail.protocol, chosen.metric)
    parts = [
        why.claim(detail, chosen.model, chosen.kind) if carried else Markup(),
        captions_list(detail.texts[:8], short[:8]),
    ]
    for metric in view.headlines(detail):
        kinds = dict.fromkeys(detail.outcomes.loc[detail.outcomes["metric"] == metric, "kind"])
        for kind in kinds:
            own = [m for m in models if ((detail.outcomes["model"] == m) & (detail.outcomes["kind"] == kind)).any()]
            found = view.model_chips(detail, metric, str(kind), own)
            parts.append(
                Markup('<p class="fs-card-head">{} · {}</p>{}').format(metric_title(metric), str(kind), chips(found))
            )
    if detail.protocol != "retrieval":
        parts.append(view.matrix_panels(detail))
    return Markup().join(parts)
