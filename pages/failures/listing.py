"""The middle of Failures: how many, the cards, the table, and what can be taken away."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.benchmarks.winoground_stub import is_placeholder
from backend.metrics.reasons.names import with_cell
from backend.store.failures import files
from backend.store.items.shortlist import MOST
from backend.store.queries import FailureFilter, FailurePage
from pages.failures import data, rate
from pages.failures import judged as own
from pages.failures.filters import Filters
from pages.item import card_line, notes, view
from pages.shared.data import asked_orders, stored
from pages.shared.data.frames import lines_of, titles
from pages.shared.drawing import colours
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count
from pages.shared.drawing.thumbnails import large
from pages.shared.frame import model_link
from pages.shared.frame.alpha import number as alpha_said
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title

#: Models whose verdicts stand on a card; the item has all of them.
CHIPS = 12


def headline(chosen: Filters, found: FailurePage, benchmark: stored.StoredBenchmark) -> None:
    """How many of how many, under which setting."""
    names = colours.labels(benchmark.models)
    bounds = rate.at_least(chosen.wanted, True), rate.at_least(chosen.wanted, False)
    word = {False: "fail", True: "are right", None: verdicts_said(found, *bounds)}[chosen.wanted.correct]
    judged = rate.judged(chosen.wanted, found)
    share, bound = "", ""
    if chosen.wanted.correct is not None:
        bound = bounds[not chosen.wanted.correct]
        sign = {"at least ": "≥ ", "at most ": "≤ "}.get(bound, "")
        share = f" ({sign}{written.percent(found.total / judged)})" if judged else ""
    under = Markup("{} · {}").format(
        model_link.model_link(**model_link.where(chosen.model, benchmark), label=names[chosen.model]),
        chosen.wanted.setting.said(),
    )
    wanted = chosen.wanted
    behind = Markup()
    if chosen.other:
        verdict = {False: ", which is wrong on them", True: ", which is right on them", None: ""}[wanted.other_correct]
        behind = Markup(" · against {}{}").format(names[chosen.other], verdict)
    told = None if benchmark.parts else data.told(wanted)
    narrowed = rate.narrowed(wanted)
    most = rate.most_often(found) if wanted.correct is False and not narrowed else ""
    of = rate.population(wanted, benchmark.name, chosen.model)
    lines = []
    if told is not None:
        value, rest = asked_orders.heading(told)
        below = (
            f"{asked_orders.said(told)}; listed below by one verdict each, right where the truth was chosen in every "
        )
        lines.append(
            Markup('<p class="fs-count">{}<b>{}</b> {}</p><p class="fs-own-share">{}order.</p>').format(
                colours.dot(chosen.model), value, rest, f"{below[:1].upper()}{below[1:]}"
            )
        )
    lines.append(
        Markup(
            '<p class="fs-count">{dot}{bound}<b>{total:,}</b> of {count}{of} {word}{narrowed}{share}{most} '
            "<span>{behind}</span></p>"
        ).format(
            dot=colours.dot(chosen.model),
            bound=bound,
            total=found.total,
            count=count(judged, "verdict"),
            of=of,
            word=word,
            narrowed=narrowed,
            share=share,
            most=most,
            behind=under + behind,
        )
    )
    if why := rate.why_bounded(wanted):
        lines.append(Markup('<p class="fs-own-share">{}</p>').format(why))
    show(Markup("<div>{}</div>").format(Markup().join(lines)))


def verdicts_said(found: FailurePage, least: str = "", most: str = "") -> str:
    """Of a list of right and wrong verdicts: how many are which. least, most: what stands before the right ones and the
    wrong ones where they are bounds (`rate.at_least`).

    >>> verdicts_said(FailurePage(pd.DataFrame(), 145, 400, {"correct": {"wrong": 119, "right": 26}}))
    'are listed, 26 right and 119 wrong'
    """
    n = found.facets["correct"]
    undefined = f", {n['undefined']:,} undefined" if "undefined" in n else ""
    return f"are listed, {least}{n.get('right', 0):,} right and {most}{n.get('wrong', 0):,} wrong{undefined}"


def rows_said(shown: int, total: int) -> str:
    """What stands below the table.

    >>> rows_said(145, 145)
    'All 145 rows. Select one to open its item.'
    >>> rows_said(500, 2000)
    'The first 500 of 2,000 rows; the download holds all. Select one to open its item.'
    """
    if total == 1:
        return "The only row. Select it to open the item."
    few = f"The first {shown:,} of {total:,} rows; the download holds all." if shown < total else f"All {total:,} rows."
    return f"{few} Select one to open its item."


def cards(
    benchmark: stored.StoredBenchmark, chosen: Filters, rows: pd.DataFrame, picture: Callable[[str], str] = large, *,
    in_file: bool = False,
) -> list[Card]:  # fmt: skip
    """A card for each row; the model in question stands first among the chips (see `chips_of`).

    picture: image URI -> what <img> shows; in_file: where nothing can be pressed, so tags are words on the card.
    """
    found = []
    models = {
        (part, metric): chips_of(benchmark.part(str(part)), chosen, str(metric))
        for part, metric in set(zip(rows["benchmark"], rows["metric"], strict=True))
    }
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
        why = None  # the chosen model's at its default setting
        if not chosen.wanted.setting.is_default:
            under = f"{colours.label(chosen.model)}, α = {alpha_said(chosen.wanted.setting.alpha)}"
            dot, run = colours.dot(chosen.model), part.runs[chosen.model]
            why = card_line.of_setting(detail, run, str(line.metric), chosen.wanted.setting, dot, under)
        own_tags = tags[str(line.benchmark)].get(str(line.item_id), [])
        html = view.tile(
            detail, str(line.metric), chosen.wanted.setting.kind, models[line.benchmark, line.metric],
            own_tags if in_file else [], query=query, heading=head, picture=picture, why=why,
            own=own.label(str(line.own_verdict)),
            beside=right_said(line),
        )  # fmt: skip
        pressed = () if in_file else tuple(tag.removeprefix("#") for tag in own_tags)
        found.append(Card(f"{part.hash} {line.item_id}", html, f"item {line.item_id}", pressed))
    return found


def chips_of(benchmark: stored.StoredBenchmark, chosen: Filters, metric: str) -> list[str]:
    """The models whose verdicts stand on a card: the one in question, the one it is compared with, then all others; of
    more than `CHIPS` those that are right most often."""
    first = [chosen.model, *filter(None, [chosen.other])]
    if len({*first, *benchmark.models}) <= CHIPS:
        return list(dict.fromkeys([*first, *benchmark.models]))
    best = data.best_first(benchmark.hash, chosen.wanted.setting.kind, metric)
    return list(dict.fromkeys([*first, *best, *benchmark.models]))[:CHIPS]


def right_said(line: Any) -> str:
    """How many models are right on a row of `failures`, and whether people are; "" where one model alone judged it."""
    if pd.isna(line.models_judging) or line.models_judging < 2:
        return ""
    people = "" if pd.isna(line.people_right) else f", people {'right' if line.people_right else 'wrong'}"
    return f"{int(line.models_right)} of {int(line.models_judging)} models right{people}"


def table(rows: pd.DataFrame, model: str, names: dict[str, str] | None = None) -> str | None:
    """The rows as a table; the benchmark (hash) and the id of the item whose row is selected, with a blank between."""
    frame = files.flat(rows, names)
    frame["metric"] = frame["metric"].map(metric_title)
    frame["reason"] = [with_cell(cell, word) for cell, word in zip(frame["cell"], frame["diagnosis"], strict=True)]
    frame["models_right"] = [right_said(line) or "–" for line in lines_of(rows)]
    frame["correct"] = frame["correct"].map({True: "✓", False: "✗"}).fillna("–")
    judged = [column for column in ("human_verdict",) if column in frame]
    for name in ("concept", "perturbation"):
        frame[name] = frame[name].astype(str).map(titles)
    frame["texts"] = frame["texts"].map(_captions)
    frame = frame[
        [
            *(["benchmark"] if names else []),
            "item_id",
            "correct",
            *judged,
            "margin",
            "models_right",
            "texts",
            "subset",
            "concept",
            "perturbation",
            "metric",
            "reason",
        ]
    ]
    height = min(620, 35 * len(frame) + 38)  # of its rows and its head
    state = st.dataframe(
        frame, hide_index=True, on_select="rerun", selection_mode="single-row", height=height, key=f"table-{model}",
        alt="The filtered items as a table",
        column_config={"margin": st.column_config.NumberColumn("margin", format="%.3g"),
                       "texts": st.column_config.TextColumn("captions", width="large"),
                       "item_id": "item", "correct": "verdict", "perturbation": "change",
                       "human_verdict": st.column_config.TextColumn(
                           "human", help="Your own verdict on the item itself: no model's, and in no rate."),
                       "models_right": "models right"},
    )  # fmt: skip
    picked = state.selection.rows
    last = st.session_state.get("_table_opened")
    st.session_state["_table_opened"] = list(picked)
    if not picked or list(picked) == last:
        return None
    return f"{rows.iloc[picked[0]]['benchmark']} {rows.iloc[picked[0]]['item_id']}"


def below(benchmark: stored.StoredBenchmark, chosen: Filters, rows: pd.DataFrame) -> str:
    """What stands below the gallery: which models' verdicts the cards show, and which rows can have no reason."""
    n = max(len(benchmark.part(str(part)).models) for part in set(rows["benchmark"]))
    few = (
        f"Cards show {CHIPS} of {n} verdicts: the chosen model's, then of those that are right most often."
        if n > CHIPS
        else ""
    )
    return " ".join(filter(None, [few, none_exists(chosen, rows)]))


def _captions(texts: list[str]) -> str:
    """An item's captions in a cell; "" where only what stands for them is here."""
    if all(map(is_placeholder, texts)):
        return ""
    return " / ".join(texts[:MOST]) + (" / …" if len(texts) > MOST else "")


def none_exists(chosen: Filters, rows: pd.DataFrame) -> str:
    """Which of these rows can have no reason, in one sentence; "" where all can."""
    kind = chosen.wanted.setting.kind
    return card_line.none_exists((protocol, kind) for protocol in sorted(set(map(str, rows["protocol"]))))


def ids_of(wanted: FailureFilter, benchmark: str) -> list[str]:
    """The ids of all items of one benchmark (hash) that a filter leaves, in its order: along these the arrows walk."""
    return data.ids(replace(wanted, benchmarks=(benchmark,)))


def names_of(benchmark: stored.StoredBenchmark) -> dict[str, str] | None:
    """hash -> name, where a benchmark stands for several."""
    return {part.hash: part.name for part in benchmark.parts} or None
