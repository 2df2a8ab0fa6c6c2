"""Captions with the words that differ set off by weight and underline."""

import re
from collections.abc import Sequence, Set
from difflib import SequenceMatcher

from markupsafe import Markup, escape

_PIECES = re.compile(r"\w+|\s+|[^\w\s]", re.UNICODE)


def differences(texts: Sequence[str], base: int = 0) -> list[Markup]:
    """Each text as safe HTML, with the words that differ marked.

    base: the position of the text that each of the others is compared with (the negative of a triplet). It is itself
    compared with the one of them that is most like it, in the same alignment: what is unmarked in both is shared.

    >>> print(differences(["a red cube", "a blue cube"])[0])
    a <mark class="fs-diff">red</mark> cube
    >>> print(*differences(["<script>"]))
    &lt;script&gt;
    """
    if len(texts) < 2:
        return [escape(text) for text in texts]
    words = [[piece.casefold() for piece in _PIECES.findall(text) if not piece.isspace()] for text in texts]
    same = {
        k: SequenceMatcher(None, words[base], own, autojunk=False) for k, own in enumerate(words) if k != base
    }  # one alignment for both texts of a pair: that of (a, b) and that of (b, a) may match different words
    nearest = max(same, key=lambda k: same[k].ratio())
    shared = {k: {at for block in own.get_matching_blocks() for at in range(block.b, block.b + block.size)}
              for k, own in same.items()}  # fmt: skip
    shared[base] = {
        at for block in same[nearest].get_matching_blocks() for at in range(block.a, block.a + block.size)
    }
    return [_marked(text, shared[k]) for k, text in enumerate(texts)]


def _marked(text: str, shared: Set[int]) -> Markup:
    """`text` as safe HTML, marking all words but those at the positions `shared`."""
    parts, at = [], 0
    for piece in _PIECES.findall(text):
        safe = escape(piece)
        word = not piece.isspace()
        parts.append(Markup('<mark class="fs-diff">{}</mark>').format(safe) if word and at not in shared else safe)
        at += word
    return Markup().join(parts)
