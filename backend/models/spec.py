"""Model specs: `<prefix>:<name>`, where a local folder may stand for a hub name."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from backend.errors import UsageError

#: Prefixes whose model says in its own config which family it belongs to, and those that name the family.
PREFIXES = {
    "bundled": "bundled:<name>, a small model that ships with Flipside",
    "hf": "hf:<hub name or folder>, any transformers model, recognised by its config",
    "openclip": "openclip:<architecture>/<tag, checkpoint file, or none>, or openclip:<hub name or folder>",
    "st": "st:<hub name or folder>, a sentence encoder",
    "lm": "lm:<hub name or folder>, a language model that sees no image",
    "fake": "fake:<ok, constant, nan, raise, slow>, scripted scores for tests",
}


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed spec; `str(spec)` is what the user typed."""

    prefix: str
    name: str

    def __str__(self) -> str:
        return f"{self.prefix}:{self.name}"


def parse(text: str) -> Spec:
    """The prefix and the name of a model spec.

    >>> parse("openclip:RN50/none")
    Spec(prefix='openclip', name='RN50/none')
    """
    prefix, colon, name = text.strip().partition(":")
    if prefix in PREFIXES and name:
        return Spec(prefix, name)
    known = ", ".join(f"{p}:" for p in PREFIXES)
    if prefix in PREFIXES:
        raise UsageError(f"Model spec {text!r} names no model: write {PREFIXES[prefix]}.")
    if not colon:
        raise UsageError(f"Model spec {text!r} has no prefix: write one of {known} before the name, as in hf:{text}.")
    raise UsageError(
        f"Model spec {text!r}: there is no family {prefix!r}.{did_you_mean(prefix, PREFIXES)} Known: {known}."
    )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " Did you mean …?" for the nearest of the known words, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
