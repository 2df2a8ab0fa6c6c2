"""JSON that is nested deeper than any benchmark's file, refused while it is read.

The streaming parser keeps the path to where it is, one for each level: half a megabyte of opening brackets would take
twenty gigabytes of memory.
"""

import re
from typing import IO

import numpy as np

#: Levels; the deepest of the benchmarks' own files has six.
DEEPEST = 100
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class NestedTooDeeplyError(ValueError):
    """Says how deep is too deep."""


class Shallow:
    """A file of JSON that may be read while it is not too deep; NestedTooDeeplyError from `read` where it is."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.depth = 0
        self.in_text = False
        self.escaped = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes, their brackets counted."""
        block = self.file.read(size)
        self._follow(block)
        return block

    def _follow(self, block: bytes) -> None:
        plain = block[1:] if self.escaped else block
        self.escaped = False
        if b"\\" in plain:
            plain = _ESCAPED.sub(b"", plain)
            if plain.endswith(b"\\"):  # what it escapes comes with the next block
                self.escaped, plain = True, plain[:-1]
        pieces = plain.split(b'"')
        outside = b"".join(pieces[1 if self.in_text else 0 :: 2])
        self.in_text ^= len(pieces) % 2 == 0
        brackets = np.frombuffer(outside.translate(None, _NOT_BRACKETS), dtype=np.uint8)
        if brackets.size:
            steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
            deepest = self.depth + int(np.max(np.cumsum(steps), initial=0))
            self.depth += int(steps.sum())
            if deepest > DEEPEST:
                raise NestedTooDeeplyError(f"nested deeper than {DEEPEST} levels")
