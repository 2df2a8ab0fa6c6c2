"""What there is to say about a scene, by kind of caption, and (scene, caption) examples for training."""

from collections.abc import Callable
from typing import Final

from backend.world.attributes import MAX_OBJECTS, Split
from backend.world.dice import Dice, Rng, dice
from backend.world.language.grammar import say
from backend.world.language.meanings import FULL_LEVEL, LEVELS, Has, Located, Meaning, Related, Thing, describe
from backend.world.prior import UNIFORM, Prior
from backend.world.sampling import draw_kind, draw_tone, place, sample
from backend.world.scenes import Obj, Scene, split_of
from backend.world.truth import direction_of, only, places_of

_WORDS_FOR_LEVEL: Final = 17


def whole(d: Dice, scene: Scene, levels: tuple[tuple[str, ...], ...] = LEVELS) -> Meaning:
    """Every object of the scene, all described at one of the levels of detail (one of them must fit five objects)."""
    room = _WORDS_FOR_LEVEL // len(scene.objects)
    while True:
        level = d.pick(levels)
        groups: dict[Thing, int] = {}
        for o in scene.objects:
            thing = describe(o, level)
            groups[thing] = groups.get(thing, 0) + 1
        if len(groups) * (len(level) + 2) <= _WORDS_FOR_LEVEL + 2 or len(level) + 1 <= room:
            return Has(tuple(groups.items()))


def count(d: Dice, scene: Scene) -> Meaning:
    """How many objects of some shape, some colour and shape, some colour, or at all there are."""
    o = d.pick(scene.objects)
    level = d.pick((("shape",), ("colour", "shape"), ("shape",), ("colour", "shape"), ("colour",), ()))
    thing = describe(o, level)
    return Has(((thing, sum(map(thing.matches, scene.objects))),), counted=True)


def binding(d: Dice, scene: Scene) -> Meaning | None:
    """Two objects with what distinguishes them, each described as no other object is."""
    pair = _two(d, scene)
    return pair and Has(((pair[0][1], 1), (pair[1][1], 1)))


def relation(d: Dice, scene: Scene, prior: Prior = UNIFORM) -> Meaning | None:
    """Where one object is, seen from another; which of the two comes first follows the prior of the directions."""
    pair = _two(d, scene)
    if pair is None:
        return None
    (a, thing_a), (b, thing_b) = pair
    towards, back = direction_of(a, b), direction_of(b, a)
    if towards is None or back is None:
        return None
    weights = prior.weights["direction"]
    if d.below(weights[towards] + weights[back]) < weights[towards]:
        return Related(thing_a, towards, thing_b)
    return Related(thing_b, back, thing_a)


def one_place(d: Dice, scene: Scene) -> Meaning | None:
    """Where in the picture one object is."""
    o = d.pick(scene.objects)
    thing, places = unique(d, o, scene), places_of(o)
    return Located(((thing, d.pick(places)),)) if thing and places else None


def two_places(d: Dice, scene: Scene) -> Meaning | None:
    """Where in the picture two objects are."""
    pair = _two(d, scene)
    places = [places_of(o) for o, _ in pair or ()]
    if not pair or not all(places):
        return None
    return Located(tuple((thing, d.pick(p)) for (_, thing), p in zip(pair, places, strict=True)))


def size(d: Dice, scene: Scene) -> Meaning:
    """How big one kind of object is."""
    o = d.pick(scene.objects)
    thing = describe(o, d.pick((("size", "shape"), ("size", "colour", "shape"))))
    return Has(((thing, sum(map(thing.matches, scene.objects))),))


def unique(d: Dice, o: Obj, scene: Scene) -> Thing | None:
    """A description that fits this object only; None where it has a twin."""
    for level in (d.pick(LEVELS), ("colour", "shape"), FULL_LEVEL):
        thing = describe(o, level)
        if only(thing, scene):
            return thing
    return None


def _two(d: Dice, scene: Scene) -> tuple[tuple[Obj, Thing], tuple[Obj, Thing]] | None:
    if len(scene.objects) < 2:
        return None
    i, j = d.below(len(scene.objects)), d.below(len(scene.objects) - 1)
    a, b = scene.objects[i], scene.objects[j + (j >= i)]
    level = d.pick(LEVELS)
    for says in (level, FULL_LEVEL):
        first, second = describe(a, says), describe(b, says)
        if only(first, scene) and only(second, scene):
            return (a, first), (b, second)
    return None


_MEANINGS: Final[dict[str, Callable[[Dice, Scene, Prior], Meaning | None]]] = {
    "whole": lambda d, scene, _: whole(d, scene),
    "binding": lambda d, scene, _: binding(d, scene),
    "relation": relation,
    "count": lambda d, scene, _: count(d, scene),
    "one_place": lambda d, scene, _: one_place(d, scene),
    "two_places": lambda d, scene, _: two_places(d, scene),
    "size": lambda d, scene, _: size(d, scene),
}
KINDS: Final = tuple(_MEANINGS)


def meaning_of(rng: Rng, scene: Scene, kind: str, *, prior: Prior = UNIFORM) -> Meaning | None:
    """Something true of that kind; None where the scene offers nothing of the kind (a relation of one object)."""
    return _MEANINGS[kind](dice(rng), scene, prior)


def caption(rng: Rng, scene: Scene, kind: str = "whole", *, prior: Prior = UNIFORM) -> str | None:
    """A true caption of that kind, or None where the scene offers nothing of the kind.

    Relation words follow the prior: under a skewed one nothing is turned round to its converse.
    """
    d = dice(rng)
    meaning = meaning_of(d, scene, kind, prior=prior)
    return say(d, meaning, converse=None if prior is UNIFORM else False) if meaning else None


def example(rng: Rng, kind: str, split: Split = "train", *, prior: Prior = UNIFORM) -> tuple[Scene, str]:
    """A fresh scene that suits the kind of caption, and its caption: what one training pair is."""
    d = dice(rng)
    while True:
        scene = scene_for(d, kind, split, prior=prior)
        text = caption(d, scene, kind, prior=prior)
        if text:
            return scene, text


def scene_for(rng: Rng, kind: str, split: Split = "train", *, prior: Prior = UNIFORM) -> Scene:
    """A scene for a kind of caption: alike objects for counts, one object for one place, mostly two for pairs."""
    d = dice(rng)
    if kind == "count":
        return _alike(d, split, prior)
    if kind == "one_place":
        return sample(d, split, 1, prior=prior)
    if kind in ("binding", "relation", "two_places"):
        return sample(d, split, 2 if d.chance(75) else 3, prior=prior)
    return sample(d, split, prior=prior)


def _alike(d: Dice, split: Split, prior: Prior) -> Scene:
    """So many objects of one shape and colour, at times with one of another kind beside them."""
    while True:
        number = int(d.pick(prior.tables["count"]))
        kind = draw_kind(d, prior)
        kinds = [kind] * number
        if number < MAX_OBJECTS and d.chance(30):
            kinds.append(draw_kind(d, prior, unlike=(kind,)))
        scene = Scene(place(d, kinds), draw_tone(d))
        if split_of(scene) == split:
            return scene
