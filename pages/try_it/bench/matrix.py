"""Captions whose words can be changed, foils by one click, models × captions as one matrix: the component's data."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from backend.items import Protocol
from backend.live.playing import meaning
from backend.live.playing.play import Play
from backend.live.playing.recipes import Kept
from backend.live.scoring import captions, judging
from backend.live.scoring.word_left_out import words
from backend.perturb import foils
from backend.perturb.base import Effect
from backend.perturb.choices import put
from backend.perturb.foils import Proposal
from backend.world.language.words import other_words
from pages.shared.drawing import colours, component
from pages.shared.frame.tips import margin_unit
from pages.try_it.bench import hand, view
from pages.try_it.bench import rows as rows_of
from pages.try_it.bench.hand import Base
from pages.try_it.bench.rows import Row, Seen
from pages.try_it.bench.why import Reason
from pages.try_it.state import Picture

KEY = "try-bench"
#: Replacements of a word that are offered, and of slips in typing, which hardly differ from each other.
MOST, SLIPS = 14, 2
NO_REASON = "Reasons are not measured: they compare a drawn scene with 16 others."

_component = component.load(
    "flipside_bench", Path(__file__).with_name("bench.js"), html='<div class="fs-bench"></div>', isolate_styles=False
)


def data(
    shown: Sequence[Picture], base: Base, play: Play, rows: Sequence[Row], seen: Seen,
    why: Mapping[str, Reason], kept: Kept, *, follows: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """All that is drawn. rows: empty while nothing is scored; why: by row key; kept: the recipes of the experiment;
    follows: reasons are not there yet."""
    _, texts, layout = base
    edited = play.changed(texts)
    reach = hand.reaches(base, rows_of.reaches(rows), edited=edited)
    names = colours.labels([row.scores.spec for row in rows])
    several = {spec for spec in names if len([row for row in rows if row.scores.spec == spec]) > 1}
    return {
        "captions": [
            _caption(texts, play, j, _role(role, layout, seen, play, texts, j))
            for j, role in enumerate(judging.roles(layout, len(texts)))
        ],
        "images": len(shown), "edited": edited, "foils": proposed(texts, layout, len(shown)),
        "longest": captions.MAX_CHARACTERS,
        "quad": layout == Protocol.QUAD, "verdicts": layout != judging.GRID and len(texts) > 1,
        "rows": [
            view.row_view(
                row, seen, reach[row.kind], names[row.scores.spec], why.get(f"{row.scores.spec}|{row.kind}"),
                kept.get(row.who, {}), edited=edited,
            )
            | {"several": row.scores.spec in several}
            for row in rows
        ],
        "note": ""
        if not rows
        else f"Bars: lead over the strongest rival; half a bar is {_listed(reach)}"
        + (f"{_scale(rows, reach)}. Outlined: before." if edited else ".")
        + _legend(kept, rows)
        + ("" if edited or why or follows or layout in (Protocol.QUAD, judging.GRID) else f" {NO_REASON}"),
    }  # fmt: skip


def _scale(rows: Sequence[Row], reach: Mapping[str, float]) -> str:
    """How the scale of an edit stands to that of the start, where it is another."""
    start = rows_of.reaches([replace(row, now=row.base) for row in rows])
    smaller = {kind: start[kind] for kind in reach if kind in start and start[kind] < reach[kind]}
    if not smaller:
        return ", as at the start and for every edit of these captions so far"
    return f", the same for every edit of these captions so far; at the start it is {_listed(smaller)}"


def _legend(kept: Kept, rows: Sequence[Row]) -> str:
    """What the signs on the chips of edits found so far mean; "" where there are none."""
    kinds = {kind for row in rows for kind in kept.get(row.who, {})}
    named = [f"{sign} by {what}" for kind, (sign, what) in view.RECIPES.items() if kind in kinds]
    return f" ⇄ turns the answer: {', '.join(named)}." if named else ""


def _listed(reach: Mapping[str, float]) -> str:
    return ", ".join(f"{size:g} {view.UNITS.get(margin_unit(kind), margin_unit(kind))}" for kind, size in reach.items())


def proposed(texts: Sequence[str], layout: str, n_images: int) -> list[dict[str, Any]]:
    """Foils for the first caption, by group; none where one more caption would end a quad or a triplet."""
    if not n_images or layout in (Protocol.QUAD, Protocol.TRIPLET) or len(texts) >= captions.MAX_CAPTIONS:
        return []
    few = 3 if len(texts) == 1 else 2
    return [
        {"group": group, "chips": [{"text": p.edit.text, "what": p.edit.what} for p in own]}
        for group, own in foils.foils(texts[0], few, texts).items()
    ]


def _role(role: str, layout: str, seen: Seen, play: Play, base: Sequence[str], j: int) -> str:
    """What a caption is called as it is now: an edit may make a true one false, or a foil true, or nobody knows."""
    if layout not in (Protocol.CHOICE, Protocol.TRIPLET):
        return role
    known = seen.marks[0][j] if seen.marks else None
    changed = play.texts[j] != base[j] and play.effect_on(base, j) != Effect.PRESERVING
    if known is None:
        return "truth unknown" if changed else role
    if known == ((0, j) in judging.truth(layout)):
        return role
    return f"{'now' if changed else 'in fact'} {str(known).lower()}"


def _caption(base: Sequence[str], play: Play, j: int, role: str) -> dict[str, Any]:
    text, edited = play.texts[j], play.texts[j] != base[j]
    others = {other for k, other in enumerate(play.texts) if k != j}
    return {
        "role": role, "text": text, "was": base[j], "edited": edited,
        "effect": _effect(play.effect_on(base, j)) if edited else "",
        "words": [
            {"start": word.start, "end": word.end, "options": options(text, word.start, word.end, others)}
            for word in words(text)
        ],
    }  # fmt: skip


def _effect(effect: str) -> str:
    return {
        str(Effect.PRESERVING): "same meaning", str(Effect.CHANGING): "other meaning",
        meaning.UNKNOWN: "your own, meaning unknown",
    }[effect]  # fmt: skip


def options(text: str, start: int, end: int, others: Collection[str] = ()) -> list[dict[str, Any]]:
    """What the word at [start, end) may become: label, the whole caption then, and whether it keeps the meaning. First
    the drawn world's own synonyms, where the caption is one of its and they say the same there. others: the captions
    beside it, which none may become: of two that are the same nobody can choose."""
    found: list[dict[str, Any]] = []
    for other in other_words(text[start:end]):
        edit = put(text, start, end, other)
        if edit and edit.text not in others and meaning.effect(text, edit.text) == Effect.PRESERVING:
            found.append({"label": other, "text": edit.text, "group": "synonym", "same": True})
    known = {each["text"] for each in found} | {*others}
    slips = 0
    for proposal in foils.at(text, start, end):
        slips += proposal.group == "typing slip"
        if len(found) == MOST or (proposal.group == "typing slip" and slips > SLIPS) or proposal.edit.text in known:
            continue
        found.append({
            "label": _label(proposal, start, end), "text": proposal.edit.text, "group": proposal.group,
            "same": meaning.effect(text, proposal.edit.text) == Effect.PRESERVING,
        })  # fmt: skip
    return found


def _label(proposal: Proposal, start: int, end: int) -> str:
    """The new word alone where nothing but this word changes (and an article), else what is done."""
    old, arrow, new = proposal.edit.what.partition(" → ")
    alone = arrow and len(old.split()) == 1 and any(a <= start and end <= b for a, b in proposal.edit.before)
    return new if alone or (arrow and proposal.group == "typing slip") else proposal.edit.what


def draw(what: dict[str, Any], did: Callable[[], None]) -> None:
    """The component. did: called with what was clicked in the session, under `KEY`, as `did`."""
    _component(data=what, key=KEY, on_did_change=did)
