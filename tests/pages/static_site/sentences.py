"""The sentences of a published site, which stand deflated in its scripts."""

import json
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

from tests.pages.static_site.conftest import unpacked


def inflated(text: str) -> Any:
    return json.loads(zlib.decompress(b64decode(text)))


def all_sentences(folder: Path) -> str:
    """Every sentence and finding on every item under every side."""
    found = []
    for path in sorted((folder / "data").glob("*-why-*.js")):
        said = unpacked(path)
        found += [line for name in ("said", "rest", "findings") for line in inflated(said[name])]
    return "\n".join(found)
