"""An item that more models have judged than can be read one by one: their verdicts by reason, and the choice whose
sentence leads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import streamlit as st
from markupsafe import Markup

from backend.metrics.reasons.names import CELLS, meaning_of, with_cell
from backend.protocols import Protocol
from backend.store.catalog.public import Apart
from backend.store.queries import ItemDetail
from pages.item import view
from pages.item.card_line import carried
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.colours import VERDICTS
from pages.shared.drawing.numbers import score
from pages.shared.drawing.verdicts import state
from pages.shared.frame.tips import kind_name, metric_title

#: So many models are shown one under the other, each with its sentence and its scores; more are grouped.
FEW: Final = 8
CAPTION = (
    "Behind a name its margin: how far the verdict is from flipping, in the unit of the model's own scores, so margins "
    "of two models need not compare. Choose a model at the top for its sentence, its scores and its numbers."
)
_KEY = "item-lead"
Verdict = tuple[str, str, str]  # model, run id, kind


@dataclass
class Group:
    """The models of one verdict for one reason. verdict: a key of `VERDICTS`; cell, reason: "" where none is known;
    who: the models' verdicts in the order of the models."""

    verdict: str
    cell: str = ""
    reason: str = ""
    who: list[view.Judged] = field(default_factory=list)


def fits(models: Sequence[str]) -> bool:
    """Whether there are so many models that they are grouped."""
    return len(models) > FEW


def groups(detail: ItemDetail, metric: str, models: Sequence[str]) -> list[Group]:
    """The models by their verdict on a metric and, where it has reasons, by reason: right ones first, then the larger
    group, of equally large ones as `CELLS` has them."""
    reasons = _reasons(detail) if carried(detail.protocol, metric) else {}
    found: dict[tuple[str, str, str], Group] = {}
    for each in view.judged(detail, metric, view.first_kind(metric), models):
        key = (state(each.correct), *reasons.get((str(each.line.run_id), str(each.line.kind)), ("", "")))
        found.setdefault(key, Group(*key)).who.append(each)
    verdicts, cells = list(VERDICTS), ["", *CELLS.get(Protocol(detail.protocol), ())]
    return sorted(found.values(), key=lambda g: (verdicts.index(g.verdict), -len(g.who), cells.index(g.cell), g.reason))


def _reasons(detail: ItemDetail) -> dict[tuple[str, str], tuple[str, str]]:
    """(run id, kind) -> its cell and its reason."""
    return {
        (str(row.run_id), str(row.kind)): (str(row.cell), str(row.reason))
        for row in (lines_of(detail.evidence) if len(detail.evidence) else ())
        if row.cell
    }


def count(detail: ItemDetail, models: Sequence[str], apart: Apart) -> str:
    """How many models are right, by the item's first metric: people are no model, and a repeat counts once; "" where
    none has a verdict."""
    return _count(_first(detail, apart.counted(models))[1], apart, models)


def summary(detail: ItemDetail, models: Sequence[str], apart: Apart) -> Markup:
    """One line that stands first: how many models are right, by the item's first metric, and what people are beside
    them; empty without one."""
    metric, found = _first(detail, apart.counted(models))
    if not found:
        return Markup()
    most = next((group for group in found if group.verdict == "wrong" and group.reason), None)
    more = f" The largest group of the others, {len(most.who)}: {with_cell(most.cell, most.reason)}." if most else ""
    people = "".join(
        f" People are {VERDICTS[group.verdict][0]}."
        for group in groups(detail, metric, [model for model in models if model in apart.people])
    )
    repeats = apart.left_out(apart.repeats.intersection(models))
    more += people + (f" Not counted: {repeats}." if repeats else "")
    return Markup('<p class="fs-by-sum">{}: <b>{}</b>.{}</p>').format(
        metric_title(metric), _count(found, apart, models), more
    )


def _first(detail: ItemDetail, models: Sequence[str]) -> tuple[str, list[Group]]:
    """The item's first metric, and the models by their verdicts on it; none where no model has one."""
    metric = next(iter(view.headlines(detail)), "")
    return metric, groups(detail, metric, models) if metric else []


def _count(found: Sequence[Group], apart: Apart, models: Sequence[str]) -> str:
    total = sum(len(group.who) for group in found)
    right = sum(len(group.who) for group in found if group.verdict == "right")
    return f"{right} of {total} {apart.noun(models)} {'is' if right == 1 else 'are'} right" if total else ""


def table(detail: ItemDetail, metric: str, models: Sequence[str]) -> Markup:
    """A row a group: verdict and reason, how many, and who, people and repeats among them. Empty where nobody has a
    verdict."""
    found = groups(detail, metric, models)
    if not found:
        return Markup()
    total, largest = sum(len(group.who) for group in found), max(len(group.who) for group in found)
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="{0} of {1} rows by reason"><table '
        'class="fs-by"><caption class="fs-card-head">All {1} rows · {0}</caption><tbody>{2}</tbody></table></div>'
    ).format(metric_title(metric), total, Markup().join(_row(group, largest) for group in found))


def _row(group: Group, largest: int) -> Markup:
    word, sign = VERDICTS[group.verdict]
    said = with_cell(group.cell, group.reason)
    return Markup(
        '<tr><th scope="row" class="fs-by-{which}" title="{hint}"><b>{sign} {word}</b>{why}</th>'
        '<td class="fs-by-n"><b>{n}</b><span class="fs-bar"><i style="width:{share:.0f}%"></i></span></td>'
        '<td class="fs-by-who">{who}</td></tr>'
    ).format(
        which=group.verdict,
        hint=meaning_of(group.cell, group.reason) or word,
        sign=sign,
        word=word,
        why=Markup("<small>{}</small>").format(said) if said not in ("", word) else "",
        n=len(group.who),
        share=100 * len(group.who) / largest,
        who=Markup().join(map(_one, group.who)),
    )


def _one(each: view.Judged) -> Markup:
    margin = "" if each.margin is None else score(each.margin, signed=True)
    return Markup('<span title="{}">{}{}<small>{}</small></span> ').format(
        each.tip, colours.dot(each.model), each.name, margin
    )


def choose(detail: ItemDetail, asked: Sequence[Verdict], now: Verdict, lead: Callable[[str, str], None]) -> None:
    """Whose sentence leads: one of the verdicts, by name. now: the one that leads; lead: called with the model and the
    kind that are chosen."""
    names = colours.labels(model for model, _, _ in asked)
    signs = _signs(detail)
    st.session_state[_KEY] = now  # anew for every item: what leads may have been chosen elsewhere

    def name(each: Verdict) -> str:
        return f"{signs.get(each[1:], '')} {names[each[0]]} · {kind_name(each[2])}".strip()

    def take() -> None:
        model, _, kind = st.session_state[_KEY]
        lead(model, kind)

    st.selectbox(
        "Model", list(asked), key=_KEY, format_func=name, on_change=take, width=420,
        help="Whose sentence leads and whose scores are shown; type to search.",
    )  # fmt: skip


def _signs(detail: ItemDetail) -> dict[tuple[str, str], str]:
    """(run id, kind) -> the sign of its verdict on the first of the item's metrics that it has."""
    found: dict[tuple[str, str], str] = {}
    for metric in view.headlines(detail):
        for line in lines_of(detail.outcomes[detail.outcomes["metric"] == metric]):
            found.setdefault((str(line.run_id), str(line.kind)), VERDICTS[state(view.correct(line))][1])
    return found
