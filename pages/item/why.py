"""Why each model's verdict on an item is what it is: one sentence a model, the numbers behind it folded away."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.kinds import SIMILARITIES, Kind
from backend.metrics.core import registry
from backend.metrics.reasons.names import meaning_of, with_cell
from backend.protocols import Protocol
from backend.store.catalog.public import ALL_COUNT, Apart
from backend.store.queries import ItemDetail
from backend.store.reasons import of_item
from backend.store.reasons.of_item import Explanation, ItemOf
from backend.store.reasons.words import CARRIED_BY
from backend.taxonomy import title
from pages.item import choice_picture, grouped, quad_picture
from pages.shared.data import asked_orders, findings, handing_on, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.verdicts import label
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, margin_unit

Verdicts = tuple[tuple[str, str, str], ...]
_LEAD = "_item_lead"
#: The choice of which sentences of many models are read, and its two options that are no reason.
_OF, _ONE_EACH, _ALL = "item-sentences-of", "", "*"
#: The key of what holds the leading sentence and the item.
SHOWN = "fs-item-shown"
#: The item's own page in addresses.
PAGE = "item"


def draw(
    detail: ItemDetail, models: Sequence[str], item: Callable[[], None],
    lead: Callable[[str, str], None] | None = None, apart: Apart = ALL_COUNT,
) -> None:  # fmt: skip
    """The item itself, drawn by `item`, then the chosen model's sentence with its picture, then the other models'
    sentences, then what is not measured and why. Of many models (`grouped.fits`) first how many are right and the
    choice whose sentence leads; the others' are left to `draw_others`. lead: takes that choice, model and kind; by
    default `lead_with`. apart: who of the models is none of them."""
    asked = verdicts(detail, models)
    model, kind = _wanted()
    if asked and grouped.fits(models):
        show(grouped.summary(detail, models, apart))
        now = _leading(detail.benchmark, detail.item_id, asked, model, kind)
        grouped.choose(detail, asked, now, lead or lead_with)
        asked, (model, _, kind) = (now,), now
    first, others = _html(detail.benchmark, detail.item_id, asked, model, kind) if asked else (Markup(), Markup())
    with st.container(key=SHOWN):
        item()
        if first:
            show(first)
    if others:
        show(others)


def draw_others(detail: ItemDetail, models: Sequence[str]) -> None:
    """Of many models the sentences that `draw` left out, once they are asked for: one of each reason, or all of one."""
    asked = verdicts(detail, models)
    if len(asked) < 2:
        return
    title = f"Sentences of the other {len(asked) - 1} verdicts"
    with st.expander(title, icon=":material/notes:", key="item-sentences", on_change="rerun") as box:
        if not box.open:
            return
        now = _leading(detail.benchmark, detail.item_id, asked, *_wanted())
        by_reason = _by_reason(detail.benchmark, detail.item_id, tuple(each for each in asked if each != now))
        shown = tuple(each for own in by_reason.values() for each in own)
        if len(by_reason) > 1:
            sizes = {said: f"{said}: {len(own)}" for said, own in by_reason.items()}
            sizes |= {_ONE_EACH: f"one of each of {len(by_reason)} reasons", _ALL: f"all {len(shown)}"}
            options = [_ONE_EACH, *by_reason, _ALL]
            if st.session_state.get(_OF) not in options:  # the item before had other reasons
                st.session_state[_OF] = _ONE_EACH
            picked = st.selectbox(
                "Reason", options, key=_OF, format_func=lambda each: sizes[each], width=420,
                help="The sentences of the models whose verdict has this reason; see docs/reasons.md.",
            )  # fmt: skip
            if picked != _ALL:
                shown = by_reason.get(str(picked)) or tuple(own[0] for own in by_reason.values())
        show(_html(detail.benchmark, detail.item_id, (now, *shown), now[0], now[2])[1])


def leading(detail: ItemDetail, models: Sequence[str]) -> tuple[str, str]:
    """The model whose sentence leads, and the kind of its verdict; "" where nobody has judged the item."""
    asked = verdicts(detail, models)
    model, _, kind = _leading(detail.benchmark, detail.item_id, asked, *_wanted()) if asked else ("", "", "")
    return model, kind


def lead_with(model: str, kind: str) -> None:
    """Whose sentence leads in the dialog that is opened now; "" leaves it to the page's own choice."""
    st.session_state[_LEAD] = {"model": model, "kind": kind} if model else {}


def chosen() -> dict[str, str]:
    """The model and the kind that were chosen on this page or the one before, as an address names them."""
    own = {key: st.session_state.get(key) for key in ("model", "kind")}
    found = own | st.session_state.get(_LEAD, {})
    return {key: value for key, value in found.items() if isinstance(value, str) and value}


def _wanted() -> tuple[str, str]:
    """The chosen model and kind, each "" where none is."""
    lead = chosen()
    return lead.get("model", ""), lead.get("kind", "")


