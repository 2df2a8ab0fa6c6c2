"""The attributes of two nouns change places (ours; ARO's attribution foils and SugarCrepe's swap_att do the like)."""

from itertools import combinations
from random import Random
from typing import NamedTuple

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import article_before
from backend.perturb.dice import pick
from backend.perturb.edits import edit
from backend.perturb.words import lexicon
from backend.perturb.words.inflect import like
from backend.perturb.words.kinds import KIND_OF
from backend.perturb.words.tokens import Word, tokens

#: Said of an order or a number rather than of a thing: swapping them gives no caption.
_NO_ATTRIBUTES = frozenset(
    ["other", "same", "many", "several", "few", "next", "first", "last", "such", "own", "various", "different", "more",
     "most", "left", "right", "front", "top", "back", "multiple", "only"]
)  # fmt: skip


class Pair(NamedTuple):
    """An adjective and the noun that it stands right before."""

    adjective: Word
    noun: Word


def pairs(text: str) -> list[Pair]:
    """Adjective and noun, side by side; not where two adjectives are joined by "and" ("a black and white cat")."""
    words = tokens(text)
    found = []
    for k, word in enumerate(words[:-1]):
        joined = k > 1 and words[k - 1].lower in ("and", "or") and words[k - 2].adjective
        after = words[k + 1]
        if word.adjective and after.noun and not joined and word.lower not in _NO_ATTRIBUTES:
            found.append(Pair(word, _head(words, k + 1)))
    return found


def _head(words: tuple[Word, ...], k: int) -> Word:
    """The last of a row of nouns: "door" of "kitchen door"."""
    while k + 1 < len(words) and words[k + 1].noun:
        k += 1
    return words[k]


def _concept(pair: Pair) -> str:
    known = KIND_OF.get(pair.adjective.lower)
    return known.kind if known else "attribute"


def _same(a: Word, b: Word) -> bool:
    one, other = lexicon.of(a), lexicon.of(b)
    alike = one is not None and other is not None and one.synset == other.synset
    groups = {KIND_OF[w.lower].group for w in (a, b) if w.lower in KIND_OF}
    both = a.lower in KIND_OF and b.lower in KIND_OF and len(groups) == 1
    return alike or both or a.lower == b.lower


def _doubled(text: str, a: Pair, b: Pair) -> bool:
    """Whether a swap would say a word twice: "a large pot and a large wooden spoon"."""
    for here, there in ((a.adjective, b.adjective), (b.adjective, a.adjective)):
        if text[: here.start].lower().rstrip().endswith(there.lower):
            return True
    return False


def swap_attributes(text: str, rng: Random) -> Edit | None:
    """Two adjectives of different nouns change places; two of one kind (two colours) if there are any.

    None where there are no two: different adjectives, different nouns ("a red and a blue car" would say the same).
    """
    usable = [
        (a, b) for a, b in combinations(pairs(text), 2)
        if not (_same(a.adjective, b.adjective) or _same(a.noun, b.noun) or _doubled(text, a, b))
    ]  # fmt: skip
    alike = [two for two in usable if _concept(two[0]) == _concept(two[1]) != "attribute"]
    if not usable:
        return None
    first, second = pick(rng, alike or usable)
    a, b = first.adjective, second.adjective
    changes = [(a.start, a.end, like(a.text, _plain(b))), (b.start, b.end, like(b.text, _plain(a)))]
    changes += [*article_before(text, a.start, b.text), *article_before(text, b.start, a.text)]
    concept = _concept(first) if alike else "attribute"
    return edit(text, changes, f"{a.text} ↔ {b.text}", concept)


def _plain(word: Word) -> str:
    """The word without the capital of a sentence's beginning."""
    return word.text.lower() if word.start == 0 else word.text


SWAP_ATTRIBUTES = Perturbation(
    "swap_attributes", "Swap attributes", Effect.CHANGING, "swap",
    ("attribute", "colour", "material", "size"), "ours", "",
    "The adjectives of two nouns change places.", "A red cup on a wooden table.", swap_attributes,
)  # fmt: skip
