"""The SVLC paper's rule-based negatives of spatial relations, 3.1.1: "left" by "right", "in front of" by "behind", ….

The list is ours. The paper replaces one word by any other of the list; here a phrase is replaced by one that
contradicts it, for what is "near" may well be "beside", too.
"""

import re
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import Choice, choose

_SIDE: Final = r"(?:of|side|hand|corner|half|part|edge|end|arm|foot|leg|wing|lane|and)"
_BEFORE_SIDE: Final = r"\b(?:the|his|her|its|far) "
_THING: Final = r"(?=\s+(?:an?|the|his|her|its|their|some|several|two|three|another|each|it|them|him)\b)"
_MOVING: Final = r"\b(?:walking|running|riding|skiing|going|driving|climbing|moving|coming|skating|walks|rides) "

_RESTING: Final = "standing|sitting|lying|laying|parked|resting|perched|sits|stands|rests|lies"

#: (pattern, what contradicts it), the longer before the shorter: each place of a text is taken once.
RULES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), options)
    for pattern, options in (
        (r"\bin front of\b", ("behind",)),
        (r"\bon top of\b", ("underneath", "below")),
        (r"\b(?:far away|far) from\b", ("near",)),
        (r"\b(?:next to|close to)\b", ("far from",)),
        (r"\bout of" + _THING, ("into",)),
        (r"\binto" + _THING, ("out of",)),
        (r"\binside of\b", ("outside of",)),
        (r"\boutside of\b", ("inside of",)),
        (rf"\b(?P<a>left)(?= {_SIDE}\b)|{_BEFORE_SIDE}(?P<b>left)\b", ("right",)),
        (rf"\b(?P<a>right)(?= {_SIDE}\b)|{_BEFORE_SIDE}(?P<b>right)\b", ("left",)),
        (r"\bbehind\b", ("in front of",)),
        (r"\b(?:under|underneath|beneath)" + _THING, ("on top of", "above")),
        (r"\bbelow" + _THING, ("above",)),
        (r"\babove" + _THING, ("below", "under")),
        (r"\batop\b", ("underneath",)),
        (r"\b(?:beside|alongside)" + _THING, ("far from",)),
        (r"\bnear" + _THING, ("far from",)),
        (r"\binside" + _THING, ("outside",)),
        (r"\boutside" + _THING, ("inside",)),
        (r"\bindoors\b", ("outdoors",)),
        (r"\boutdoors\b", ("indoors",)),
        (r"\btowards?" + _THING, ("away from",)),
        (r"\baway from\b", ("towards",)),
        (_MOVING + r"(?P<a>up)" + _THING, ("down",)),
        (_MOVING + r"(?P<a>down)" + _THING, ("up",)),
        (r"\bthe (?P<a>top)(?= (?:of|shelf|corner|edge|part|left|right)\b)", ("bottom",)),
        (r"\bthe (?P<a>bottom)(?= (?:of|shelf|corner|edge|part|left|right)\b)", ("top",)),
        (
            rf"\b(?:{_RESTING}) (?P<a>on)" + _THING,
            ("under",),
        ),
    )
)


def places(text: str) -> list[Choice]:
    """Every spatial phrase that has an opposite, in order, none inside another."""
    found: list[Choice] = []
    for pattern, options in RULES:
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            if all(end <= taken.start or start >= taken.end for taken in found):
                found.append(Choice(start, end, options, "spatial"))
    return sorted(found, key=lambda choice: choice.start)


def negative_spatial(text: str, rng: Random) -> Edit | None:
    """One spatial phrase by one that contradicts it."""
    return choose(text, places(text), rng)


NEGATIVE_SPATIAL = Perturbation(
    "negative_spatial", "Negative: spatial", Effect.CHANGING, "replace", ("spatial",), "SVLC", "3.1.1",
    "A spatial phrase by one that contradicts it.", "A cat sits to the left of a dog.", negative_spatial,
)  # fmt: skip