def verdicts(detail: ItemDetail, models: Sequence[str]) -> Verdicts:
    """(model, run id, kind) of every verdict, in the order of the models and of `Kind`. Kinds that no reason is known
    for are left out beside others of the same model that have one."""
    carried = Protocol(detail.protocol) in CARRIED_BY
    found: dict[str, list[tuple[str, str, str]]] = {model: [] for model in models}
    for line in lines_of(detail.outcomes.drop_duplicates(["model", "run_id", "kind"])):
        if line.model in found:
            found[str(line.model)].append((str(line.model), str(line.run_id), str(line.kind)))
    order = list(Kind)
    listed = []
    for own in found.values():
        own.sort(key=lambda each: order.index(Kind(each[2])))
        telling = [each for each in own if carried and each[2] in SIMILARITIES]
        listed += telling or own[:1]
    return tuple(listed)


def claim(detail: ItemDetail, model: str, kind: str) -> Markup:
    """The sentence on one model's verdict alone, without its picture; empty where it is not measured."""
    own = tuple(each for each in verdicts(detail, [model]) if each[2] == kind)
    return _claim(detail.benchmark, detail.item_id, own) if own else Markup()


@stored.kept()
def _claim(benchmark: str, item_id: str, asked: Verdicts) -> Markup:
    (each,), names = _explained(stored.item(benchmark, item_id), asked)
    if not each.measured:
        return Markup()
    return Markup('<section class="fs-why" aria-label="Why"><p class="fs-why-who">{}</p><p>{}</p></section>').format(
        _who(each, names), each.said.claim
    )


def to_copy(
    detail: ItemDetail, models: Sequence[str], benchmark: str, apart: Apart = ALL_COUNT
) -> tuple[str, dict[str, str], str]:
    """The finding of the leading sentence with the address of the item's own page, on which that sentence leads;
    "" for an item that nobody has judged; and its run. Of a run whose scores may not be handed on it has neither margin
    nor the sentence, whose numbers are made of scores. Of many models it says how many are right. benchmark: its
    name. apart: who of the models is none of them."""
    right = grouped.count(detail, models, apart) if grouped.fits(models) else ""
    return _to_copy(detail.benchmark, detail.item_id, verdicts(detail, models), *_wanted(), benchmark, right)


@stored.kept()
def _to_copy(
    benchmark: str, item_id: str, asked: Verdicts, model: str, kind: str, name: str, right: str
) -> tuple[str, dict[str, str], str]:
    if not asked:
        return "", {}, ""
    detail = stored.item(benchmark, item_id)
    found, names = _explained(detail, asked)
    first = _first(found, model, kind)
    own = detail.outcomes[(detail.outcomes["run_id"] == first.run_id) & (detail.outcomes["kind"] == first.kind)]
    order = registry.judging(Protocol(detail.protocol))
    rows = {str(row["metric"]): row for row in own[own["query"] < 0].to_dict("records")}
    metric = next((each for each in order if each in rows), None)
    if metric is None:
        return "", {}, first.run_id
    row = rows[metric]
    bare = handing_on.verdicts_only([first.run_id])
    link = {"benchmark": name, "item": item_id, "model": first.model, "kind": first.kind}
    return findings.item(
        item_id, names[first.model], metric, None if pd.isna(row["correct"]) else bool(row["correct"]),
        None if bare or pd.isna(row["margin"]) else float(row["margin"]), margin_unit(first.kind, first.model),
        (str(first.row.get("cell", "")), str(first.row.get("reason", ""))),
        first.said.claim if first.measured and not bare else "",
        (kind_name(first.kind), asked_orders.strict(first.run_id, first.kind), name), right,
    ), link, first.run_id  # fmt: skip


@stored.kept()
def _html(benchmark: str, item_id: str, asked: Verdicts, model: str, kind: str) -> tuple[Markup, Markup]:
    detail = stored.item(benchmark, item_id)
    found, names = _explained(detail, asked)
    return html(detail, found, model, kind, names)


@stored.kept()
def _leading(benchmark: str, item_id: str, asked: Verdicts, model: str, kind: str) -> tuple[str, str, str]:
    """Which of the verdicts leads."""
    first = _first(_explained(stored.item(benchmark, item_id), asked)[0], model, kind)
    return first.model, first.run_id, first.kind


