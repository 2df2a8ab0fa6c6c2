"""Text cells of exported CSV files, so that no spreadsheet takes a caption or a name for a formula.

A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in front (OWASP, "CSV
Injection"), and so does one that begins with apostrophes and then one of these, so that `original` gives back exactly
what was there. Numbers are no text: a margin of -0.3 stays a number. JSON Lines and Parquet hold texts as they are.
"""

import re

#: The same as a regular expression for DuckDB (RE2) and Python.
DANGEROUS = r"^'*[=+\-@\t\r]"
_DANGEROUS = re.compile(DANGEROUS)
_NEUTRAL = re.compile(r"^'+[=+\-@\t\r]")


def neutral(text: str) -> str:
    """A text as a CSV cell.

    >>> neutral("=1+1"), neutral("a cat"), neutral("'-x")
    ("'=1+1", 'a cat', "''-x")
    """
    return f"'{text}" if _DANGEROUS.match(text) else text


def original(cell: str) -> str:
    """What `neutral` was given.

    >>> [original(neutral(text)) for text in ("=1+1", "a cat", "'-x", "'quoted'")]
    ['=1+1', 'a cat', "'-x", "'quoted'"]
    """
    return cell[1:] if _NEUTRAL.match(cell) else cell
