"""From replacements to an Edit: spans are right because text and spans are made together."""

from collections.abc import Iterable

from backend.perturb.base import Edit


def edit(text: str, replacements: Iterable[tuple[int, int, str]], what: str, concept: str = "") -> Edit | None:
    """The text with each [start, end) replaced; None where that changes nothing but capitals, or leaves nothing.

    >>> edit("a red car", [(2, 5, "blue")], "red → blue")
    Edit(text='a blue car', spans=((2, 6),), before=((2, 5),), what='red → blue', concept='')
    """
    pieces: list[str] = []
    spans, before = [], []
    position = length = 0
    for start, end, new in sorted(replacements):
        if start < position or not start <= end <= len(text):
            raise ValueError(f"replacements overlap or lie outside the text at [{start}, {end})")
        if text[start:end] == new:
            continue
        pieces += [text[position:start], new]
        length += start - position
        spans.append((length, length + len(new)))
        before.append((start, end))
        length += len(new)
        position = end
    edited = "".join([*pieces, text[position:]])
    if edited.casefold() == text.casefold() or not edited.strip():
        return None
    return Edit(edited, tuple(spans), tuple(before), what, concept)


def whole(text: str, new: str, what: str, concept: str = "") -> Edit | None:
    """The edit from one text to another: one span, from the first word that differs to the last; None as in `edit`.

    >>> whole("a cat and a dog", "a dog and a cat", "shuffled")
    Edit(text='a dog and a cat', spans=((2, 15),), before=((2, 15),), what='shuffled', concept='')
    """
    shortest = min(len(text), len(new))
    head = next((k for k in range(shortest) if text[k] != new[k]), shortest)
    tail = next((k for k in range(shortest - head) if text[-1 - k] != new[-1 - k]), shortest - head)
    while head > 0 and not text[head - 1].isspace():
        head -= 1
    while tail > 0 and not text[len(text) - tail].isspace():
        tail -= 1
    return edit(text, [(head, len(text) - tail, new[head : len(new) - tail])], what, concept)
