"""What a caption may become by one edit: every edit that our rules can make of it, grouped by what they change.

A foil is a caption that says something else; the edits that keep the meaning are offered beside them, apart. Nothing is
drawn: the same caption always has the same proposals, in the same order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from backend.perturb import get, objects
from backend.perturb.base import Edit, Effect
from backend.perturb.every import every

#: Groups as a page names them, and the rules that make them. Other nouns come from `objects`.
CHANGING: Final[dict[str, tuple[str, ...]]] = {
    "swap": ("swap_attributes",), "relation": ("negative_spatial",), "count": ("number",),
    "colour": ("negative_colour",), "size": ("negative_size",), "material": ("negative_material",),
    "state": ("negative_state",), "action": ("negative_action",), "object": (), "negation": ("negation",),
    "plurality": ("plurality",),
}  # fmt: skip
PRESERVING: Final[dict[str, tuple[str, ...]]] = {
    "synonym": ("synonym_noun", "synonym_adjective"), "typing slip": ("character_swap", "missing_character"),
    "empty words": ("distraction",),
}  # fmt: skip
#: Proposals of one group at most.
MOST: Final = 60
#: Captions longer than this are offered nothing: one edit of many words says little, and there would be hundreds.
LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Proposal:
    """One edit of a caption: the group it belongs to, and whether the caption still says what it said."""

    group: str
    effect: Effect
    edit: Edit


@lru_cache(maxsize=512)
def proposals(text: str) -> tuple[Proposal, ...]:
    """Every proposal for a caption; of two rules that make the same caption the first one's.

    >>> [p.edit.text for p in proposals("a red cube") if p.group == "colour"][:2]
    ['a blue cube', 'a green cube']
    """
    if len(text) > LONGEST:
        return ()
    found: dict[str, Proposal] = {}
    for effect, groups in ((Effect.CHANGING, CHANGING), (Effect.PRESERVING, PRESERVING)):
        for group, names in groups.items():
            made = objects.edits(text) if group == "object" else [e for name in names for e in every(name, text, MOST)]
            for edit in made[:MOST]:
                found.setdefault(edit.text, Proposal(group, effect, edit))
    return tuple(found.values())


def at(text: str, start: int, end: int) -> list[Proposal]:
    """The proposals that change something inside [start, end) of the caption: what a word there may become."""
    return [each for each in proposals(text) if any(a < end and start < max(b, a + 1) for a, b in each.edit.before)]


def foils(text: str, each: int = 3, without: Iterable[str] = ()) -> dict[str, list[Proposal]]:
    """The captions to set against this one, by group: at most `each` of a group, its places in turn; none of those
    that are there already (`without`).

    >>> [p.edit.text for p in foils("a red circle and a blue star")["swap"]]
    ['a blue circle and a red star']
    """
    known = {text, *without}
    found: dict[str, list[Proposal]] = {}
    for group in CHANGING:
        own = [p for p in proposals(text) if p.group == group and p.effect is Effect.CHANGING]
        kept = [p for p in _in_turn(own) if p.edit.text not in known][:each]
        if kept:
            found[group] = kept
    return found


def _in_turn(own: Sequence[Proposal]) -> list[Proposal]:
    """First one of each place, then the second ones, …"""
    places: dict[tuple[tuple[int, int], ...], list[Proposal]] = {}
    for proposal in own:
        places.setdefault(proposal.edit.before[-1:], []).append(proposal)
    return [p for row in zip_longest(*places.values()) for p in row if p is not None]


def effect_of(before: str, after: str) -> Effect | None:
    """Whether a caption that is one proposed edit away says the same; None for any other caption."""
    return next((p.effect for p in proposals(before) if p.edit.text == after), None)


def what_of(name: str) -> str:
    """What a rule does, in one line."""
    return get(name).what
