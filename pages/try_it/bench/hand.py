"""What one does at the bench: the edits of this session, what a click changes in them, and their place in the address.

A browser's message is a stranger's: each part of it is looked at before it is used, and what is no such thing does
nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from backend.errors import FlipsideError
from backend.live.playing import covering, meaning
from backend.live.playing.covering import Box
from backend.live.playing.play import Play
from backend.live.playing.recipes import Kept
from backend.live.scoring import captions, judging
from backend.perturb.base import Effect
from backend.perturb.choices import put
from backend.protocols import Protocol
from pages.shared.drawing.numbers import shortened

#: Experiments of this session whose recipes are kept.
MOST: Final = 30
_SAYABLE: Final = (str(Effect.PRESERVING), str(Effect.CHANGING))
#: What an experiment is known by: entries of its pictures, captions, layout.
Base = tuple[tuple[str, ...], tuple[str, ...], str]


class Retyped(NamedTuple):
    """Other captions for the experiment itself, and how they are judged from now on ("": as before)."""

    texts: tuple[str, ...]
    layout: str = ""


def forget() -> None:
    """No edit and no cover: another experiment begins."""
    st.session_state.try_play = {"texts": None, "covers": {}, "told": {}}


def link(now: Sequence[str], covers: Sequence[str]) -> None:
    """Take over what an address says of edits (`now`, all captions) and covers (`2:10,20,60,80`, counted from 1)."""
    forget()
    play = st.session_state.try_play
    play["texts"], play["linked"], play["left_out"] = list(now) or None, True, []
    for said in covers:
        number, _, ends = said.partition(":")
        try:
            play["covers"][int(number) - 1] = [int(end) for end in ends.split(",")]
        except ValueError:
            play["left_out"].append(f"cover={shortened(said)}, where cover=1:left,top,right,bottom was expected")


def left_out() -> list[str]:
    """What the link that was followed last says of edits and covers that could not be taken over, and why."""
    return list(st.session_state.try_play.get("left_out", ()))


def as_address(base: Sequence[str]) -> dict[str, str | list[str]]:
    """The keys of the address that hold edits and covers; empty where there are none."""
    play = st.session_state.try_play
    fits = play.get("of", list(base)) == list(base)
    texts = play["texts"] if fits and play["texts"] and list(play["texts"]) != list(base) else []
    covers = [f"{i + 1}:{','.join(map(str, box))}" for i, box in sorted(play["covers"].items())]
    return {"now": list(texts), "cover": covers}


def play(base: Sequence[str], sizes: Sequence[tuple[int, int]]) -> Play:
    """The edited experiment. What does not fit it any more, other captions or another picture say, is dropped."""
    held = st.session_state.try_play
    texts, odd = held["texts"], []
    if held.setdefault("of", list(base)) != list(
        base
    ):  # other captions were typed since: they are scored as they stand
        texts = None
    try:
        if texts and len(texts) != len(base):
            odd.append(f"now= {len(texts)} times, where there are {len(base)} captions")
            texts = None
        texts = captions.check(texts) if texts else tuple(base)
    except FlipsideError as error:
        odd.append(f"an edit ({str(error).rstrip('.')})")
        texts = tuple(base)
    covers, unfit = covered(sizes)
    odd += unfit
    if held.pop("linked", False):  # what one does oneself later, to a picture say, takes its cover along without a word
        held["left_out"] += odd
    told = {j: said for j, said in held["told"].items() if j < len(base) and texts[j] != base[j]}
    held.update(texts=list(texts) if texts != tuple(base) else None, covers=covers, told=told, of=list(base))
    return Play(texts, covers, told)


def covered(sizes: Sequence[tuple[int, int]]) -> tuple[dict[int, Box], list[str]]:
    """The covers that fit pictures of these sizes, by picture, and why others do not."""
    covers, odd = dict[int, Box](), []
    for i, box in st.session_state.try_play["covers"].items():
        try:
            if 0 <= i < len(sizes):
                covers[i] = covering.fitted(box, sizes[i])
            else:
                odd.append(f"a cover of picture {i + 1}, where there {'is' if len(sizes) == 1 else 'are'} {len(sizes)}")
        except FlipsideError as error:
            odd.append(f"a cover of picture {i + 1} ({str(error).rstrip('.')})")
    return covers, odd


def recipes(base: Base) -> Kept:
    """The recipes of one experiment in this session, to be read and added to."""
    kept: dict[Base, Kept] = st.session_state.setdefault("try_recipes", {})
    found = kept.pop(base, {})
    kept[base] = found
    while len(kept) > MOST:
        kept.pop(next(iter(kept)))
    return found


def reaches(base: Base, now: Mapping[str, float], *, edited: bool) -> dict[str, float]:
    """What half a bar stands for, by kind. Edits of one experiment: never less than for an edit before, so that bars of
    two edits can be compared. The unedited experiment always has its own, so that it looks as it did."""
    if not edited:
        return dict(now)
    held: tuple[Base, dict[str, float]] | None = st.session_state.get("try_reach")
    before = held[1] if held and held[0] == base else {}
    found = {kind: max(size, before.get(kind, 0.0)) for kind, size in now.items()}
    st.session_state.try_reach = (base, {**before, **found})
    return found


def did(sent: object, base: Base) -> Retyped | None:
    """Do what the browser asks for; the captions of another experiment where it is one now, not only its edits."""
    if not isinstance(sent, Mapping) or (act := _ACTS.get(str(sent.get("do")))) is None:
        return None
    st.session_state.try_live = True
    return act(sent, base)


def _texts(base: Base) -> list[str]:
    held = st.session_state.try_play["texts"]
    return list(held) if held and len(held) == len(base[1]) else list(base[1])


def _number(sent: Mapping[str, Any], name: str, below: int) -> int | None:
    found = sent.get(name)
    return int(found) if isinstance(found, int | float) and 0 <= found < below else None


def _word(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """A caption as a proposal has it: {"caption", "text"}."""
    j, text = _number(sent, "caption", len(base[1])), sent.get("text")
    if j is None or not isinstance(text, str):
        return None
    if meaning.effect(base[1][j], text) != meaning.UNKNOWN:  # known of all steps at once
        _write(base, j, text, "")
        return None
    before, held = _texts(base)[j], st.session_state.try_play
    steps = [meaning.effect(before, text)]
    if before != base[1][j]:  # a step after others: what all of them do is known where each of them is
        known = meaning.effect(base[1][j], before)
        steps.append(held["told"].get(j, meaning.UNKNOWN) if known == meaning.UNKNOWN else known)
    whole = meaning.together(steps)
    _write(base, j, text, "" if whole == meaning.UNKNOWN else whole)
    return None


def _typed(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """A word of one's own: {"caption", "start", "end", "new", "told"}; an article before it is put right."""
    texts = _texts(base)
    j, new, said = _number(sent, "caption", len(texts)), sent.get("new"), str(sent.get("told") or "")
    if j is None or not isinstance(new, str):
        return None
    start, end = (_number(sent, name, len(texts[j]) + 1) for name in ("start", "end"))
    if start is None or end is None or not start < end:
        return None
    new = captions.clean(new)
    edit = put(texts[j], start, end, new) if new else None
    text = edit.text if edit else f"{texts[j][:start]}{new}{texts[j][end:]}"
    _write(base, j, text, said if said in _SAYABLE else "")
    return None


