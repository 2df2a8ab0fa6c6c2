"""Tokens put together to the words of their caption, and two captions lined up word by word."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

#: Signs that tokenizers put before, behind or into tokens for a space or a word's end.
_SIGNS = ("Ġ", "▁", "</w>", "Ċ")


def shown(token: str) -> str:
    """A token as it reads, without the tokenizer's signs.

    >>> shown("▁cat"), shown("##s"), shown("Ġ"), shown("[EOS]")
    ('cat', 's', '␣', '[EOS]')
    """
    plain = token.removeprefix("##")
    for sign in _SIGNS:
        plain = plain.replace(sign, " ")
    return plain.strip() or "␣"


def words_of(tokens: Sequence[str], text: str) -> list[list[int]]:
    """Positions of the tokens of each word, in order; punctuation and tokens that the text does not spell stand alone.

    >>> words_of(["▁a", "▁tea", "pot", ",", "</s>"], "a teapot,")
    [[0], [1, 2], [3], [4]]
    """
    folded, at = text.casefold(), 0
    found: list[list[int]] = []
    for k, token in enumerate(tokens):
        plain = shown(token).casefold()
        start = at
        while start < len(folded) and folded[start].isspace():
            start += 1
        if not folded.startswith(plain, start):
            found.append([k])
            continue
        joined = start == at and at > 0 and folded[at - 1].isalnum() and plain[0].isalnum()
        if joined and found:
            found[-1].append(k)
        else:
            found.append([k])
        at = start + len(plain)
    return found


@dataclass(frozen=True, slots=True)
class Column:
    """A column of two captions under each other: positions of their words, None where one has none. block: columns of
    one number stand for each other as a whole, since which word of "three" and "a pair of" is which is arbitrary."""

    a: int | None
    b: int | None
    block: int


def lined_up(ours: Sequence[str], theirs: Sequence[str]) -> list[Column]:
    """The columns of two lists of words: the same words under each other, replaced ones too, others alone.

    >>> [(c.a, c.b, c.block) for c in lined_up(["a", "red", "cube"], ["a", "blue", "cube"])]
    [(0, 0, 0), (1, 1, 1), (2, 2, 2)]
    >>> [(c.a, c.b, c.block) for c in lined_up(["three", "hearts"], ["a", "pair", "of", "hearts"])]
    [(0, 0, 0), (None, 1, 0), (None, 2, 0), (1, 3, 1)]
    """
    one, other = [word.casefold() for word in ours], [word.casefold() for word in theirs]
    columns: list[Column] = []
    for tag, a, to_a, b, to_b in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        block = columns[-1].block + 1 if columns else 0
        columns += [
            Column(
                a + k if a + k < to_a else None, b + k if b + k < to_b else None, block + (k if tag == "equal" else 0)
            )
            for k in range(max(to_a - a, to_b - b))
        ]
    return columns