@stored.kept()
def _by_reason(benchmark: str, item_id: str, asked: Verdicts) -> dict[str, Verdicts]:
    """The verdicts by what their reason is called, those without one last."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    explained = _explained(stored.item(benchmark, item_id), asked)[0]
    for each in sorted(explained, key=lambda each: not each.measured):
        said = with_cell(str(each.row["cell"]), str(each.row["reason"])) if each.measured else "not measured"
        found.setdefault(said, []).append((each.model, each.run_id, each.kind))
    return {said: tuple(own) for said, own in found.items()}


def _explained(detail: ItemDetail, asked: Verdicts) -> tuple[list[Explanation], dict[str, str]]:
    """What is said of each verdict, and what the models are called: as beside all that have judged the item."""
    names = colours.labels({*detail.outcomes["model"], *(model for model, _, _ in asked)})
    found = of_item.of_item(stored.store(), _item(detail), asked, names, {detail.subset: title(detail.subset)})
    return found, names


def _item(detail: ItemDetail) -> ItemOf:
    """With all texts in their own order, those that the shortlist has left out as empty ones."""
    texts = tuple(detail.text(k) or "" for k in range(len(detail.texts) + detail.hidden))
    return ItemOf(detail.benchmark, detail.item_no, detail.item_id, detail.subset, detail.protocol, texts)


def html(
    detail: ItemDetail, found: Sequence[Explanation], model: str = "", kind: str = "",
    called: Mapping[str, str] | None = None,
) -> tuple[Markup, Markup]:  # fmt: skip
    """(the leading sentence, the others; empty where there are none). model, kind: whose sentence leads; of an unknown
    one the first that is measured. called: model -> its name, where others stand beside those that are explained."""
    names = called or colours.labels(each.model for each in found)
    first = _first(found, model, kind)
    others = [each for each in found if each is not first]
    lacking = [each for each in others if not each.measured]
    parts = [_folded(detail, each, names) for each in others if each.measured]
    parts += _lacking(lacking, names)
    leading = Markup('<section class="fs-why" aria-label="Why">{}</section>').format(_lead(detail, first, names))
    rest = Markup('<section class="fs-why" aria-label="Why, other models">{}</section>').format(Markup().join(parts))
    return leading, rest if parts else Markup()


def _first(found: Sequence[Explanation], model: str, kind: str) -> Explanation:
    """Of the model and kind asked for, else of the model, else the first that is measured."""
    ranks = ((each.model == model, each.kind == kind and each.model == model, each.measured) for each in found)
    return max(zip(ranks, range(0, -len(found), -1), found, strict=True), key=lambda each: each[:2])[2]


def _who(each: Explanation, names: Mapping[str, str]) -> Markup:
    words = (str(each.row["cell"]), str(each.row["reason"])) if each.measured else ("", "")
    chip = label(with_cell(*words), meaning_of(*words)) if each.measured else Markup()
    return Markup("{}<b>{}</b> <span>{}</span>{}").format(
        colours.dot(each.model), names[each.model], kind_name(each.kind), chip
    )


def _lead(detail: ItemDetail, each: Explanation, names: Mapping[str, str]) -> Markup:
    return Markup(
        '<div class="fs-why-lead"><p class="fs-why-who">{}</p><p class="fs-why-claim">{}</p>{}{}</div>'
    ).format(_who(each, names), each.said.claim, _command(each), _body(detail, each))


def _folded(detail: ItemDetail, each: Explanation, names: Mapping[str, str]) -> Markup:
    return Markup(
        '<details class="fs-why-other"><summary><span class="fs-why-who">{}</span> {}</summary>{}</details>'
    ).format(_who(each, names), each.said.claim, _body(detail, each))


def _body(detail: ItemDetail, each: Explanation) -> Markup:
    """What stands under a claim: the rest of it, the picture, and the numbers on demand."""
    if not each.measured:
        return Markup()
    rest = Markup('<p class="fs-why-rest">{}</p>').format(" ".join(each.said.rest)) if each.said.rest else Markup()
    draw_picture = quad_picture.html if detail.protocol == "quad" else choice_picture.html
    line = Markup("<tr><th scope='row'>{}</th><td>{}</td><td>{}</td><td>{}</td></tr>")
    rows = Markup().join(line.format(n.sign, n.name, n.value, n.meaning) for n in each.said.numbers)
    numbers = Markup(
        '<details class="fs-why-numbers"><summary>The numbers behind it</summary><div class="fs-scroll" tabindex="0" '
        'role="region" aria-label="the numbers behind the sentence"><table class="fs-table"><tbody>{}</tbody></table>'
        "</div></details>"
    ).format(rows)
    return rest + draw_picture(detail, each) + numbers


def _command(each: Explanation) -> Markup:
    if not each.said.command:
        return Markup()
    return Markup('<p class="fs-why-rest">This brings it: <code>{}</code></p>').format(hide(each.said.command))


def _lacking(lacking: Sequence[Explanation], names: Mapping[str, str]) -> list[Markup]:
    """Verdicts without a reason, those of one cause together, with the commands that bring one."""
    by_claim: dict[str, list[Explanation]] = {}
    for each in lacking:
        by_claim.setdefault(each.said.claim, []).append(each)
    found = []
    for claim, own in by_claim.items():
        who = Markup(", ").join(Markup("{} ({})").format(names[each.model], kind_name(each.kind)) for each in own)
        lines = Markup().join(
            Markup("<code>{}</code>").format(hide(each.said.command)) for each in own if each.said.command
        )
        commands = Markup("<details><summary>What brings it</summary>{}</details>").format(lines) if lines else Markup()
        found.append(Markup('<div class="fs-why-lacking"><p>{}: {}</p>{}</div>').format(who, _small(claim), commands))
    return found


def _small(claim: str) -> str:
    return claim[:1].lower() + claim[1:]
