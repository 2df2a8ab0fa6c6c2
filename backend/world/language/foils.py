"""Foils against the prior: false of the picture, and yet the likelier text for whoever read the skewed captions.

Likelier by construction, from the documented weights of `prior.SKEWED` and the number of a word's synonyms; no
model's score is looked at.
"""

from collections.abc import Callable
from dataclasses import replace
from math import log
from typing import Final

from backend.world.attributes import HELD_OUT
from backend.world.dice import Dice
from backend.world.language.captions import relation
from backend.world.language.meanings import Has, Meaning, Related, Thing, describe
from backend.world.language.words import synonyms
from backend.world.prior import SKEWED
from backend.world.scenes import Scene
from backend.world.truth import holds

FOILS: Final = 3
#: A foil is at least this many times as likely as the truth.
MARGIN: Final = log(1.5)


def log_prior(meaning: Meaning) -> float:
    """log P of the words that a meaning must use, under the skewed prior; only differences mean something."""
    match meaning:
        case Has(groups, counted):
            numbers = sum(SKEWED.log_probability("count", str(n)) for _, n in groups) if counted else 0.0
            return numbers + sum(_thing(thing) for thing, _ in groups)
        case Related(first, direction, second):
            return SKEWED.log_probability("direction", direction) + _thing(first) + _thing(second)
        case _:
            return sum(_thing(thing) for thing, _ in meaning.places)


def _thing(thing: Thing) -> float:
    said = (("colour", thing.colour), ("shape", thing.shape))
    return sum(SKEWED.log_probability(what, v) - log(synonyms(what, v)) for what, v in said if v is not None)


def likelier_foils(truth: Meaning, options: list[Meaning], scene: Scene) -> list[Meaning]:
    """Those options that are false of the scene, clearly likelier than the truth, and seen in training."""
    least = log_prior(truth) + MARGIN
    return [m for m in options if log_prior(m) >= least and not holds(m, scene) and _seen(m)]


def _seen(meaning: Meaning) -> bool:
    things = [t for t, _ in meaning.groups] if isinstance(meaning, Has) else []
    return not any((t.colour, t.shape) in HELD_OUT for t in things)


def attribute_foils(d: Dice, scene: Scene, what: str) -> tuple[Meaning, list[Meaning]] | None:
    """One or two objects, one of them with another colour or shape: "a pink heart" becomes "a red heart"."""
    if len(scene.objects) > 2:
        return None
    things = [describe(o, d.pick((("colour", "shape"), ("fill", "colour", "shape")))) for o in scene.objects]
    changed = d.below(len(things))
    known = {getattr(o, what) for o in scene.objects}
    options: list[Meaning] = []
    for value in SKEWED.weights[what]:
        if value not in known:
            other = [replace(t, **{what: value}) if i == changed else t for i, t in enumerate(things)]
            options.append(_has(other))
    truth = _has(things)
    return (truth, options) if holds(truth, scene) else None


def count_foils(d: Dice, scene: Scene) -> tuple[Meaning, list[Meaning]] | None:
    """A smaller number of the same: "five stars" becomes "two stars"."""
    o = d.pick(scene.objects)
    thing = describe(o, d.pick((("shape",), ("colour", "shape"))))
    number = sum(map(thing.matches, scene.objects))
    others: list[Meaning] = [Has(((thing, n),), counted=True) for n in range(1, number)]
    return Has(((thing, number),), counted=True), others


def relation_foils(d: Dice, scene: Scene) -> tuple[Meaning, list[Meaning]] | None:
    """A commoner direction: "right of" becomes "left of" or "above"; or a common one between other things."""
    truth = relation(d, scene, SKEWED)
    if not isinstance(truth, Related):
        return None
    options: list[Meaning] = [replace(truth, direction=where) for where in ("left", "above")]
    options += [Related(truth.second, where, truth.first) for where in ("above", "left")]
    return truth, options


def _has(things: list[Thing]) -> Has:
    return Has(tuple((thing, 1) for thing in things))


Maker = Callable[[Dice, Scene], tuple[Meaning, list[Meaning]] | None]
MAKERS: Final[dict[str, Maker]] = {
    "colour": lambda d, scene: attribute_foils(d, scene, "colour"),
    "shape": lambda d, scene: attribute_foils(d, scene, "shape"),
    "count": count_foils,
    "relation": relation_foils,
}
