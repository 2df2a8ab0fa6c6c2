"""The quad subsets: two scenes and two captions in the same wording, each true of its own scene only."""

from collections.abc import Iterator
from typing import Final

from backend.items import Item, Protocol
from backend.world.dice import seeded
from backend.world.language.grammar import say_alike
from backend.world.made import item
from backend.world.quads import Quad, quad

#: Every so many attribute quads show a colour-shape pair that training never does.
_HELD_OUT_EVERY: Final = 4
TRUTH: Final = ((0, 0), (1, 1))


def quad_items(concept: str, items: int, seed: int) -> Iterator[Item]:
    """So many quads of one concept; the first n are the same for every number of items."""
    for number in range(1, items + 1):
        dice = seeded(seed, *concept.encode(), number)
        held_out = concept == "attribute" and number % _HELD_OUT_EVERY == 0
        made = quad(dice, concept, "test", held_out=held_out)
        tags = {"held_out": "yes" if held_out else "no"} if concept == "attribute" else {}
        yield quad_item(concept, number, made, say_alike(dice, made.meaning1, made.meaning2), concept, tags, seed)


def quad_item(
    subset: str, number: int, made: Quad, texts: tuple[str, ...], concept: str, tags: dict[str, str], seed: int
) -> Item:
    """One quad as an item."""
    scenes = (made.scene1, made.scene2)
    return item(
        subset, number, Protocol.QUAD, scenes, texts, TRUTH,
        concept=concept, perturbation=made.change, tags=tags, seed=seed,
    )  # fmt: skip
