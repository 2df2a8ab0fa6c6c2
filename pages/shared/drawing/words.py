"""Captions with the words that differ set off by weight and underline."""

import re
from collections.abc import Sequence, Set

from markupsafe import Markup, escape
from rapidfuzz.distance import LCSseq

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
    # One alignment for both texts of a pair, with as many words matched as can be: difflib matches the longest run
    # first, which leaves shared words unmatched, and others for (a, b) than for (b, a).
    same = {k: [(b.a, b.b, b.size) for b in LCSseq.opcodes(words[base], own).as_matching_blocks()]
            for k, own in enumerate(words) if k != base}  # fmt: skip
    nearest = max(same, key=lambda k: LCSseq.normalized_similarity(words[base], words[k]))
    shared = {k: {b + i for _, b, size in blocks for i in range(size)} for k, blocks in same.items()}
    shared[base] = {a + i for a, _, size in same[nearest] for i in range(size)}
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
