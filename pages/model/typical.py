"""Three typical failures: of the model's most frequent certified reasons an item each, with the sentence of why."""

import streamlit as st
from markupsafe import Markup

from backend.items import Kind
from backend.metrics.reasons.names import of_group
from backend.store.reasons.showcase import METRICS
from backend.store.reasons.typical import Typical, typical
from backend.taxonomy import title
from pages.item import view as item_view
from pages.item import why
from pages.shared.data import asked_orders, stored
from pages.shared.data.protocol_names import PROTOCOLS
from pages.shared.drawing import gallery
from pages.shared.drawing.cards import item_card
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import alpha
from pages.shared.frame.header import chart_caption, section

#: Pixels of a picture.
SIZE = 104


@stored.kept("Looking for typical failures …")
def found(benchmark: stored.StoredBenchmark, model: str, kind: str) -> list[Typical]:
    """See `typical.typical`."""
    return typical(stored.store(), benchmark.runs[model], kind, benchmark.hash)


def draw(benchmark: stored.StoredBenchmark, model: str, kind: str) -> str:
    """The cards; the id of the item that was clicked, "" for none. Nothing without a failure that can be shown."""
    each = found(benchmark, model, kind)
    if not each:
        return ""
    scored = ", as scored (α = 0)" if alpha.applies(benchmark, model, kind) else ""  # the rates above are not
    section("Typical failures", f"of {count(each[0].wrong, 'wrong item')}{among(benchmark)}{scored}")
    cards = [gallery.Card(one.item_id, html(benchmark, model, kind, one), one.item_id) for one in each]
    with st.container(key="model-typical"):
        opened = gallery.draw(cards, f"model-typical-{benchmark.name}-{model}-{kind}")
    certified = bool(each[0].reason)
    groups = "most frequent certified reasons, one item each" if certified else (
        "subsets with the most wrong items, one each, since no reason is certified"
    )  # fmt: skip
    rule = asked_orders.strict(benchmark.runs[model], kind)
    median = "" if kind == Kind.VERDICT else ": the one whose margin is the median"  # verdicts alone have none
    mean = "; the rates above are the mean of the orders" if asked_orders.of_run(benchmark.runs[model], kind) else ""
    wrong = f" An item is {rule}{mean}." if rule else ""
    chart_caption(f"Picked by rule from the {groups}{median}.{wrong}")
    return opened or ""


def among(benchmark: stored.StoredBenchmark) -> str:
    """Of which items of a benchmark failures are counted, with a blank before it; "" where it has no others.

    >>> from dataclasses import replace
    >>> only = stored.StoredBenchmark("b", "", {}, {"swap": "choice"}, {}, {}, {})
    >>> among(only), among(replace(only, protocols={"swap": "choice", "pool": "retrieval", "pairs": "quad"}))
    ('', ' among quads and choices')
    """
    here = set(benchmark.protocols.values())
    counted = [PROTOCOLS[str(of)] for of in METRICS if str(of) in here]
    return "" if len(here) < 2 else f" among {listing(counted)}"


def html(benchmark: stored.StoredBenchmark, model: str, kind: str, one: Typical) -> Markup:
    """A card: what it stands for, the item, and why."""
    detail = stored.item(benchmark.hash, one.item_id)
    stands = of_group(one.reason) if one.reason not in ("", "uncertain") else title(one.subset)
    said = why.claim(detail, model, kind)
    head = Markup('<p class="md-stands"><b>{}</b> <span>{} of {:,} failures</span></p>').format(
        stands[:1].upper() + stands[1:], f"{one.items:,}", one.wrong
    )
    card = item_card(*item_view.shown(detail), width=SIZE, heading=f"{one.item_id} · {item_view.about(detail)}")
    return Markup('<div class="md-typical">{}{}{}</div>').format(head, card, said)
