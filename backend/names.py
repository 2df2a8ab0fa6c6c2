"""What people may call what they bring: other systems' predictions and data of their own (`--as`), orders of asking."""

import re
import unicodedata
from typing import Final

from backend.kinds import MEAN_ORDER

LONGEST: Final = 80
NAME: Final = re.compile(r"\w[\w .+()-]{0,79}")
#: The same in words.
NAME_HAS: Final = "1 to 80 letters, digits, spaces and . + - _ ( ), the first a letter or a digit"
#: What an order of asking is called. It stands in the name of a run's part (`verdict@NAME`) and of that part's files.
_ORDER: Final = re.compile(r"[\w .+()-]{1,80}")
#: Orders of asking that a system may have: as many as four captions have.
MOST_ORDERS: Final = 24


def composed(text: str) -> str:
    """The name with each letter and its accent as one character, as keyboards write it; macOS writes two in the names
    of files, which no name may have.

    >>> len("e\u0301"), len(composed("e\u0301"))
    (2, 1)
    """
    return unicodedata.normalize("NFC", text)


def order_fault(name: str) -> str:
    """Why no order of asking is called so, "" where one may be. The one rule for orders that are added, stored and
    imported. name: without blanks at its ends, `composed`; not "", which is no order.

    >>> order_fault("positive-first"), order_fault("A/B").partition(",")[0]
    ('', "no order of asking is called 'A/B'")
    """
    if name.casefold() == MEAN_ORDER:
        return f"no order of asking is called '{name}', for that is what all of them come to"
    if not _ORDER.fullmatch(name):
        return (
            f"no order of asking is called '{name[:40]}{'…' if len(name) > 40 else ''}', for its name has 1 to "
            f"{LONGEST} letters, digits, spaces and . + - _ ( )"
        )
    return ""
