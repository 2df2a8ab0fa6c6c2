"""Slips of the pen in training captions, so that the characters of the tokenizer are learned.

Written for training alone: neither the edits of `backend.perturb` nor their choice of words are used.
"""

import string
from collections.abc import Sequence
from typing import Final

import numpy as np

#: Of the captions, how many carry a slip; the captioner's and its blind model's fewer, so that P(t) stays the world's.
SHARE: Final = 0.2
SHARE_OF_WRITERS: Final = 0.08
#: Most words of one caption that are misspelt.
MOST_WORDS: Final = 2


def some(rng: np.random.Generator, captions: Sequence[str], share: float = SHARE) -> list[str]:
    """The captions, about `share` of them with one or two words misspelt."""
    chosen = rng.random(len(captions)) < share
    return [caption(rng, text) if slip else text for text, slip in zip(captions, chosen, strict=True)]


def caption(rng: np.random.Generator, text: str) -> str:
    """The caption with one or two of its words of three or more letters misspelt."""
    words = text.split()
    long = [number for number, word in enumerate(words) if len(word) > 2]
    for number in rng.permutation(long)[: rng.integers(1, MOST_WORDS + 1)]:
        words[int(number)] = word(rng, words[int(number)])
    return " ".join(words)


def word(rng: np.random.Generator, text: str) -> str:
    """One slip at any place: a letter left out, one too many, another in its place, or two exchanged.

    >>> sorted((word(np.random.default_rng(n), "red") for n in range(3)), key=len)
    ['re', 'req', 'rde']
    """
    at = int(rng.integers(len(text)))
    letter = string.ascii_lowercase[int(rng.integers(26))]
    slip = int(rng.integers(4))
    if slip == 0:
        return text[:at] + text[at + 1 :]
    if slip == 1:
        return text[:at] + letter + text[at:]
    if slip == 2:
        return text[:at] + letter + text[at + 1 :]
    at = min(at, len(text) - 2)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
