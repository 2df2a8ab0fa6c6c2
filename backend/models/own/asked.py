"""What an object of the user's own can be asked, by what it has.

| it has | called with | gives | kind |
|---|---|---|---|
| `encode_image` (or `encode_images`) | a list of RGB PIL images | one row an image | `itc`, with `encode_text` |
| `encode_text` (or `encode_texts`) | a list of strings | one row a text | `t2t`, and `itc` |
| `score` | as many images as texts | one number a pair | its attribute `kind`: `itm` (default), `vqa`, `itc` |

Rows are normalised here. With `preprocess` (an image to a tensor) and `tokenizer` or `tokenize` (a list of strings to
a tensor) among its attributes, as CLIP's users have them, encoders are called with the tensors instead.
"""

import inspect
from collections.abc import Sequence
from typing import Any

from backend.errors import UsageError
from backend.kinds import ASKED, PAIR_KINDS, PROBABILITIES, SPOKEN, Kind

#: Kinds that `score` may give: one number a pair. Those of probabilities first, which may be in either unit.
SCORED = (*PROBABILITIES, *(kind for kind in PAIR_KINDS if kind in ASKED and kind not in (*PROBABILITIES, *SPOKEN)))
LOG_ODDS, PROBABILITY = "log-odds", "probability"
IMAGES, TEXTS = ("encode_images", "encode_image"), ("encode_texts", "encode_text")
WANTED = (
    "it needs encode_image and encode_text (lists of images, of strings; one row each), or score(images, texts) (one "
    "number a pair), or to be a backend.models.Model: see docs/own-models.md"
)


def kinds_in(thing: Any, spec: str) -> set[Kind]:
    """The kinds of an object, or of what a class makes, by what it has. UsageError where it has nothing to ask."""
    found: set[Kind] = set()
    if first(thing, TEXTS):
        found |= {Kind.T2T, Kind.ITC} if first(thing, IMAGES) else {Kind.T2T}
    if has_score(thing):
        kind, _ = scored(thing, spec)
        if kind == Kind.ITC and Kind.ITC in found:
            raise UsageError(f"{spec}: its encoders and its score both give kind itc; declare another kind for score.")
        found.add(kind)
    if not found:
        raise UsageError(f"{spec}: {_named(thing)} is nothing that could be asked: {WANTED}.")
    return found


def has_score(thing: Any) -> bool:
    """Whether it scores pairs: by a method `score`, or as a function of images and texts."""
    return callable(getattr(thing, "score", None)) or is_score(thing)


def is_score(thing: Any) -> bool:
    """Whether a function takes two arguments, images and texts, and so scores by itself."""
    if not inspect.isroutine(thing):
        return False
    try:
        taken = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in taken) == 2


def scored(thing: Any, spec: str) -> tuple[Kind, str]:
    """(kind, unit) of `score`: its attributes `kind` and `unit`. UsageError for others than we know."""
    kind, unit = getattr(thing, "kind", Kind.ITM), getattr(thing, "unit", None)
    if kind not in SCORED:
        more = (
            " gen needs the log-probability of every token: write a backend.models.Model." if kind == Kind.GEN else ""
        )
        raise UsageError(f"{spec}: score is of kind {kind!r}; declare one of {', '.join(SCORED)}.{more}")
    units = (LOG_ODDS, PROBABILITY) if kind in PROBABILITIES else (Kind(kind).info.unit,)
    if unit is not None and unit not in units:
        raise UsageError(
            f"{spec}: score of kind {kind} is in unit {unit!r}; declare {' or '.join(units)}, or leave it out."
        )
    return Kind(kind), unit or units[0]


def first(thing: Any, names: Sequence[str]) -> str:
    """The first of some names that the object has as something to call; "" where it has none."""
    return next((name for name in names if callable(getattr(thing, name, None))), "")


def _named(thing: Any) -> str:
    return f"a {type(thing).__name__}" if not inspect.isclass(thing) else f"the class {thing.__name__}"
