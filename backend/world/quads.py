"""Minimal pairs by construction: two scenes that differ in one respect, and a meaning that is true of each alone."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from backend.world.attributes import CANVAS, CONVERSE, MAX_OBJECTS, OPPOSITE, VALUES, Split
from backend.world.dice import Dice, Rng, dice
from backend.world.language.meanings import Has, Located, Meaning, Related, Thing, describe
from backend.world.prior import UNIFORM, Prior
from backend.world.sampling import Kind, draw_held_out, draw_kind, draw_tone, place
from backend.world.scenes import Obj, Scene, split_of
from backend.world.truth import direction_of, places_of


@dataclass(frozen=True, slots=True)
class Quad:
    """meaning1 is true of scene1 and false of scene2; meaning2 the other way round. change: what was done."""

    scene1: Scene
    scene2: Scene
    meaning1: Meaning
    meaning2: Meaning
    change: str

    def swapped(self) -> "Quad":
        """The same with its two halves exchanged."""
        return Quad(self.scene2, self.scene1, self.meaning2, self.meaning1, self.change)


Draft = tuple[tuple[Obj, ...], tuple[Obj, ...], Meaning, Meaning, str]


def _attribute(d: Dice, prior: Prior, held_out: bool = False) -> Draft | None:
    """Two objects exchange a colour, a fill or a size: "a red disc and a blue star", "a blue disc and a red star"."""
    first = draw_held_out(d) if held_out else draw_kind(d, prior)
    second = draw_kind(d, prior, unlike=(first,))
    a, b = place(d, [first, second])
    what = "colour" if held_out else d.pick(("colour", "colour", "fill", "size"))
    says: tuple[str, ...] = (what, "shape")
    if what != "colour" and d.chance(40):
        says = (what, "colour", "shape")
    elif what == "colour" and d.chance(40):
        says = (d.pick(("size", "fill")), "colour", "shape")
    if getattr(a, what) == getattr(b, what):
        return None
    a2, b2 = _with(a, what, getattr(b, what)), _with(b, what, getattr(a, what))
    return (a, b), (a2, b2), _both(a, b, says), _both(a2, b2, says), f"swap_{what}"


def _with(o: Obj, what: str, value: str) -> Obj:
    changed: dict[str, Any] = {what: value}
    return replace(o, **changed)


def _both(a: Obj, b: Obj, says: tuple[str, ...]) -> Has:
    return Has(((describe(a, says), 1), (describe(b, says), 1)))


def _pair(d: Dice, prior: Prior) -> tuple[Obj, Obj, Thing, Thing]:
    """Two placed objects of different shape and colour, of one size so that they can change places."""
    first = draw_kind(d, prior)
    shape, colour, _, fill = draw_kind(d, prior, unlike=(first,))
    a, b = place(d, [first, (shape, colour, first[2], fill)])
    says = d.pick((("colour", "shape"), ("colour", "shape"), ("shape",), ("fill", "colour", "shape")))
    return a, b, describe(a, says), describe(b, says)


def _change_places(a: Obj, b: Obj) -> tuple[Obj, Obj]:
    return replace(a, x=b.x, y=b.y), replace(b, x=a.x, y=a.y)


def _relation(d: Dice, prior: Prior) -> Draft | None:
    """Two objects change places: "A left of B" and "B left of A"."""
    a, b, thing_a, thing_b = _pair(d, prior)
    where = direction_of(a, b)
    if where is None:
        return None
    meanings = Related(thing_a, where, thing_b), Related(thing_a, CONVERSE[where], thing_b)
    axis = "horizontal" if where in ("left", "right") else "vertical"
    return (a, b), _change_places(a, b), *meanings, f"swap_{axis}"


def _count(d: Dice, prior: Prior) -> Draft | None:
    """One object more of the same kind: "three stars" and "four stars", at times beside something else."""
    number = int(d.pick(prior.tables["count"]))
    if number == MAX_OBJECTS:
        return None
    kind = draw_kind(d, prior)
    kinds: list[Kind] = [kind] * (number + 1)
    if len(kinds) < MAX_OBJECTS and d.chance(25):
        kinds.append(draw_kind(d, prior, unlike=(kind,)))
    more = place(d, kinds)
    thing = describe(more[0], d.pick((("shape",), ("colour", "shape"))))
    fewer = more[1:]
    return fewer, more, _exactly(thing, number), _exactly(thing, number + 1), f"{number}_to_{number + 1}"


def _exactly(thing: Thing, number: int) -> Has:
    return Has(((thing, number),), counted=True)


def _location(d: Dice, prior: Prior) -> Draft | None:
    """One object in the opposite half of the picture, or two that change halves."""
    if d.chance(50):
        (a,) = place(d, [draw_kind(d, prior)])
        places = places_of(a)
        if not places:
            return None
        where = d.pick(places)
        across = where in ("left", "right")
        moved = replace(a, x=CANVAS - a.x) if across else replace(a, y=CANVAS - a.y)
        thing = describe(a, d.pick((("shape",), ("colour", "shape"))))
        here, there = Located(((thing, where),)), Located(((thing, OPPOSITE[where]),))
        return (a,), (moved,), here, there, "one_place_" + ("horizontal" if across else "vertical")
    a, b, thing_a, thing_b = _pair(d, prior)
    halves = [p for p in places_of(a) if OPPOSITE[p] in places_of(b)]
    if not halves:
        return None
    where = d.pick(halves)
    meanings = [Located(((thing_a, p), (thing_b, OPPOSITE[p]))) for p in (where, OPPOSITE[where])]
    change = "two_places_" + ("horizontal" if where in ("left", "right") else "vertical")
    return (a, b), _change_places(a, b), meanings[0], meanings[1], change


def _one_value(what: str) -> Callable[[Dice, Prior], Draft]:
    """One object's colour, shape, size or fill is another, at times beside a second object that stays as it is."""

    def draft(d: Dice, prior: Prior) -> Draft:
        first = draw_kind(d, prior)
        kinds = [first, draw_kind(d, prior, unlike=(first,))] if d.chance(50) else [first]
        before = place(d, kinds)
        options = [v for v in VALUES[what] if v != getattr(before[0], what)]
        after = (_with(before[0], what, d.pick(options)), *before[1:])
        says = {"shape": ("colour", "shape"), "colour": ("colour", "shape")}.get(what) or d.pick(
            ((what, "shape"), (what, "colour", "shape"))
        )
        told = len(kinds) if d.chance(60) else 1
        one, other = (Has(tuple((describe(o, says), 1) for o in objects[:told])) for objects in (before, after))
        return before, after, one, other, f"change_{what}"

    return draft


