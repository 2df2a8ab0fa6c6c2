"""Captions put out of order: the same words, no sentence."""

import itertools
from typing import Final

from backend.world.dice import Dice

_ARTICLES: Final = frozenset({"a", "an", "the", "this"})
_LINKS: Final = frozenset({"and", "of", "to", "on", "in", "at", "with", "is", "are", "there", "be", "we", "it", "here"})
#: No caption ends in one of these.
_NEVER_LAST: Final = _ARTICLES | _LINKS


def ungrammatical(words: list[str]) -> bool:
    """Whether the words certainly are no caption: a dangling end, or an article or "and" before a linking word.

    >>> ungrammatical("red a circle and blue star a".split()), ungrammatical("a red circle".split())
    (True, False)
    """
    pairs = itertools.pairwise(words)
    clash = any((a in _ARTICLES and b in _NEVER_LAST) or (a == "and" and b in ("and", "with")) for a, b in pairs)
    return words[-1] in _NEVER_LAST or clash


def shuffles(dice: Dice, caption: str, n: int, *, tries: int = 40) -> list[str]:
    """Up to n different ungrammatical orders of the caption's words: reversed, neighbours exchanged, shuffled."""
    words = caption.split()
    swapped = [w for k in range(0, len(words), 2) for w in reversed(words[k : k + 2])]
    candidates = [words[::-1], swapped]
    for _ in range(tries):
        order = list(words)
        dice.shuffle(order)
        candidates.append(order)
    found = dict.fromkeys(" ".join(order) for order in candidates if ungrammatical(order))
    return list(found)[:n]
