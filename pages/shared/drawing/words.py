"""Captions with the words that differ set off by weight and underline."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from markupsafe import Markup, escape

_PIECES = re.compile(r"\w+|\s+|[^\w\s]", re.UNICODE)


def differences(texts: Sequence[str]) -> list[Markup]:
    """Each text as safe HTML. The first is compared with the second, every other with the first.

    >>> print(differences(["a red cube", "a blue cube"])[0])
    a <mark class="fs-diff">red</mark> cube
    >>> print(*differences(["<script>"]))
    &lt;script&gt;
    """
    if len(texts) < 2:
        return [escape(text) for text in texts]
    first = marked(texts[0], texts[1])
    return [first, *(marked(text, texts[0]) for text in texts[1:])]


def marked(text: str, other: str) -> Markup:
    """`text` as safe HTML, marking the words that `other` does not have in that place."""
    mine, theirs = _PIECES.findall(text), _PIECES.findall(other)
    words = [i for i, piece in enumerate(mine) if not piece.isspace()]
    reference = [piece.casefold() for piece in theirs if not piece.isspace()]
    same = SequenceMatcher(None, [mine[i].casefold() for i in words], reference, autojunk=False)
    changed: set[int] = set()
    for tag, start, end, _, _ in same.get_opcodes():
        if tag != "equal":
            changed.update(words[start:end])
    parts = []
    for i, piece in enumerate(mine):
        safe = escape(piece)
        parts.append(Markup('<mark class="fs-diff">{}</mark>').format(safe) if i in changed else safe)
    return Markup().join(parts)
