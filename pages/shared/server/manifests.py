"""Streamlit's look at every installed package, for components that it may bring, made short.

A server answers nobody before it is over. Streamlit asks each package's name, summary and what it needs, and each of
these questions reads the package's whole description anew: 0.18 s of a start with 190 packages, and longer while
another thread imports. A package that says "streamlit" nowhere in its description, nor is called `st-…`, cannot be one
of those that Streamlit is looking for; of the few others it is asked as before, so that a plugin's components are
found.
"""

import re
from importlib.metadata import Distribution
from typing import Final

from streamlit.components.v2 import manifest_scanner

#: What Streamlit 1.67 calls its own question; where another version has none, all is as it was.
_QUESTION: Final = "_is_likely_streamlit_component_package"
_WORD, _NAME = "streamlit", re.compile(r"^name:\s*st[-_]", re.MULTILINE)


def ask_few() -> None:
    """From now on Streamlit's own question is asked only of packages that may be meant."""
    question = getattr(manifest_scanner, _QUESTION, None)
    if question is None or getattr(question, "is_of_few", False):
        return

    def of_few(package: Distribution) -> bool:
        return may_be_meant(package) and bool(question(package))

    of_few.is_of_few = True  # type: ignore[attr-defined]
    setattr(manifest_scanner, _QUESTION, of_few)


def may_be_meant(package: Distribution) -> bool:
    """Whether Streamlit's question may be answered with yes; True where the description cannot be read."""
    try:
        said = package.read_text("METADATA") or package.read_text("PKG-INFO")
    except (OSError, ValueError):
        return True
    if not said:
        return True
    said = said.lower()
    return _WORD in said or _NAME.search(said) is not None
