"""The retrieval pool: pictures with several captions each; no two pictures show the same colours and shapes."""

from collections.abc import Iterator
from typing import Final

from backend.items import Item, Protocol
from backend.world.dice import Dice, seeded
from backend.world.language.captions import whole
from backend.world.language.grammar import say
from backend.world.language.meanings import LEVELS
from backend.world.made import item
from backend.world.sampling import sample
from backend.world.scenes import Scene

CAPTIONS: Final = 3
#: Levels of detail at which a caption of this pool names every object: all say colour and shape.
_LEVELS: Final = tuple(level for level in LEVELS if "colour" in level)
_CONCEPT: Final = "scene"


def retrieval_items(items: int, seed: int) -> Iterator[Item]:
    """So many pictures of two to five objects, each with three captions that name all its objects."""
    seen: set[tuple[tuple[str, str], ...]] = set()
    for number in range(1, items + 1):
        dice = seeded(seed, *b"retrieval", number)
        while True:
            scene = sample(dice, "test", 2 + dice.below(4))
            shown = tuple(sorted((o.colour, o.shape) for o in scene.objects))
            texts = () if scene.held_out or shown in seen else _captions(dice, scene)
            if len(texts) == CAPTIONS:
                break
        seen.add(shown)
        truth = tuple((0, k) for k in range(CAPTIONS))
        yield item(
            "retrieval", number, Protocol.RETRIEVAL, (scene,), texts, truth,
            concept=_CONCEPT, perturbation="none", tags={"objects": str(len(scene.objects))}, seed=seed,
        )  # fmt: skip


def _captions(dice: Dice, scene: Scene) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for _ in range(4 * CAPTIONS):
        found[say(dice, whole(dice, scene, levels=_LEVELS))] = None
        if len(found) == CAPTIONS:
            break
    return tuple(found)
