"""What must never stand in a published file: folders of this computer."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from backend import paths
from backend.errors import FlipsideError

#: A spec that names a place on this computer, or a server, and not a hub: `hf:/data/m`, `py:./a.py:C`, `st:~/m`.
_PLACE = re.compile(r"(?:[a-z_]+:)+(?:[/.~\\]|[a-z]:\\)|endpoint:|.*\.py(:|$)", re.IGNORECASE)
#: Shorter ones would be found in any text.
_SHORTEST = 4


def public(specs: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Spec -> what it is known by in the site: itself where it names a model anybody can find, else `local:` and its
    name on the pages, with a number where two are alike.

    >>> public(["hf:openai/clip", "hf:/home/me/m"], {"hf:/home/me/m": "m"})
    {'hf:openai/clip': 'hf:openai/clip', 'hf:/home/me/m': 'local:m'}
    """
    found: dict[str, str] = {}
    for spec in specs:
        name = spec
        if _PLACE.match(spec):
            label = names.get(spec, "model")
            label = "model" if _PLACE.match(label) or label.startswith(("/", "~", ".")) else label
            name, number = f"local:{label}", 2
            while name in found.values():
                name, number = f"local:{label} ({number})", number + 1
        found[spec] = name
    return found


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A value of JSON in which each spec stands under its public name, inside longer texts, too."""
    changed = {spec: name for spec, name in names.items() if spec != name}
    if not changed:
        return value
    if isinstance(value, str):
        for spec in sorted(changed, key=len, reverse=True):
            value = value.replace(spec, changed[spec])
        return value
    if isinstance(value, dict):
        return {renamed(key, changed): renamed(inner, changed) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(inner, changed) for inner in value]
    return value


def check(files: Mapping[str, bytes], private: Iterable[str]) -> None:
    """FlipsideError where a file names a folder of this computer, or one of `private` (data folders, model folders)."""
    homes = {str(Path.home()), str(paths.cache_dir().absolute()), str(paths.ROOT), os.environ.get("HOME", "")}
    words = [word.rstrip("/") for word in {*homes, *private} if len(word.rstrip("/")) >= _SHORTEST and "/" in word]
    for name, data in files.items():
        for word in words:
            if word.encode() in data:
                raise FlipsideError(
                    f"{name} would name the folder {word}, which nobody else should read; nothing was written. "
                    "Rename the model or the benchmark that carries it, and publish again."
                )
