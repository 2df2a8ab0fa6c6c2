"""Does an edited caption still say what it said, and is it true of the picture? As far as somebody knows.

The grammar of the drawn world reads its own captions, so there both is known for certain. Elsewhere the perturbations
know it of the edits that they propose; of a word that somebody typed nobody does.
"""

from collections.abc import Sequence

from backend.errors import FlipsideError
from backend.perturb import foils
from backend.perturb.base import Effect
from backend.world.fitting import is_scene, said
from backend.world.language.meanings import Has, Located, Meaning
from backend.world.scenes import Scene
from backend.world.truth import holds

#: What a page knows of an edit: an Effect's value, or that nobody knows.
UNKNOWN = "unknown"


def effect(before: str, after: str) -> str:
    """An Effect's value where it is known, else `UNKNOWN`.

    >>> effect("a red circle", "a red disc"), effect("a red circle", "a blue circle"), effect("a dog", "a hound")
    ('meaning-preserving', 'meaning-changing', 'unknown')
    """
    one, other = said(before), said(after)
    if one is not None and other is not None:
        return str(Effect.PRESERVING if _parts(one) == _parts(other) else Effect.CHANGING)
    known = foils.effect_of(before, after)
    return str(known) if known else UNKNOWN


def _parts(meaning: Meaning) -> object:
    """The same for meanings that list the same things in another order."""
    match meaning:
        case Has(groups):
            return frozenset((thing, number, groups.count((thing, number))) for thing, number in groups)
        case Located(places):
            return frozenset(places)
        case _:
            return meaning


def together(effects: Sequence[str]) -> str:
    """What is known of several edits at once: unknown where one is, else changing where one is."""
    if UNKNOWN in effects:
        return UNKNOWN
    return str(Effect.CHANGING if str(Effect.CHANGING) in effects else Effect.PRESERVING)


def true_of(image_key: str, text: str) -> bool | None:
    """Whether a caption is true of a scene of the drawn world; None for other pictures and other wordings.

    >>> true_of("world:2.crbpKO.sbbpig", "a red circle and a blue star"), true_of("world:2.crbpKO.sbbpig", "a dog")
    (True, None)
    """
    meaning = said(text)
    if meaning is None or not is_scene(image_key):
        return None
    try:
        return holds(meaning, Scene.decode(image_key))
    except FlipsideError:
        return None
