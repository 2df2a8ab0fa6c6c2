"""The choice subset: one picture, its caption and three foils, in two strata.

`implausible`: the caption's own words out of order, so that knowing the language alone helps.
`against_prior`: plausible foils that are likelier texts than the truth, so that knowing the language alone hurts.
"""

from collections.abc import Iterator
from typing import Final

from backend.items import Item, Protocol
from backend.world.dice import Dice, seeded
from backend.world.language.captions import caption, scene_for
from backend.world.language.foils import FOILS, MAKERS, likelier_foils
from backend.world.language.grammar import say_alike
from backend.world.language.shuffles import shuffles
from backend.world.made import item
from backend.world.sampling import sample
from backend.world.scenes import Scene

TRUTH: Final = ((0, 0),)
STRATA: Final = ("implausible", "against_prior")

#: Kinds of captions for the implausible stratum, and the concept that each is about.
_KINDS: Final = {"binding": "attribute", "relation": "relation", "count": "count", "one_place": "location"}
_LEAST_WORDS: Final = 4


def choice_items(items: int, seed: int) -> Iterator[Item]:
    """So many choices, the strata in turn: texts are the truth, then three foils."""
    for number in range(1, items + 1):
        dice = seeded(seed, *b"choice", number)
        stratum, turn = STRATA[(number - 1) % 2], (number - 1) // 2
        make = _implausible if stratum == "implausible" else _against_prior
        concept, scene, texts = make(dice, turn)
        yield item(
            "choice", number, Protocol.CHOICE, (scene,), texts, TRUTH, concept=concept, perturbation=stratum, seed=seed
        )


def _implausible(dice: Dice, turn: int) -> tuple[str, Scene, tuple[str, ...]]:
    kind = tuple(_KINDS)[turn % len(_KINDS)]
    while True:
        scene = scene_for(dice, kind, "test")
        said = caption(dice, scene, kind)
        if scene.held_out or said is None or len(said.split()) < _LEAST_WORDS:
            continue
        foils = shuffles(dice, said, FOILS)
        if len(foils) == FOILS:
            return _KINDS[kind], scene, (said, *foils)


def _against_prior(dice: Dice, turn: int) -> tuple[str, Scene, tuple[str, ...]]:
    concept = tuple(MAKERS)[turn % len(MAKERS)]
    while True:
        if concept == "count":
            scene = scene_for(dice, "count", "test")
        else:
            scene = sample(dice, "test", 2 if concept == "relation" else 1 + dice.below(2))
        made = None if scene.held_out else MAKERS[concept](dice, scene)
        if made is None:
            continue
        truth, options = made
        foils = likelier_foils(truth, options, scene)
        dice.shuffle(foils)
        if len(foils) < FOILS:
            continue
        texts = say_alike(dice, truth, *foils[:FOILS], converse=False)
        if len(set(texts)) == len(texts):
            return concept, scene, texts
