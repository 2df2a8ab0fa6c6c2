"""Winoground's way of naming one of a quad's four scores: `7_c0_i1` is caption 0 with image 1 of item 7."""

import re
from typing import Final, NamedTuple

_LABEL: Final = re.compile(r"(.+)_c([01])_i([01])", re.DOTALL)


class Label(NamedTuple):
    """The item's own id, and which of its captions with which of its images."""

    item: str
    caption: int
    image: int


def parse(said: str) -> Label | None:
    """What a label names; None where it is none.

    >>> parse("7_c0_i1"), parse("test/7_c1_i0"), parse("a cat")
    (Label(item='7', caption=0, image=1), Label(item='test/7', caption=1, image=0), None)
    """
    found = _LABEL.fullmatch(said.strip())
    return None if found is None else Label(found[1], int(found[2]), int(found[3]))
