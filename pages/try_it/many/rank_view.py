"""Try it, rank images: what each model's order looks like, and how far the orders agree."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.live.scoring.ranking import Ranked, agreement
from pages.shared.drawing import colours
from pages.shared.drawing.matrix import score_matrix
from pages.shared.drawing.numbers import score
from pages.shared.drawing.thumbnails import picture
from pages.shared.frame import downloads
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name
from pages.try_it.many.rank_images import RankImage, thumbnail

#: Images shown of each order: so many of its beginning and of its end.
FIRST, LAST = 10, 3


def strips(found: Sequence[Ranked], images: Sequence[RankImage]) -> None:
    """One strip a model and score kind."""
    names = colours.labels([each.spec for each in found])
    body = Markup()
    for each in found:
        dot = colours.dot(each.spec)
        head = Markup('<p class="fs-model">{}{}<small>{}</small></p>').format(dot, names[each.spec], each.spec)
        if each.problem:
            body += Markup('<article class="fs-panel">{}<p class="fs-problem">{}</p></article>').format(
                head, each.problem
            )
        rows = Markup().join(_strip(each, kind, images) for kind in each.scores)
        if rows:
            body += Markup('<article class="fs-panel">{}{}</article>').format(head, rows)
    show(Markup('<div class="fs-ranked">{}</div>').format(body))


def _strip(found: Ranked, kind: str, images: Sequence[RankImage]) -> Markup:
    order = found.order(kind)
    shown = order if len(order) <= FIRST + LAST else order[:FIRST] + order[-LAST:]
    figures = Markup()
    for place, k in enumerate(shown):
        if place == FIRST and len(order) > len(shown):
            figures += Markup('<li class="fs-gap" aria-hidden="true">… {} …</li>').format(len(order) - len(shown))
        n = order.index(k) + 1
        tip = f"rank {n}: image {k + 1}, {images[k].name}, {score(float(found.scores[kind][k]))}"
        figures += Markup(
            '<li title="{tip}">{picture}<span><b>{n}</b> {score} <small>№ {k}</small></span></li>'
        ).format(
            tip=tip,
            picture=picture(thumbnail(images[k].key, images[k].image), tip, 76),
            n=n,
            score=score(float(found.scores[kind][k])),
            k=k + 1,
        )
    return Markup('<p class="fs-caption">{} ({})</p><ol class="fs-strip">{}</ol>').format(
        kind_name(kind), kind, figures
    )


def agreements(found: Sequence[Ranked]) -> None:
    """Spearman's rank correlation between all orders."""
    names = colours.labels([each.spec for each in found])
    lists = [(f"{names[each.spec]} · {kind_name(kind)}", each.scores[kind]) for each in found for kind in each.scores]
    if len(lists) < 2:
        return
    section("Do they agree on the order?", "Spearman's rank correlation: 1 the same order, 0 unrelated, −1 reversed")
    values = [[_number(agreement(one, other)) for _, other in lists] for _, one in lists]
    labels = [name for name, _ in lists]
    heads = [str(k + 1) for k in range(len(lists))]
    show(
        score_matrix(
            values, [f"{k + 1} {name}" for k, name in enumerate(labels)], heads, title="rank correlation",
            hints=labels, limits=(-1.0, 1.0), signed=True, triangle=True,
        )
    )  # fmt: skip
    chart_caption(
        "Column numbers are those of the rows. Brown: they order the images alike; blue: the other way round."
    )


def table(found: Sequence[Ranked], images: Sequence[RankImage], text: str) -> None:
    """All scores and ranks, to sort and to take away."""
    names = colours.labels([each.spec for each in found])
    frame = pd.DataFrame({"№": range(1, len(images) + 1), "image": [each.name for each in images]})
    for each in found:
        for kind in each.scores:
            frame[f"{names[each.spec]} {kind} rank"] = each.ranks(kind)
            frame[f"{names[each.spec]} {kind}"] = each.scores[kind]
    with st.expander("All ranks and scores as a table", icon=":material/table_rows:", key="try-rank-table",
                     on_change="rerun") as box:  # fmt: skip
        if not box.open:
            return
        pictures = frame.assign(picture=[thumbnail(each.key, each.image) for each in images])
        st.dataframe(
            pictures[["picture", *frame.columns]], hide_index=True, alt=f"Ranks of all images for {text}",
            column_config={"picture": st.column_config.ImageColumn("", width="small")},
        )  # fmt: skip
        st.download_button(
            "Download as CSV", downloads.csv(frame.assign(prompt=text)), "ranking.csv", "text/csv",
            icon=":material/download:",
        )  # fmt: skip


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
