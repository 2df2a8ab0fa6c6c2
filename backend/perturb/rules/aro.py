"""ARO's four order foils (COCO-Order, Flickr30k-Order), and the clean-up through which its captions and foils go.

Tokens are joined by single blanks, as ARO joins them. Its noun and adjective classes come from spaCy and its generators
run through the whole data set, so its printed foils cannot be had again; ours come from textblob's tagger and a seed of
their own for each caption. ARO draws once, and a foil may equal its caption: `foils` keeps that (count them), while the
perturbations draw again, as all perturbations do.
"""

import re
from collections.abc import Callable
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.dice import generator, shuffle
from backend.perturb.edits import whole
from backend.perturb.rules.shuffles import of_trigrams, within_trigrams
from backend.perturb.words.tokens import ADJECTIVES, NOUNS, tokens

_BLANKED: Final = re.compile(r"[.!\"()*#:;~]")
MAX_WORDS: Final = 30
_TRIES: Final = 64


def aro_clean(caption: str, max_words: int = MAX_WORDS) -> str:
    """Lower case, each of . ! " ( ) * # : ; ~ a blank, runs of white space one blank, at most 30 words.

    >>> aro_clean("A cat: two  dogs (asleep). ")
    'a cat two dogs asleep'
    """
    return " ".join(_BLANKED.sub(" ", caption.lower()).split()[:max_words])


def _places(tags: list[str], rng: Random, *classes: Callable[[str], bool]) -> list[int]:
    order = list(range(len(tags)))
    for belongs in classes:
        places = [k for k, tag in enumerate(tags) if belongs(tag)]
        moved = list(places)
        shuffle(rng, moved)
        for place, source in zip(places, moved, strict=True):
            order[place] = source
    return order


def nouns_adjectives(tags: list[str], rng: Random) -> list[int]:
    """Nouns among noun places, adjectives among adjective places."""
    return _places(tags, rng, NOUNS.__contains__, ADJECTIVES.__contains__)


def other_words(tags: list[str], rng: Random) -> list[int]:
    """Every token that is neither, among their places."""
    return _places(tags, rng, lambda tag: tag not in NOUNS | ADJECTIVES)


Order = Callable[[list[str], Random], list[int]]
#: In ARO's order: foils 1 to 4.
ORDERS: Final[dict[str, Order]] = {
    "aro_nouns_adjectives": nouns_adjectives,
    "aro_other_words": other_words,
    "aro_within_trigrams": within_trigrams,
    "aro_trigrams": of_trigrams,
}


def foils(caption: str, seed: int = 1) -> tuple[str, str, str, str]:
    """ARO's four foils of a raw caption, cleaned; one draw each, so that one may equal `aro_clean(caption)`.

    >>> foils("a black dog and a white cat")[0]
    'a white cat and a black dog'
    """
    words = tokens(caption)
    made = []
    for name, order in ORDERS.items():
        found = order([word.tag for word in words], generator(name, caption, seed))
        made.append(aro_clean(" ".join(words[k].text for k in found)))
    first, second, third, fourth = made
    return first, second, third, fourth


def _perturbation(name: str, title: str, what: str) -> Perturbation:
    order = ORDERS[name]

    def rule(text: str, rng: Random) -> Edit | None:
        words = tokens(text)
        own = aro_clean(text, max_words=len(text))
        for _ in range(_TRIES if len(words) > 1 else 0):
            new = " ".join(words[k].text for k in order([word.tag for word in words], rng))
            if aro_clean(new, max_words=len(new)) != own:
                return whole(text, new, what[0].lower() + what[1:].rstrip("."), "order")
        return None

    return Perturbation(
        name, title, Effect.CHANGING, "shuffle", ("order",), "ARO", "order foils", what,
        "A black dog and a white cat sit on the old sofa.", rule,
    )  # fmt: skip


NOUNS_ADJECTIVES = _perturbation(
    "aro_nouns_adjectives", "ARO: nouns and adjectives", "Nouns among nouns, adjectives among adjectives."
)
OTHER_WORDS = _perturbation("aro_other_words", "ARO: other words", "All that is neither noun nor adjective, moved.")
WITHIN_TRIGRAMS = _perturbation("aro_within_trigrams", "ARO: within trigrams", "Each three tokens in another order.")
TRIGRAMS = _perturbation("aro_trigrams", "ARO: trigrams", "Groups of three tokens in another order.")
