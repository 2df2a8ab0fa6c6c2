"""Try it, rank images: what each model's order looks like, and how far the orders agree."""

from collections.abc import Sequence
from itertools import combinations

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.live.scoring.ranking import Ranked, agreement
from pages.shared.drawing import colours
from pages.shared.drawing.matrix import score_matrix
from pages.shared.drawing.numbers import count, score
from pages.shared.drawing.thumbnails import picture
from pages.shared.frame import downloads
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name
from pages.try_it.many.rank_images import RankImage, thumbnail

#: Images shown of each order: so many of its beginning and of its end.
FIRST, LAST = 9, 3


def sentence(found: Sequence[Ranked], names: Sequence[str] = ()) -> str:
    """What is seen: which image stands first most often, and how far the orders agree. names: of the images where they
    are somebody's files, whose names mean something; else they are known by their numbers."""
    lists = [(each.order(kind), each.scores[kind]) for each in found for kind in each.scores]
    firsts = [order[0] for order, scores in lists if order and scores[order[0]] == scores[order[0]]]
    if not firsts:
        return "No model could rank these images."
    top = max(firsts, key=lambda k: (firsts.count(k), -k))
    image = f"{names[top]} (№ {top + 1})" if names else f"Image № {top + 1}"
    said = f"{image} stands first in {firsts.count(top)} of {count(len(firsts), 'order')}"
    pairs = [agreement(a, b) for (_, a), (_, b) in combinations(lists, 2)]
    known = [value for value in pairs if value is not None]
    if not known:
        return f"{said}."
    return f"{said}; on average, two orders correlate at {sum(known) / len(known):.2f} (1: the same order)."


def strips(found: Sequence[Ranked], images: Sequence[RankImage]) -> None:
    """One strip a model and score kind, below each other, so that the same places can be compared."""
    names = colours.labels([each.spec for each in found])
    body = Markup()
    for each in found:
        head = Markup("{}<b>{}</b>").format(colours.dot(each.spec), names[each.spec])
        if each.problem:
            body += _row(each.spec, head, "", Markup('<p class="fs-problem">{}</p>').format(each.problem))
        for kind in each.scores:
            body += _row(each.spec, head, kind_name(kind), _strip(each, kind, images))
    show(Markup('<div class="fs-ranked">{}</div>').format(body))


def _row(spec: str, head: Markup, kind: str, right: Markup) -> Markup:
    return Markup(
        '<section class="fs-ranked-row"><p title="{}">{}<small>{}</small></p>{}</section>'
    ).format(spec, head, kind, right)  # fmt: skip


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
            picture=picture(thumbnail(images[k].key, images[k].image), tip, 64),
            n=n,
            score=score(float(found.scores[kind][k])),
            k=k + 1,
        )
    return Markup('<ol class="fs-strip">{}</ol>').format(figures)


def agreements(found: Sequence[Ranked]) -> None:
    """Spearman's rank correlation between all orders."""
    names = colours.labels([each.spec for each in found])
    lists = [(f"{names[each.spec]} · {kind_name(kind)}", each.scores[kind]) for each in found for kind in each.scores]
    if len(lists) < 2:
        chart_caption("There is one order only: choose a second model or score kind in the sidebar.")
        return
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
        "Spearman's rank correlation: 1 the same order, 0 unrelated, −1 reversed. Column numbers are those of the "
        "rows. Brown: they order the images alike; blue: the other way round."
    )


def table(found: Sequence[Ranked], images: Sequence[RankImage], text: str) -> None:
    """All scores and ranks, to sort and to take away."""
    names = colours.labels([each.spec for each in found])
    frame = pd.DataFrame({"№": range(1, len(images) + 1), "image": [each.name for each in images]})
    for each in found:
        for kind in each.scores:
            frame[f"{names[each.spec]} {kind} rank"] = each.ranks(kind)
            frame[f"{names[each.spec]} {kind}"] = each.scores[kind]
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
