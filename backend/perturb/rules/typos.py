"""Slips in writing: one letter of one word. Brittleness paper, 4.1.1; its text names two, the others are ours.

Only words of four letters or more are touched, inside their first and last letter where letters change places or fall
out, so that a reader still knows the word.
"""

import re
import string
from collections.abc import Callable
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.dice import pick
from backend.perturb.edits import edit
from backend.perturb.words.tokens import spelt

_TRIES: Final = 16
_WORD: Final = re.compile(r"[A-Za-z]{4,}")

#: Letters beside each letter on a QWERTY keyboard, from its three rows, each set half a key to the right.
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    places = {key: (row, column + row / 2) for row, keys in enumerate(_ROWS) for column, key in enumerate(keys)}
    return {
        key: "".join(k for k, (v, u) in places.items() if k != key and abs(v - y) <= 1 and abs(u - x) <= 1)
        for key, (y, x) in places.items()
    }


NEARBY: Final = _neighbours()


def _slip(text: str, places: list[int], rng: Random, at: Callable[[int], tuple[int, str]]) -> Edit | None:
    """A drawn place's slip: `at` gives its end and what stands there then; `what` names the whole word.

    Drawn again where the slip would be another word ("form" → "from").
    """
    for _ in range(_TRIES if places else 0):
        start = pick(rng, places)
        end, new = at(start)
        word = next(found for found in _WORD.finditer(text) if found.start() <= start < found.end())
        after = text[word.start() : start] + new + text[end : word.end()]
        if not spelt(after):
            return edit(text, [(start, end, new)], f"{word[0]} → {after}")
    return None


def _inner(text: str) -> list[int]:
    """Offsets of letters that are neither first nor last of a word of four or more."""
    return [k for word in _WORD.finditer(text) for k in range(word.start() + 1, word.end() - 1)]


def character_swap(text: str, rng: Random) -> Edit | None:
    """Two different neighbouring letters inside a word change places."""
    places = [
        k for word in _WORD.finditer(text) for k in range(word.start() + 1, word.end() - 2)
        if text[k].lower() != text[k + 1].lower()
    ]  # fmt: skip
    return _slip(text, places, rng, lambda k: (k + 2, text[k + 1] + text[k]))


def missing_character(text: str, rng: Random) -> Edit | None:
    """A letter inside a word is left out."""
    return _slip(text, _inner(text), rng, lambda k: (k + 1, ""))


def _as(old: str, new: str) -> str:
    return new.upper() if old.isupper() else new


def extra_character(text: str, rng: Random) -> Edit | None:
    """A letter too many inside a word."""
    return _slip(text, _inner(text), rng, lambda k: (k, _as(text[k], pick(rng, string.ascii_lowercase))))


def nearby_key(text: str, rng: Random) -> Edit | None:
    """A letter inside a word by one beside it on the keyboard."""
    return _slip(text, _inner(text), rng, lambda k: (k + 1, _as(text[k], pick(rng, NEARBY[text[k].lower()]))))


_WHERE: Final = "4.1.1"
_EXAMPLE: Final = "A brown horse stands beside the wooden fence."

CHARACTER_SWAP = Perturbation(
    "character_swap", "Character swap", Effect.PRESERVING, "typo", (), "brittleness", _WHERE,
    "Two neighbouring letters of a word change places.", _EXAMPLE, character_swap,
)  # fmt: skip
MISSING_CHARACTER = Perturbation(
    "missing_character", "Missing character", Effect.PRESERVING, "typo", (), "brittleness", _WHERE,
    "A letter of a word is left out.", _EXAMPLE, missing_character,
)  # fmt: skip
EXTRA_CHARACTER = Perturbation(
    "extra_character", "Extra character", Effect.PRESERVING, "typo", (), "ours", "",
    "A letter too many in a word.", _EXAMPLE, extra_character,
)  # fmt: skip
NEARBY_KEY = Perturbation(
    "nearby_key", "Nearby key", Effect.PRESERVING, "typo", (), "ours", "",
    "A letter by one beside it on the keyboard.", _EXAMPLE, nearby_key,
)  # fmt: skip