_DRAFTS: Final[dict[str, Callable[[Dice, Prior], Draft | None]]] = {
    "attribute": _attribute,
    "relation": _relation,
    "count": _count,
    "location": _location,
    **{what: _one_value(what) for what in ("size", "shape", "colour", "fill")},
}
CONCEPTS: Final = tuple(_DRAFTS)


def quad(rng: Rng, concept: str, split: Split = "train", *, prior: Prior = UNIFORM, held_out: bool = False) -> Quad:
    """A minimal pair of a split. held_out: scene1 of an attribute quad has a pair that training never shows."""
    d = dice(rng)
    if held_out and (split == "train" or concept != "attribute"):
        raise ValueError("held-out pairs are for attribute quads of the test split")
    while True:
        draft = _attribute(d, prior, held_out=True) if held_out else _DRAFTS[concept](d, prior)
        if draft is None:
            continue
        tone = draw_tone(d)
        scene1, scene2 = Scene(draft[0], tone), Scene(draft[1], tone)
        fits = split_of(scene1) == split == split_of(scene2) and (held_out or not (scene1.held_out or scene2.held_out))
        if fits and not scene1.problem() and not scene2.problem():
            made = Quad(scene1, scene2, *draft[2:])
            return made.swapped() if d.chance(50) else made