def _write(base: Base, j: int, text: str, said: str) -> None:
    texts = _texts(base)
    try:
        (texts[j],) = captions.check([text])
    except FlipsideError:
        return
    held = st.session_state.try_play
    held["texts"], held["of"] = texts, list(base[1])
    held["told"] = {**held["told"], j: said} if said else {k: v for k, v in held["told"].items() if k != j}


def _cover(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """A box on a picture: {"image", "box"}."""
    i, box = _number(sent, "image", len(base[0])), sent.get("box")
    if i is not None and isinstance(box, Sequence) and not isinstance(box, str) and len(box) == 4:
        st.session_state.try_play["covers"][i] = list(box)
    return None


def _uncover(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    i = _number(sent, "image", len(base[0]))
    st.session_state.try_play["covers"].pop(i, None)
    return None


def _back(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """All as it was, or one caption: {"caption"}."""
    j = _number(sent, "caption", len(base[1]))
    if j is None:
        forget()
    else:
        _write(base, j, base[1][j], "")
    return None


def _replay(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """A recipe: {"row": "spec|kind", "kind"}."""
    spec, _, kind = str(sent.get("row")).rpartition("|")
    found = recipes(base).get((spec, kind), {}).get(str(sent.get("kind")))
    if found:
        st.session_state.try_play = {
            "texts": list(found.texts), "covers": dict(found.covers), "told": dict(found.told),
        }  # fmt: skip
    return None


def _foil(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """One more caption: {"text"}. With it there is something to choose between; which of several pictures the first
    caption belongs to was never said, so with them nothing is called true."""
    text = sent.get("text")
    if not isinstance(text, str) or len(base[1]) >= captions.MAX_CAPTIONS:
        return None
    try:
        texts = captions.check([*base[1], text])
    except FlipsideError:
        return None
    if len(set(texts)) < len(texts):
        return None
    if len(base[0]) > 1:
        return Retyped(texts, judging.GRID)
    return Retyped(texts, "" if base[2] == judging.GRID else str(Protocol.CHOICE))


def _drop(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """One caption less: {"caption"}."""
    j = _number(sent, "caption", len(base[1]))
    if j is None or len(base[1]) < 2:
        return None
    forget()
    return Retyped(tuple(text for k, text in enumerate(base[1]) if k != j))


def _keep(sent: Mapping[str, Any], base: Base) -> Retyped | None:
    """The edited captions are the experiment from now on; covers stay covers."""
    del sent
    texts = _texts(base)
    st.session_state.try_play.update(texts=None, told={})
    return Retyped(tuple(texts))


_ACTS: Final = {
    "word": _word, "typed": _typed, "cover": _cover, "uncover": _uncover, "back": _back, "replay": _replay,
    "foil": _foil, "drop": _drop, "keep": _keep,
}  # fmt: skip
