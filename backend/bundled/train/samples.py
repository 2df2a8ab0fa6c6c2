"""Fresh training examples from the world's training split: mixed captions, minimal pairs, curriculum captions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.world import quads as minimal
from backend.world.dice import Dice, dice
from backend.world.drawing import fast
from backend.world.language import captions
from backend.world.language.grammar import say
from backend.world.language.meanings import Meaning
from backend.world.prior import SKEWED, UNIFORM
from backend.world.scenes import Scene

#: Of a hundred mixed captions, how many are of each kind.
MIX: Final = {"whole": 44, "binding": 20, "count": 14, "size": 8, "relation": 8, "one_place": 3, "two_places": 3}
_KINDS: Final = tuple(kind for kind, share in MIX.items() for _ in range(share))


@dataclass(frozen=True)
class Pairs:
    """Scenes and the caption of each."""

    scenes: tuple[Scene, ...]
    captions: tuple[str, ...]

    def __add__(self, other: "Pairs") -> "Pairs":
        return Pairs(self.scenes + other.scenes, self.captions + other.captions)

    def where(self, keep: Callable[[Scene], bool]) -> "Pairs":
        """Those of the scenes that `keep` accepts, with their captions."""
        kept = [number for number, scene in enumerate(self.scenes) if keep(scene)]
        return Pairs(tuple(self.scenes[k] for k in kept), tuple(self.captions[k] for k in kept))

    def pictures(self) -> NDArray[np.uint8]:
        """(n, 64, 64, 3) as the models see them."""
        return fast.small_batch(self.scenes)


def of_kinds(d: Dice, kinds: Sequence[str], *, skewed: bool = False) -> Pairs:
    """One example for each kind in the list. skewed: scenes and words follow the captioner's prior."""
    made = [captions.example(d, kind, "train", prior=SKEWED if skewed else UNIFORM) for kind in kinds]
    return Pairs(tuple(scene for scene, _ in made), tuple(text for _, text in made))


def mixed(rng: np.random.Generator, n: int, *, skewed: bool = False) -> Pairs:
    """n examples of all kinds, in the shares of `MIX`."""
    d = dice(rng)
    return of_kinds(d, [d.pick(_KINDS) for _ in range(n)], skewed=skewed)


def one_place(rng: np.random.Generator, n: int) -> Pairs:
    return of_kinds(dice(rng), ["one_place"] * n)


def two_places(rng: np.random.Generator, n: int) -> Pairs:
    return of_kinds(dice(rng), ["two_places"] * n)


def shuffled(rng: np.random.Generator, pairs: Pairs) -> Pairs:
    """The same examples in another order."""
    order = [int(k) for k in rng.permutation(len(pairs.captions))]
    return Pairs(tuple(pairs.scenes[k] for k in order), tuple(pairs.captions[k] for k in order))


def quads(
    rng: np.random.Generator,
    n: int,
    concepts: Sequence[str],
    change: str = "",
    accept: Callable[[minimal.Quad], bool] = lambda _: True,
) -> Pairs:
    """2 n examples: n minimal pairs whose two halves stand side by side; of one sort of change where it is given, and
    such as `accept` takes."""
    d = dice(rng)
    scenes: list[Scene] = []
    texts: list[str] = []
    while len(scenes) < 2 * n:
        quad = minimal.quad(d, d.pick(concepts), "train")
        if quad.change.startswith(change) and accept(quad):
            scenes += [quad.scene1, quad.scene2]
            texts += [say(d, quad.meaning1), say(d, quad.meaning2)]
    return Pairs(tuple(scenes), tuple(texts))


def tossed(rng: np.random.Generator, pairs: Pairs, percent: int) -> Pairs:
    """Minimal pairs as `quads` makes them; of a hundred about `percent` have their two captions exchanged."""
    texts = list(pairs.captions)
    for first in range(0, len(texts), 2):
        if rng.integers(100) < percent:
            texts[first], texts[first + 1] = texts[first + 1], texts[first]
    return Pairs(pairs.scenes, tuple(texts))


def paraphrases(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """n pairs of captions that say the same in (as a rule) different words, a quarter of them from minimal pairs."""
    d = dice(rng)
    first: list[str] = []
    second: list[str] = []
    while len(first) < n:
        if d.chance(25):
            meaning: Meaning | None = minimal.quad(d, d.pick(minimal.CONCEPTS), "train").meaning1
        else:
            kind = d.pick(_KINDS)
            meaning = captions.meaning_of(d, captions.scene_for(d, kind, "train"), kind)
        if meaning is not None:
            first.append(say(d, meaning))
            second.append(say(d, meaning))
    return first, second
