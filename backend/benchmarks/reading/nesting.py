"""JSON that is nested deeper than any benchmark's file, or holds an endless text, refused while it is read.

The streaming parser keeps the path to where it is, one for each level: half a megabyte of opening brackets would take
twenty gigabytes of memory. A text it joins anew with every block: one of 100 MB would take minutes.
"""

import re
from typing import IO

import numpy as np

#: Levels; the deepest of the benchmarks' own files has six.
DEEPEST = 100
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


#: Bytes; a record's text is refused far below that, one by one (`records.LONGEST_TEXT`).
LONGEST = 4 << 20


class UnboundedError(ValueError):
    """Says what of the file is too much."""


class Shallow:
    """A file of JSON that may be read while it is bounded; UnboundedError from `read` where it is not."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.depth = 0
        self.in_text = False
        self.escaped = False
        self.length = 0

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
        self.length = (self.length if len(pieces) == 1 else 0) + len(pieces[-1]) if self.in_text else 0
        if self.length > LONGEST:
            raise UnboundedError(f"holds a text of more than {LONGEST >> 20} MB")
        brackets = np.frombuffer(outside.translate(None, _NOT_BRACKETS), dtype=np.uint8)
        if brackets.size:
            steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
            deepest = self.depth + int(np.max(np.cumsum(steps), initial=0))
            self.depth += int(steps.sum())
            if deepest > DEEPEST:
                raise UnboundedError(f"is nested deeper than {DEEPEST} levels")
