"""The triplet subset, in VISLA's sense: two wordings of one truth, and a near copy of one of them that is false."""

from collections.abc import Iterator
from typing import Final

from backend.items import Item, Protocol
from backend.world.dice import Dice, seeded
from backend.world.language.grammar import paraphrases, say_alike
from backend.world.language.meanings import Meaning
from backend.world.made import item
from backend.world.quads import CONCEPTS, quad

TRUTH: Final = ((0, 0), (0, 1))
_WORDINGS: Final = 8


def triplet_items(items: int, seed: int) -> Iterator[Item]:
    """So many triplets, the concepts in turn: texts are paraphrase, paraphrase, negative.

    The negative copies the wording of one paraphrase; the other paraphrase shares as few words with it as possible.
    Which of the two comes first is left to chance.
    """
    for number in range(1, items + 1):
        dice = seeded(seed, *b"triplet", number)
        concept = CONCEPTS[(number - 1) % len(CONCEPTS)]
        made = quad(dice, concept, "test")
        near, negative = say_alike(dice, made.meaning1, made.meaning2)
        positives = [near, reworded(dice, made.meaning1, near, negative)]
        dice.shuffle(positives)
        yield item(
            "triplet", number, Protocol.TRIPLET, (made.scene1,), (*positives, negative), TRUTH,
            concept=concept, perturbation=made.change, seed=seed,
        )  # fmt: skip


def reworded(dice: Dice, meaning: Meaning, *others: str) -> str:
    """Of several captions for the meaning, the one that shares the fewest words with the first of the others."""
    options = [text for text in paraphrases(dice, meaning, _WORDINGS + len(others)) if text not in others]
    words = set(others[0].split())
    return min(options, key=lambda text: _shared(words, set(text.split())))


def _shared(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b)
