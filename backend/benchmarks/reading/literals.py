"""Lists of texts that Python printed into a cell of a table: read without ever evaluating anything."""

import ast
import re

from backend.benchmarks.reading.malformed import Malformed

#: More characters, or more texts, than any list of captions has.
LONGEST = 1 << 20
MOST = 10_000

#: One quoted text and the comma behind it, or the bracket that ends the list left where it is.
_QUOTED = re.compile(r"""\s*[uU]?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*(?:,|(?=\]))""", re.DOTALL)
_END = re.compile(r"\s*\]")


def list_literal(cell: str) -> list[str]:
    """The texts of a Python list literal, in order. Malformed for anything but one flat list of quoted texts.

    Only quoted texts one after the other are looked for, so that no nesting, name or call in a cell means anything.

    >>> list_literal("['a cup and a fork', \\"a cook's hat\\"]")
    ['a cup and a fork', "a cook's hat"]
    >>> list_literal("[print('x')]")
    Traceback (most recent call last):
    backend.benchmarks.reading.malformed.Malformed: is no list of quoted texts near character 2
    """
    body = cell.strip()
    if len(body) > LONGEST:
        raise Malformed(f"has {len(body):,} characters, more than any list of captions")
    if not body.startswith("["):
        raise Malformed("is no list of quoted texts: it does not begin with '['")
    found: list[str] = []
    place = 1
    while not _END.match(body, place):
        match = _QUOTED.match(body, place)
        if match is None:
            raise Malformed(f"is no list of quoted texts near character {place + 1:,}")
        found.append(_unquoted(match[1]))
        if len(found) > MOST:
            raise Malformed(f"has more than {MOST:,} texts")
        place = match.end()
    if body[place:].strip() != "]":
        raise Malformed(f"goes on after the list's end, near character {place + 1:,}")
    return found


def _unquoted(literal: str) -> str:
    if "\\" not in literal:
        return literal[1:-1]
    try:
        return str(ast.literal_eval(literal))  # one quoted text, nothing nested
    except (ValueError, SyntaxError):
        raise Malformed(f"holds a text that Python cannot have written: {literal[:40]}") from None
