"""One item as models see it: roles of its captions, a chip per model, score matrices, token strips, evidence."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from scipy.special import expit

from backend.items import Kind, Protocol
from backend.kinds import ORDER, PREDICTIONS, PROBABILITIES, SPOKEN
from backend.metrics.core import registry
from backend.store.items.point_verdicts import both_ways
from backend.store.queries import ItemDetail
from backend.taxonomy import title
from pages.item import boundary, card_line
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours, ticks
from pages.shared.drawing.cards import item_card
from pages.shared.drawing.cards import tile as item_tile
from pages.shared.drawing.matrix import panels, score_matrix
from pages.shared.drawing.numbers import score
from pages.shared.drawing.thumbnails import large, source
from pages.shared.drawing.tokens import token_strip
from pages.shared.drawing.verdicts import chip, label
from pages.shared.frame.tips import kind_name, kind_unit, margin_unit, metric_tip

#: Headline metrics of an item, the most telling first; of a pool both directions.
HEADLINES = tuple(both_ways(registry.headlines(judged=True)))


def headlines(detail: ItemDetail) -> list[str]:
    """The metrics under which an item's verdicts are shown: its headlines, and what stands for one under a kind that
    does not allow it (where a model was asked to choose between captions, the text score is all of a quad)."""
    there = detail.outcomes
    own = (registry.deciding(Protocol(detail.protocol), kind) for kind in dict.fromkeys(there["kind"]))
    known = set(there["metric"])
    return [m for m in dict.fromkeys((*HEADLINES, *filter(None, own))) if m in known]


def first_kind(metric: str) -> str:
    """The kind by which a metric's verdicts are shown first: similarity where the metric allows it.

    >>> first_kind("group_score"), first_kind("t2t_accuracy")
    ('itc', 't2t')
    """
    known = registry.known(metric)
    return str(Kind.ITC if known is None or Kind.ITC in known.kinds else min(known.kinds, key=list(Kind).index))


def roles(protocol: str, n_texts: int, n_true: int = 1) -> list[str]:
    """What each caption is. n_true: how many classes are the image's own; they stand first (`queries.shortlist`).

    >>> roles("triplet", 3), roles("choice", 3), roles("quad", 2), roles("classify", 2)
    (['P1', 'P2', 'N'], ['true', 'foil', 'foil'], ['1', '2'], ['true', 'other'])
    """
    if protocol == "classify":
        return ["true"] * n_true + ["other"] * (n_texts - n_true)
    if protocol == "triplet" and n_texts == 3:
        return ["P1", "P2", "N"]
    if protocol == "grounding" and n_texts == 2:
        return ["before", "after"]
    if protocol == "answers":
        return ["yes is expected" if n_true else "no is expected"] * n_texts
    if protocol == "choice":
        return ["true"] + ["foil"] * (n_texts - 1)
    return [str(k + 1) for k in range(n_texts)]


def verdict_of(lines: Sequence[Any], metric: str, kind: str, query: int = -1) -> Any | None:
    """One model's verdict among its lines of `ItemDetail.outcomes`: this metric under this kind, else under its own
    first kind; None where it has none."""
    own = [line for line in lines if line.metric == metric and (query < 0 or line.query == query)]
    return next((line for line in own if line.kind == kind), own[0] if own else None)


@dataclass(frozen=True)
class Judged:
    """One model's verdict on an item as it is shown. line: of `ItemDetail.outcomes`; name: with the kind where that is
    not the one asked for; margin: None where it is undefined; tip: all of it in words."""

    model: str
    line: Any
    name: str
    correct: bool | None
    margin: float | None
    tip: str


def correct(line: Any) -> bool | None:
    """The verdict of a line of `ItemDetail.outcomes`, None for an undefined one."""
    return None if pd.isna(line.correct) else bool(line.correct)


def judged(
    detail: ItemDetail, metric: str, kind: str, models: Sequence[str], query: int = -1,
    lines: Sequence[Any] | None = None,
) -> list[Judged]:  # fmt: skip
    """Each model's verdict on a metric (see `verdict_of`); models without one are left out. lines: of
    `ItemDetail.outcomes`, where they are at hand: a gallery asks this a hundred times, and each look into a frame is
    slow."""
    names = colours.labels(models)
    of: dict[str, list[Any]] = {}
    for line in lines_of(detail.outcomes) if lines is None else lines:
        of.setdefault(str(line.model), []).append(line)
    found = []
    for model in models:
        line = verdict_of(of.get(model, []), metric, kind, query)
        if line is None:
            continue
        is_right = correct(line)
        margin = float(line.margin) if pd.notna(line.margin) and isfinite(line.margin) else None
        name = names[model] if line.kind in (kind, of[model][0].kind) else f"{names[model]} · {kind_name(line.kind)}"
        word = "undefined" if is_right is None else "right" if is_right else "wrong"
        size = "" if margin is None else f", margin {score(margin, signed=True)} ({margin_unit(str(line.kind), model)})"
        tip = f"{name}: {word}{size}. {metric_tip(metric)}"
        found.append(Judged(model, line, name, is_right, margin, tip))
    return found


def chips_in_full(detail: ItemDetail, metric: str, kind: str, models: Sequence[str]) -> list[Markup]:
    """The same as `model_chips` where sentences on other kinds stand beside them: each names the kind of its verdict
    and the unit of its margin, so that a margin is not read as that of the sentence."""
    names, found = colours.labels(models), []
    for each in judged(detail, metric, kind, models):
        of = str(each.line.kind)
        name, unit = f"{names[each.model]} · {kind_name(of)}", margin_unit(of, each.model)
        found.append(chip(name, each.correct, each.margin, dot=colours.dot(each.model), title=each.tip, unit=unit))
    return found


def model_chips(detail: ItemDetail, metric: str, kind: str, models: Sequence[str], query: int = -1) -> list[Markup]:
    """A chip per model with verdict and margin; models without a verdict are left out."""
    return [
        chip(each.name, each.correct, each.margin, dot=colours.dot(each.model), title=each.tip)
        for each in judged(detail, metric, kind, models, query)
    ]


def label_chips(labels: Sequence[str], definitions: dict[str, str]) -> list[Markup]:
    """Labels with their definitions as tips."""
    return [label(name, definitions.get(name, name)) for name in labels]


def card(
    detail: ItemDetail,
    metric: str,
    kind: str,
    models: Sequence[str],
    labels: Sequence[str] = (),
    definitions: dict[str, str] | None = None,
    *,
    query: int = -1,
    width: int = 112,
    heading: str = "",
    why: Markup | str | None = None,
    picture: Callable[[str], str] = source,
) -> Markup:
    """The item as a card for a gallery. why: its first line (`card_line`), None for the first model's at its default
    setting; picture: image URI -> what <img> shows."""
    if why is None:
        why = card_line.of_model(detail, models[0], metric, kind) if models else ""
    return item_card(
        *shown(detail, picture),
        model_chips(detail, metric, kind, models, query),
        label_chips(labels, definitions or {}),
        why=why,
        heading=heading or f"{detail.item_id} · {about(detail)}",
        width=width,
    )


def tile(
    detail: ItemDetail, metric: str, kind: str, models: Sequence[str], tags: Sequence[str] = (), *, query: int = -1,
    heading: str = "", why: Markup | str | None = None, picture: Callable[[str], str] = large, own: Markup | str = "",
    beside: str = "",
) -> Markup:  # fmt: skip
    """The item for a gallery of large pictures (`cards.tile`); see `card`. own: a person's verdict on it, as HTML;
    beside: what stands behind the marks."""
    lines = lines_of(detail.outcomes)
    if why is None:
        why = card_line.of_model(detail, models[0], metric, kind, lines=lines) if models else ""
    found = judged(detail, metric, kind, models, query, lines)
    units = {margin_unit(str(each.line.kind), each.model) for each in found}
    unit = units.pop() if len(units) == 1 and len({each.line.kind for each in found}) == 1 else ""
    marks = ticks.row([ticks.Tick(each.model, each.name, each.correct, each.margin) for each in found], unit, beside)
    labels = [*([own] if isinstance(own, Markup) and own else []), *label_chips(tags, {})]
    return item_tile(
        *shown(detail, picture), ticks=marks, labels=labels, why=why,
        heading=heading or f"{detail.item_id} · {about(detail)}",
    )  # fmt: skip


def shown(detail: ItemDetail, picture: Callable[[str], str] = source) -> tuple[list[str], list[str], list[str]]:
    """An item's images (as <img> takes them), captions and their roles, as a card shows them: none of those that are
    known by their number alone."""
    if detail.is_number_alone:
        return [], [], []
    images = [picture(detail.image_uris[k]) for k in boundary.on_card(detail)]
    return images, detail.texts, roles(detail.protocol, len(detail.texts), len(detail.truth))


def about(detail: ItemDetail) -> str:
    """Concept and perturbation in words."""
    said = [*detail.tags.get("concept", []), *detail.tags.get("perturbation", [])]
    return " · ".join(title(word) for word in said if word != "none") or title(detail.subset)


@dataclass(frozen=True)
class Scores:
    """The scores of one model under one kind, on the scale that is shown."""

    model: str
    kind: str
    values: np.ndarray


def scores_of(detail: ItemDetail) -> list[Scores]:
    """Matrices (images, texts) of image kinds, (texts, texts) of t2t and (1, texts) of a blind model's prior.

    itm and vqa as probabilities, gen and prior as mean log-probability a token, verdict as the share of the answers
    about a text that chose it (`shares_chosen`). A retrieval item has no matrix of its
    own: its scores are rows of the whole pool.
    """
    if detail.protocol == "retrieval":
        return []
    n_images, n_texts = max(1, len(detail.image_uris)), len(detail.texts)
    found = []
    frame = detail.scores[detail.scores["part"].isin([*map(str, Kind), "prior@self"])]
    for (model, part), rows in frame.groupby(["model", "part"], sort=False):
        kind = "prior" if str(part).startswith("prior") else str(part)
        shape = (n_texts, n_texts) if kind == "t2t" else (1 if kind == "prior" else n_images, n_texts)
        values = np.full(shape, np.nan)
        if kind == Kind.VERDICT:
            orders = detail.scores[detail.scores["model"].eq(str(model)) & detail.scores["part"].str.startswith(ORDER)]
            each = len(orders) > 0 or str(model).startswith(PREDICTIONS)
            found.append(Scores(str(model), kind, shares_chosen(orders if len(orders) else rows, shape, each=each)))
            continue
        for line in lines_of(rows):
            value = float(line.value)
            if kind in SPOKEN:
                value = value / line.n_tokens if line.n_tokens > 0 else np.nan
            elif kind in PROBABILITIES:
                value = float(expit(value))
            if kind == "t2t":
                values[int(line.text_index), int(line.text_index_b)] = value
            else:
                values[int(line.image_index) if kind != "prior" else 0, int(line.text_index)] = value
        found.append(Scores(str(model), kind, values))
    rank = {model: k for k, model in enumerate(colours.order(detail.scores["model"]))}
    return sorted(found, key=lambda s: (rank[s.model], list(Kind).index(Kind(s.kind))))


def shares_chosen(rows: pd.DataFrame, shape: tuple[int, int], *, each: bool) -> np.ndarray:
    """The share of the contests of each text (images, texts) that it won, over all orders of asking; NaN where it was
    in none. each: a row is one answer, in which ½ chose neither; else it is what two answers come to, as of a server.

    >>> rows = pd.DataFrame({"image_index": [0, 0], "text_index": [0, 0], "text_index_b": [1, 2], "value": [1.0, 0.5]})
    >>> shares_chosen(rows, (1, 3), each=False).tolist(), shares_chosen(rows, (1, 3), each=True).tolist()
    ([[0.75, 0.0, 0.5]], [[0.5, 0.0, 0.0]])
    """
    won, held = np.zeros(shape), np.zeros(shape)
    for line in lines_of(rows):
        image, value = int(line.image_index), float(line.value)
        neither = each and value == 0.5
        for text, share in ((int(line.text_index), value), (int(line.text_index_b), 1 - value)):
            won[image, text] += 0.0 if neither else share
            held[image, text] += 1
    shares: np.ndarray = np.divide(won, held, out=np.full(shape, np.nan), where=held > 0)
    return shares


def matrix_panels(detail: ItemDetail, only: Collection[str] | None = None, drawn: tuple[str, str] = ("", "")) -> Markup:
    """All score matrices, a panel per model; empty where there are none. only: those of these models; drawn: model and
    kind whose numbers stand in a picture already."""
    every = scores_of(detail)
    names = colours.labels(s.model for s in every)
    found = [each for each in every if (only is None or each.model in only) and (each.model, each.kind) != drawn]
    if not found:
        return Markup()
    short = roles(detail.protocol, len(detail.texts), len(detail.truth))
    columns = [f"{role} {k}" if short.count(role) > 1 else role for k, role in enumerate(short)]
    thumbs = [source(uri) for uri in detail.image_uris]
    names_of_images = boundary.names(detail) or ["image 1"]
    bodies = []
    for model in dict.fromkeys(s.model for s in found):
        head = Markup('<p class="fs-model">{}{}</p>').format(colours.dot(model), names[model])
        inner = Markup()
        for s in (s for s in found if s.model == model):
            title = f"{kind_name(s.kind)} ({s.kind})"
            if s.kind == "t2t":
                inner += score_matrix(
                    s.values.tolist(), columns, columns, title=title, unit=kind_unit("t2t", model), hints=detail.texts,
                    triangle=True,
                )  # fmt: skip
                continue
            rows = ["no image"] if s.kind == "prior" else names_of_images
            inner += score_matrix(
                s.values.tolist(), rows, columns, () if s.kind == "prior" else detail.truth, title=title,
                unit=kind_unit(s.kind, model), hints=detail.texts, row_images=() if s.kind == "prior" else thumbs,
            )  # fmt: skip
        bodies.append(Markup('<div class="fs-panel">{}{}</div>').format(head, inner))
    return panels(bodies, len(columns))


def token_models(detail: ItemDetail) -> list[str]:
    """Models with stored token log-probabilities given the image."""
    return colours.order(detail.tokens.loc[detail.tokens["part"] == "tokens:gen", "model"])


def token_strips(detail: ItemDetail, model: str, image: int = 0) -> Markup:
    """Every caption of the item token by token, given one of its images; beside it the prior where one is stored."""
    own = detail.tokens[(detail.tokens["model"] == model) & (detail.tokens["part"] == "tokens:gen")]
    own = own[own["image_index"] == image]
    priors = detail.tokens[detail.tokens["part"].str.startswith("tokens:prior")]
    parts = []
    short = roles(detail.protocol, len(detail.texts), len(detail.truth))
    for line in lines_of(own):
        text = int(line.text_index)
        same = priors[priors["text_index"] == text]
        prior = next((p.logprobs for p in lines_of(same) if list(p.tokens) == list(line.tokens)), None)
        name = short[text] if text < len(short) else str(text)
        parts.append(token_strip(list(line.tokens), list(line.logprobs), prior, name=name))
    return Markup().join(parts)
