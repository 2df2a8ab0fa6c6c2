"""Whether a meaning is true of a scene, with margins on directions and places: no picture is a matter of taste."""

from typing import Final

from backend.world.attributes import CANVAS
from backend.world.language.meanings import Has, Located, Meaning, Related, Thing
from backend.world.scenes import Obj, Scene

#: Pixels that an object must be off, on the axis that matters.
DIRECTION_MARGIN: Final = 32
PLACE_MARGIN: Final = 28


def holds(meaning: Meaning, scene: Scene) -> bool:
    """Whether the meaning is true of the scene."""
    match meaning:
        case Has(groups):
            return all(sum(map(thing.matches, scene.objects)) == number for thing, number in groups)
        case Related(first, direction, second):
            a, b = only(first, scene), only(second, scene)
            return a is not None and b is not None and a is not b and direction_of(a, b) == direction
        case Located(places):
            found = [(only(thing, scene), where) for thing, where in places]
            return all(o is not None and where in places_of(o) for o, where in found)


def only(thing: Thing, scene: Scene) -> Obj | None:
    """The one object that fits the description, or None where none or several do."""
    found = [o for o in scene.objects if thing.matches(o)]
    return found[0] if len(found) == 1 else None


def direction_of(a: Obj, b: Obj) -> str | None:
    """Where a is, seen from b: clearly so, and half as far again as on the other axis; None where unclear."""
    dx, dy = a.x - b.x, a.y - b.y
    if abs(dx) >= DIRECTION_MARGIN and 2 * abs(dx) >= 3 * abs(dy):
        return "left" if dx < 0 else "right"
    if abs(dy) >= DIRECTION_MARGIN and 2 * abs(dy) >= 3 * abs(dx):
        return "above" if dy < 0 else "below"
    return None


def places_of(o: Obj) -> tuple[str, ...]:
    """The halves of the picture in which the object clearly is: none to two of left, right, top, bottom."""
    middle = CANVAS // 2
    across = "left" if o.x <= middle - PLACE_MARGIN else "right" if o.x >= middle + PLACE_MARGIN else ""
    upright = "top" if o.y <= middle - PLACE_MARGIN else "bottom" if o.y >= middle + PLACE_MARGIN else ""
    return tuple(place for place in (across, upright) if place)
