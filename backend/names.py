"""What people may call what they bring: other systems' predictions and data of their own (`--as`), orders of asking."""

import re
import unicodedata
from typing import Final
from urllib.parse import quote

from backend.kinds import MEAN_ORDER

LONGEST: Final = 80
NAME: Final = re.compile(r"\w[\w .+()-]{0,79}")
#: The same in words.
NAME_HAS: Final = "1 to 80 letters, digits, spaces and . + - _ ( ), the first a letter or a digit"
#: What an order of asking is called. It stands in the name of a run's part (`verdict@NAME`) and of that part's files.
_ORDER: Final = re.compile(r"[\w .+()-]{1,80}")
#: Bytes that a name may take in the names of files, where signs and letters beyond A to Z are written as `%E5%85%88`. A
#: file's name has 255 on every system that we know; what stands around it takes the rest.
FITS: Final = 210
#: Orders of asking that a system may have: as many as four captions have.
MOST_ORDERS: Final = 24


def composed(text: str) -> str:
    """The name with each letter and its accent as one character, as keyboards write it; macOS writes two in the names
    of files, which no name may have.

    >>> len("e\u0301"), len(composed("e\u0301"))
    (2, 1)
    """
    return unicodedata.normalize("NFC", text)


def in_file_names(name: str) -> int:
    """How many bytes a name takes in the names of files (`store.build.attached.place`).

    >>> in_file_names("first (A)"), in_file_names("先")
    (15, 9)
    """
    return len(quote(name, safe="").replace(".", "%2E"))


def order_fault(name: str) -> str:
    """Why no order of asking is called so, "" where one may be. The one rule for orders that are added, stored and
    imported. name: without blanks at its ends, `composed`; not "", which is no order.

    >>> order_fault("positive-first"), order_fault("A/B").partition(",")[0]
    ('', "no order of asking is called 'A/B'")
    >>> order_fault("先" * 23), order_fault("先" * 24).partition(",")[0]
    ('', "no order of asking is called '先先先先先先先先先先先先先先先先先先先先先先先先'")
    """
    if name.casefold() == MEAN_ORDER:
        return f"no order of asking is called '{name}', for that is what all of them come to"
    if not _ORDER.fullmatch(name):
        return (
            f"no order of asking is called '{name[:40]}{'…' if len(name) > 40 else ''}', for its name has 1 to "
            f"{LONGEST} letters, digits, spaces and . + - _ ( )"
        )
    if in_file_names(name) > FITS:
        return (
            f"no order of asking is called '{name[:40]}{'…' if len(name) > 40 else ''}', for the names of its files "
            "would be too long: a blank counts as 3 letters there, a letter beyond A to Z as 6 to 12. 17 letters of "
            "any script fit"
        )
    return ""
