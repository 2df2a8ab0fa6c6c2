"""Probes: "give me 500 items that differ only in X"."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from backend.errors import UsageError
from backend.items import Benchmark, Item
from backend.world.dice import seeded
from backend.world.language.grammar import say_alike
from backend.world.quads import quad
from backend.world.scenes import Scene
from backend.world.subsets.quads import quad_item

#: What two scenes can differ in, and the concept of the quads that do.
DIFFERENCES: Final = {
    "shape": "shape",
    "colour": "colour",
    "size": "size",
    "fill": "fill",
    "count": "count",
    "location": "location",
    "relation": "relation",
    "binding": "attribute",
}
_KIND: Final = ("shape", "colour", "size", "fill")


def probe(items: int, differ_only_in: str, seed: int = 0) -> Benchmark:
    """So many quads, subset `probe_X`, whose two scenes differ in X and in nothing else."""
    if differ_only_in not in DIFFERENCES:
        raise UsageError(f"unknown difference '{differ_only_in}'. Available: {', '.join(DIFFERENCES)}.")
    return Benchmark("world", lambda: _items(items, differ_only_in, seed))


def _items(items: int, what: str, seed: int) -> Iterator[Item]:
    subset = f"probe_{what}"
    for number in range(1, items + 1):
        dice = seeded(seed, *subset.encode(), number)
        while True:
            made = quad(dice, DIFFERENCES[what], "test")
            if differences(made.scene1, made.scene2) == {what}:
                break
        yield quad_item(subset, number, made, say_alike(dice, made.meaning1, made.meaning2), what, {}, seed)


def differences(a: Scene, b: Scene) -> set[str]:
    """In what two scenes differ: names of `DIFFERENCES`, "background", or "other" for more than these can say.

    binding: the same values of an attribute, on other objects. relation: the same objects in each other's places.
    location: the same objects, some of them elsewhere. count: one scene's objects are all in the other one.
    """
    found = {"background"} if a.tone != b.tone else set()
    first, second = Counter(a.objects), Counter(b.objects)
    if first == second:
        return found
    if len(a.objects) != len(b.objects):
        return found | ({"count"} if first <= second or second <= first else {"other"})
    stays = sorted((o.x, o.y) for o in a.objects) == sorted((o.x, o.y) for o in b.objects)
    kinds = [Counter((o.shape, o.colour, o.size, o.fill) for o in scene.objects) for scene in (a, b)]
    if kinds[0] == kinds[1]:
        return found | {"relation" if stays else "location"}
    if not stays:
        return found | {"other"}
    at = {(o.x, o.y): o for o in b.objects}
    for what in _KIND:
        pairs = [(getattr(o, what), getattr(at[o.x, o.y], what)) for o in a.objects]
        if any(before != after for before, after in pairs):
            moved = Counter(before for before, _ in pairs) == Counter(after for _, after in pairs)
            found.add("binding" if moved else what)
    return found
