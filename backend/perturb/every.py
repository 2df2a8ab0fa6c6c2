"""Every edit that a rule can make of a text, instead of one that is drawn: all its choices are walked in order.

Rules draw by `dice.below` alone, int(rng.random() * n): a generator whose numbers note what they are multiplied by
tells how many branches a choice has.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from backend.perturb import get
from backend.perturb.base import Edit, Perturbation

#: Branches walked at most; a shuffle has as many as there are orders.
MOST: Final = 400


class _Drawn(float):
    """A drawn number that says which of n branches is taken, and notes n."""

    walk: "_Walk"

    def __mul__(self, n: float) -> float:
        return self.walk.branch(int(n))


class _Walk(Random):
    """Takes the branches of `path`, and the first one of every choice after its end."""

    def __init__(self, path: list[int]) -> None:
        super().__init__(0)
        self.path, self.sizes = path, list[int]()

    def random(self) -> float:
        drawn = _Drawn(0.0)
        drawn.walk = self
        return drawn

    def branch(self, n: int) -> float:
        """The branch of the next choice, which has n."""
        place = len(self.sizes)
        self.sizes.append(n)
        if place == len(self.path):
            self.path.append(0)
        return min(self.path[place], n - 1) + 0.5


def every(perturbation: str | Perturbation, text: str, most: int = MOST) -> list[Edit]:
    """All different edits of a rule's, in the order of its places and options; after `most` branches no more.

    Empty where it does not apply, and for a perturbation that needs a proposer.

    >>> [edit.what for edit in every("negative_size", "a big dog")]
    ['big → small', 'big → little', 'big → tiny']
    """
    known = get(perturbation) if isinstance(perturbation, str) else perturbation
    if known.rule is None:
        return []
    return list({edit.text: edit for edit in _walked(known, text, most)}.values())


def _walked(known: Perturbation, text: str, most: int) -> Iterator[Edit]:
    path: list[int] = []
    for _ in range(most):
        walk = _Walk(path)
        edit = known.apply(text, walk)
        if edit is not None:
            yield edit
        sizes, path = walk.sizes, walk.path[: len(walk.sizes)]
        while path and path[-1] + 1 >= sizes[len(path) - 1]:  # back to the last choice that has another branch
            path.pop()
        if not path:
            return
        path[-1] += 1
