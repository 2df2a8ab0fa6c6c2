"""The middle of Failures: how many, the cards, the table, and what can be taken away."""

from collections.abc import Callable

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.metrics.diagnosis import DEFINITIONS
from backend.store.failures import files
from backend.store.items.shortlist import MOST
from backend.store.queries import FailurePage
from pages.failures import data
from pages.failures.filters import Filters
from pages.item import notes, view
from pages.shared.data import asked_orders, stored
from pages.shared.data.frames import lines_of, titles
from pages.shared.drawing import colours
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count
from pages.shared.drawing.thumbnails import source
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title


def headline(chosen: Filters, found: FailurePage, benchmark: stored.StoredBenchmark) -> None:
    """How many of how many, under which setting."""
    names = colours.labels(benchmark.models)
    word = {False: "fail", True: "are right", None: "match"}[chosen.wanted.correct]
    judged = sum(n for verdict, n in found.facets["correct"].items() if verdict != "undefined")
    share = f" ({100 * found.total / judged:.1f} %)" if judged and chosen.wanted.correct is not None else ""
    under = f"{names[chosen.model]} · {chosen.wanted.setting.describe()}"
    behind = f" · against {names[chosen.other]}" if chosen.other else ""
    wanted = chosen.wanted
    told = None if benchmark.parts else asked_orders.of_run(wanted.run_id, wanted.setting.kind, wanted.subsets)
    if told is not None:
        show(
            Markup(
                '<p class="fs-count">{}<b>'
                "{}</b> <span>{}; listed below by one "
                "verdict each, right where the truth was chosen in every order</span></p>"
            ).format(colours.dot(chosen.model), asked_orders.heading(told), asked_orders.said(told))
        )
    show(
        Markup('<p class="fs-count">{dot}<b>{total:,}</b> of {count} {word}{share} <span>{behind}</span></p>').format(
            dot=colours.dot(chosen.model),
            total=found.total,
            count=count(judged, "verdict"),
            word=word,
            share=share,
            behind=under + behind,
        )
    )


def cards(
    benchmark: stored.StoredBenchmark, chosen: Filters, rows: pd.DataFrame, picture: Callable[[str], str] = source
) -> list[Card]:
    """A card for each row; the model in question stands first among the chips.

    picture: image URI -> what <img> shows.
    """
    models = [chosen.model, *(m for m in benchmark.models if m != chosen.model)]
    found = []
    tags = {part: notes.tags_of(part) for part in set(rows["benchmark"])}
    details = {
        part: data.card_items(str(part), tuple(dict.fromkeys(map(str, own["item_id"]))))
        for part, own in rows.groupby("benchmark")
    }
    for line in lines_of(rows):
        part = benchmark.part(str(line.benchmark))
        detail = details[line.benchmark][str(line.item_id)]
        query = int(line.query)
        asked = f" · caption {query + 1} of the pool" if query >= 0 else ""
        of = f"{part.name} · " if benchmark.parts else ""
        head = f"{of}{line.item_id} · {view.about(detail)} · {metric_title(str(line.metric)).lower()}{asked}"
        labels = [*line.labels, *tags[str(line.benchmark)].get(str(line.item_id), [])]
        html = view.card(
            detail, str(line.metric), chosen.wanted.setting.kind, models, labels, DEFINITIONS,
            query=query, heading=head, picture=picture, width=104 if len(detail.image_uris) < 2 else 88,
        )  # fmt: skip
        found.append(Card(f"{part.hash} {line.item_id}", html, f"item {line.item_id}"))
    return found


def table(rows: pd.DataFrame, model: str, names: dict[str, str] | None = None) -> str | None:
    """The rows as a table; the benchmark (hash) and the id of the item whose row is selected, with a blank between."""
    frame = files.flat(rows, names)
    frame["metric"] = frame["metric"].map(metric_title)
    frame["correct"] = frame["correct"].map({True: "✓", False: "✗"}).fillna("–")
    for name in ("concept", "perturbation"):
        frame[name] = frame[name].astype(str).map(titles)
    frame["texts"] = frame["texts"].map(lambda texts: " / ".join(texts[:MOST]) + (" / …" if len(texts) > MOST else ""))
    frame = frame[
        [
            *(["benchmark"] if names else []),
            "item_id",
            "correct",
            "margin",
            "texts",
            "subset",
            "concept",
            "perturbation",
            "metric",
            "diagnosis",
        ]
    ]
    state = st.dataframe(
        frame, hide_index=True, on_select="rerun", selection_mode="single-row", height=620, key=f"table-{model}",
        alt="The filtered items as a table",
        column_config={"margin": st.column_config.NumberColumn("margin", format="%.3g"),
                       "texts": st.column_config.TextColumn("captions", width="large"),
                       "item_id": "item", "correct": "verdict", "perturbation": "change"},
    )  # fmt: skip
    picked = state.selection.rows
    last = st.session_state.get("_table_opened")
    st.session_state["_table_opened"] = list(picked)
    if not picked or list(picked) == last:
        return None
    return f"{rows.iloc[picked[0]]['benchmark']} {rows.iloc[picked[0]]['item_id']}"


def names_of(benchmark: stored.StoredBenchmark) -> dict[str, str] | None:
    """hash -> name, where a benchmark stands for several."""
    return {part.hash: part.name for part in benchmark.parts} or None
