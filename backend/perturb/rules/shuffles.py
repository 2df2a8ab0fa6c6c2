"""The five shuffles of the brittleness paper, 4.1.4: words in another order, marks and blanks where they were.

A word is what stands between blanks, without the marks around it. The paper shuffles nouns and adjectives together;
ARO's first shuffle (aro.py) keeps nouns among nouns. The caption's own order is drawn again. The first word's
capital stays in front. A shuffled caption no longer says the same, so these change the meaning, though the paper reads
them as a test of "flexibility" in the face of word order.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.dice import shuffle
from backend.perturb.edits import edit
from backend.perturb.words.tokens import ADJECTIVES, NOUNS, tokens

_UNIT: Final = re.compile(r"\w(?:\S*\w)?")
_TRIES: Final = 64


@dataclass(frozen=True, slots=True)
class Unit:
    """A word between blanks. content: whether it is a noun or an adjective. name: whether its capital is its own."""

    text: str
    start: int
    end: int
    content: bool
    name: bool


def units(text: str) -> list[Unit]:
    """The words of a text, in order."""
    tags = {word.start: word.tag for word in tokens(text)}
    found: list[Unit] = []
    for match in _UNIT.finditer(text):
        tag = next((tags[k] for k in range(match.start(), match.end()) if k in tags), "")
        word = match[0]
        # The tagger calls any unknown word with a capital a name; at the start of a sentence that says nothing.
        name = word == "I" or any(c.isupper() for c in word[1:]) or (tag.startswith("NNP") and bool(found))
        found.append(Unit(word, match.start(), match.end(), tag in NOUNS | ADJECTIVES, name))
    return found


def trigrams(items: Sequence[int]) -> list[list[int]]:
    """Consecutive threes; the last may be shorter.

    >>> trigrams([1, 2, 3, 4])
    [[1, 2, 3], [4]]
    """
    return [list(items[k : k + 3]) for k in range(0, len(items), 3)]


Order = Callable[[list[Unit], Random], list[int]]


def among(pick: Callable[[Unit], bool]) -> Order:
    """The chosen words shuffled among their own places."""

    def order(words: list[Unit], rng: Random) -> list[int]:
        places = [k for k, word in enumerate(words) if pick(word)]
        moved = list(places)
        shuffle(rng, moved)
        found = list(range(len(words)))
        for place, source in zip(places, moved, strict=True):
            found[place] = source
        return found

    return order


def within_trigrams(words: Sequence[object], rng: Random) -> list[int]:
    """Each trigram shuffled in itself."""
    groups = trigrams(range(len(words)))
    for group in groups:
        shuffle(rng, group)
    return [k for group in groups for k in group]


def of_trigrams(words: Sequence[object], rng: Random) -> list[int]:
    """Trigrams in another order, each as it was."""
    groups = trigrams(range(len(words)))
    shuffle(rng, groups)
    return [k for group in groups for k in group]


def shuffled(text: str, rng: Random, order: Order) -> Edit | None:
    """The text with its words in a drawn order that differs from its own; None where there is none."""
    words = units(text)
    folded = [word.text.casefold() for word in words]
    for _ in range(_TRIES if len(words) > 1 else 0):
        found = order(words, rng)
        if [folded[k] for k in found] == folded:
            continue
        changes = [(words[p].start, words[p].end, _cased(words, p, s)) for p, s in enumerate(found)]
        moved = sum(folded[s] != folded[p] for p, s in enumerate(found))
        return edit(text, changes, f"{moved} words moved", "order")
    return None


def _cased(words: list[Unit], place: int, source: int) -> str:
    word = words[source]
    if source == 0 and place != 0 and not word.name and word.text[:1].isupper():
        return word.text[:1].lower() + word.text[1:]
    if place == 0 and source != 0 and words[0].text[:1].isupper():
        return word.text[:1].upper() + word.text[1:]
    return word.text


def _made(name: str, title: str, what: str, order: Order) -> Perturbation:
    return Perturbation(
        name, title, Effect.CHANGING, "shuffle", ("order",), "brittleness", "4.1.4", what,
        "A brown dog chases a small cat across the wet grass.", lambda text, rng: shuffled(text, rng, order),
    )  # fmt: skip


NOUNS_ADJECTIVES = _made(
    "shuffle_nouns_adjectives", "Shuffle nouns and adjectives", "Nouns and adjectives in another order.",
    among(lambda word: word.content),
)  # fmt: skip
ALL_WORDS = _made(
    "shuffle_all_words", "Shuffle all words", "All words in another order.", among(lambda word: bool(word.text))
)  # fmt: skip
ALL_BUT = _made(
    "shuffle_all_but_nouns_adjectives", "Shuffle all but nouns and adjectives",
    "Nouns and adjectives stay, all other words in another order.", among(lambda word: not word.content),
)  # fmt: skip
WITHIN_TRIGRAMS = _made(
    "shuffle_within_trigrams", "Shuffle within trigrams", "The words of each three in another order.", within_trigrams
)  # fmt: skip
TRIGRAMS = _made(
    "shuffle_trigrams", "Shuffle trigrams", "Groups of three words in another order.", of_trigrams
)  # fmt: skip
