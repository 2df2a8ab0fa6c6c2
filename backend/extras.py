"""How what is an extra is installed: the packages that only some verbs and models need.

No index has Flipside itself, so a command names the checkout that it is installed from.
"""

from typing import Final

#: What `make setup` brings beside the program (scripts/setup.sh); the others are asked for by name.
WITH_SETUP: Final = ("openclip", "teach")


def install(extra: str) -> str:
    """What to type for an extra, installed and in a checkout, as the end of a sentence.

    >>> print(install("teach"))
    pip install 'flipside[teach] @ file:///path/to/the/checkout' (in a checkout: make setup)
    >>> install("ray").partition(" (")[2]
    "in a checkout: .venv/bin/python -m pip install -e '.[ray]')"
    """
    here = "make setup" if extra in WITH_SETUP else f".venv/bin/python -m pip install -e '.[{extra}]'"
    return f"pip install 'flipside[{extra}] @ file:///path/to/the/checkout' (in a checkout: {here})"
