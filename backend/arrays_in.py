"""What `numpy.load` raises for an array file that is damaged, or made to do harm. The header is Python's own notation,
which numpy reads with Python's tokenizer and parser, whose errors come through."""

from tokenize import TokenError
from typing import Final

DAMAGED: Final = (OSError, ValueError, EOFError, TokenError, SyntaxError, OverflowError, RecursionError, MemoryError)
