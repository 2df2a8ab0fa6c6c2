"""What people may call what they bring with `--as`: other systems' predictions, and data of their own."""

import re
from typing import Final

LONGEST: Final = 80
NAME: Final = re.compile(r"\w[\w .+()-]{0,79}")
#: The same in words.
NAME_HAS: Final = "1 to 80 letters, digits, spaces and . + - _ ( ), the first a letter or a digit"
