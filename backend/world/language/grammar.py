"""From a meaning to a caption: many wordings, all true of the same scenes, at most 22 words each."""

from typing import Final

from backend.world.attributes import CONVERSE
from backend.world.dice import Dice, Rng, dice, seeded
from backend.world.language.meanings import Has, Located, Meaning, Related
from backend.world.language.words import MAX_WORDS, phrase

_DIRECTIONS: Final = {
    "left": ("left of", "to the left of", "on the left of", "on the left side of"),
    "right": ("right of", "to the right of", "on the right of", "on the right side of"),
    "above": ("above", "over"),
    "below": ("below", "under"),
}
_PLACES: Final = {
    "left": ("on the left", "to the left", "at the left", "on the left side", "in the left half"),
    "right": ("on the right", "to the right", "at the right", "on the right side", "in the right half"),
    "top": ("at the top", "on the top", "in the upper half"),
    "bottom": ("at the bottom", "on the bottom", "in the lower half"),
}
#: Frames for what is shown: {x} what, {is} "is" or "are".
_FRAMES: Final = (
    "{x}", "{x}", "there {is} {x}", "a picture of {x}", "an image of {x}", "this picture shows {x}",
    "the image contains {x}", "here {is} {x}", "we see {x}", "the scene has {x}", "{x} can be seen", "it shows {x}",
)  # fmt: skip
_RELATIONS: Final = (
    "{a} {to} {b}",
    "{a} is {to} {b}",
    "there is {a} {to} {b}",
    "{to} {b} is {a}",
    "we see {a} {to} {b}",
)
_LOCATED: Final = ("{x}", "there is {x}", "a picture with {x}", "we see {x}")
_TRIES: Final = 4


def say(rng: Rng, meaning: Meaning, *, converse: bool | None = None, frame: bool = True) -> str:
    """One caption for the meaning.

    converse: whether "A left of B" is said as "B right of A"; None leaves it to chance.
    frame: False leaves out "a picture of", "there is" and the like.
    """
    d = dice(rng)
    for attempt in range(_TRIES):
        caption = _say(d, meaning, converse, frame and attempt + 1 < _TRIES, attempt > 1)
        if len(caption.split()) <= MAX_WORDS:
            return caption
    raise ValueError(f"no caption of {MAX_WORDS} words says {meaning}")


def say_alike(rng: Rng, *meanings: Meaning, converse: bool | None = None) -> tuple[str, ...]:
    """One caption for each meaning, in the same wording: they differ only where the meanings do."""
    d = dice(rng)
    for attempt in range(_TRIES):
        seed, short = d.below(2**31), attempt + 1 == _TRIES
        captions = tuple(_say(seeded(seed), meaning, converse, not short, short) for meaning in meanings)
        if max(len(caption.split()) for caption in captions) <= MAX_WORDS:
            return captions
    raise ValueError(f"no captions of {MAX_WORDS} words say {meanings} alike")


def paraphrases(rng: Rng, meaning: Meaning, n: int, *, tries: int = 60) -> list[str]:
    """Up to n different captions for one meaning, in the order found."""
    d = dice(rng)
    found: dict[str, None] = {}
    for _ in range(tries):
        found[say(d, meaning)] = None
        if len(found) == n:
            break
    return list(found)


def _say(d: Dice, meaning: Meaning, converse: bool | None, frame: bool, short: bool) -> str:
    match meaning:
        case Has():
            return _has(d, meaning, frame, short)
        case Related(first, direction, second):
            if d.chance(50) if converse is None else converse:
                first, direction, second = second, CONVERSE[direction], first
            to = d.pick(_DIRECTIONS[direction][:1] if short else _DIRECTIONS[direction])
            a, b = phrase(d, first, plain_style=short), phrase(d, second, plain_style=short)
            return (d.pick(_RELATIONS) if frame else "{a} {to} {b}").format(a=a, b=b, to=to)
        case Located():
            return _located(d, meaning, frame, short)


def _has(d: Dice, meaning: Has, frame: bool, short: bool) -> str:
    groups = list(meaning.groups)
    d.shuffle(groups)
    phrases = [phrase(d, thing, n, counted=meaning.counted, plain_style=short) for thing, n in groups]
    joint = " with " if len(phrases) == 2 and d.chance(15) else " and "
    verb = "are" if groups[0][1] > 1 else "is"
    return (d.pick(_FRAMES) if frame else "{x}").format(x=joint.join(phrases), **{"is": verb})


def _located(d: Dice, meaning: Located, frame: bool, short: bool) -> str:
    places = list(meaning.places)
    d.shuffle(places)
    inverted = frame and d.chance(20)
    parts = []
    for thing, where in places:
        x, at = phrase(d, thing, plain_style=short), d.pick(_PLACES[where][:1] if short else _PLACES[where])
        parts.append(f"{at} is {x}" if inverted else f"{x} {at}")
    joined = " and ".join(parts)
    return d.pick(_LOCATED).format(x=joined) if frame and not inverted else joined
