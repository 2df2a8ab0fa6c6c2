"""Reads captions back into meanings, by rules of its own: a check on the grammar that shares no code with it, and the
way from an item's texts, all that is stored of it, to what they say."""

import re

from backend.world.language.meanings import Has, Located, Meaning, Related, Thing

_FRAME = re.compile(
    r"^(there (is|are)|a picture (of|with)|an image of|this picture shows|the image contains|here (is|are)|we see"
    r"|the scene has|it shows) (?=\w)|(?<=\w) can be seen$"
)
_NUMBER = {"a": 1, "an": 1, "one": 1, "a single": 1, "two": 2, "a pair of": 2, "three": 3, "four": 4, "five": 5}
_SIZE = {"big": "big", "large": "big", "small": "small", "little": "small"}
_FILL = {"plain": "plain", "solid": "plain", "striped": "striped", "dotted": "dotted", "spotted": "dotted",
         "hollow": "hollow", "empty": "hollow", "with stripes": "striped", "with dots": "dotted"}  # fmt: skip
_COLOUR = {c: c for c in ["red", "blue", "green", "yellow", "orange", "purple", "pink", "black"]} | {"violet": "purple"}
_SHAPE = {"circle": "circle", "disc": "circle", "square": "square", "box": "square", "triangle": "triangle",
          "star": "star", "heart": "heart", "cross": "cross", "plus": "cross",
          "object": None, "shape": None, "thing": None}  # fmt: skip
_PLACE = {"left": "left", "right": "right", "top": "top", "bottom": "bottom", "upper": "top", "lower": "bottom"}
_PHRASE = re.compile(
    rf"(?P<number>a single|a pair of|an|a|one|two|three|four|five)(?: (?P<size>{'|'.join(_SIZE)}))?"
    rf"(?: (?P<fill>{'|'.join(f for f in _FILL if ' ' not in f)}))?(?: (?P<colour>{'|'.join(_COLOUR)}))?"
    rf" (?P<noun>{'|'.join(_SHAPE)})(?P<plural>e?s)?(?: in (?P<colour2>{'|'.join(_COLOUR)}))?"
    r"(?: (?P<fill2>with stripes|with dots))?"
)
_RELATION = re.compile(r"\b(?:(?:(?:to|on) the )?(left|right)(?: side)? of|(above|over|below|under))\b")
_AT = re.compile(r"\b(?:on|to|at|in) the (left|right|top|bottom|upper|lower)(?: side| half)?\b")


def read(text: str) -> Meaning | None:
    """What the caption says, or None where it is no caption."""
    rest = _FRAME.sub("", text)
    relation = _RELATION.search(rest)
    try:
        if relation:
            return _related(rest, relation)
        if _AT.search(rest):
            return Located(tuple(_located(part) for part in rest.split(" and ")))
        groups = [_phrase(part) for part in re.split(r" and | with (?=a |an |one |two |three |four |five )", rest)]
        return Has(tuple(groups))
    except ValueError:
        return None


def _related(rest: str, found: re.Match[str]) -> Related:
    word = found[1] or {"above": "above", "over": "above", "below": "below", "under": "below"}[found[2]]
    before, after = rest[: found.start()].strip(), rest[found.end() :].strip()
    if not before:
        after, before = after.split(" is ")
    return Related(_phrase(before.removesuffix(" is"))[0], word, _phrase(after)[0])


def _located(part: str) -> tuple[Thing, str]:
    found = _AT.search(part)
    if not found:
        raise ValueError(part)
    thing = (part[: found.start()] + part[found.end() :]).strip()
    return _phrase(thing.removeprefix("is "))[0], _PLACE[found[1]]


def _phrase(text: str) -> tuple[Thing, int]:
    found = _PHRASE.fullmatch(text)
    if not found or bool(found["plural"]) != (_NUMBER[found["number"]] > 1):
        raise ValueError(text)
    fill, colour = found["fill"] or found["fill2"], found["colour"] or found["colour2"]
    return Thing(
        _SIZE[found["size"]] if found["size"] else None,
        _FILL[fill] if fill else None,
        _COLOUR[colour] if colour else None,
        _SHAPE[found["noun"]],
    ), _NUMBER[found["number"]]
