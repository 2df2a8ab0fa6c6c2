"""Typed captions made safe: control characters out, length checked, duplicates named."""

import unicodedata
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Final

from backend.errors import FlipsideError

MAX_CHARACTERS: Final = 2000
MAX_CAPTIONS: Final = 16
#: Characters that turn the direction of the text around them: a caption must read as it is scored.
_DIRECTION: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """The caption that is scored: no control or direction characters, white space collapsed.

    >>> clean("  a red\\tcube\\x00 ")
    'a red cube'
    """
    kept = (" " if c.isspace() else c for c in text if c.isspace() or not _hidden(c))
    return " ".join("".join(kept).split())


def check(texts: Sequence[str]) -> tuple[str, ...]:
    """Cleaned captions. Raises FlipsideError with one sentence where one is empty or too long, or too many are given.

    >>> check(["a", "b "])
    ('a', 'b')
    """
    if len(texts) > MAX_CAPTIONS:
        raise FlipsideError(f"{len(texts)} captions are too many for one page; leave at most {MAX_CAPTIONS}.")
    cleaned = []
    for number, text in enumerate(texts, 1):
        if len(text) > MAX_CHARACTERS:
            raise FlipsideError(
                f"Caption {number} has {len(text):,} characters, more than the {MAX_CHARACTERS:,} that fit; shorten it."
            )
        caption = clean(text)
        if not caption:
            raise FlipsideError(f"Caption {number} is empty; type what the picture might show.")
        cleaned.append(caption)
    return tuple(cleaned)


def duplicates(texts: Sequence[str], truth: Collection[tuple[int, int]] = ()) -> str:
    """One sentence where two captions are the same, else ""; where several are, of two that are set against each other.
    truth: (image, caption) that belong together, none in a free grid: a caption is judged against such of its image
    that do not.

    >>> duplicates(["a cat", "a cat"], [(0, 0)])
    'Captions 1 and 2 are the same, so every comparison between them is a tie, which counts as wrong.'
    >>> duplicates(["a cat", "a cat"]), duplicates(["a cat", "a dog"])
    ('Captions 1 and 2 are the same, so every model scores them alike.', '')
    """
    same = [(j, k) for j, k in combinations(range(len(texts)), 2) if texts[j] == texts[k]]
    images = {image for image, _ in truth}
    judged = [(j, k) for j, k in same if any(((i, j) in truth) != ((i, k) in truth) for i in images)]
    if not same:
        return ""
    j, k = (judged or same)[0]
    told = (
        "every comparison between them is a tie, which counts as wrong" if judged else "every model scores them alike"
    )
    return f"Captions {j + 1} and {k + 1} are the same, so {told}."


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") or character in _DIRECTION
