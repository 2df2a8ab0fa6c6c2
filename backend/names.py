"""What people may call what they bring with `--as`: other systems' predictions, and data of their own."""

import re
import unicodedata
from typing import Final

LONGEST: Final = 80
NAME: Final = re.compile(r"\w[\w .+()-]{0,79}")
#: The same in words.
NAME_HAS: Final = "1 to 80 letters, digits, spaces and . + - _ ( ), the first a letter or a digit"


def composed(text: str) -> str:
    """The name with each letter and its accent as one character, as keyboards write it; macOS writes two in the names
    of files, which no name may have.

    >>> len("e\u0301"), len(composed("e\u0301"))
    (2, 1)
    """
    return unicodedata.normalize("NFC", text)
