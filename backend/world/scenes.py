"""Scenes: one to five objects on a canvas, their stable text code, and the split that their content decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final

from backend.errors import FlipsideError
from backend.world.attributes import (
    CANVAS,
    COLOURS,
    FILLS,
    GAP,
    GRID,
    HELD_OUT,
    MAX_OBJECTS,
    RADIUS,
    REACH,
    SHAPES,
    SIZES,
    Split,
)  # fmt: skip

#: Backgrounds: `render.background(tone)`.
TONES: Final = 16
URI_PREFIX: Final = "world:"

_SHAPE_CODE: Final = dict(zip(SHAPES, "cqtshx", strict=True))
_COLOUR_CODE: Final = dict(zip(COLOURS, "rbgyopik", strict=True))
_SIZE_CODE: Final = dict(zip(SIZES, "bs", strict=True))
_FILL_CODE: Final = dict(zip(FILLS, "psdh", strict=True))
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
_SHAPE: Final = {c: v for v, c in _SHAPE_CODE.items()}
_COLOUR: Final = {c: v for v, c in _COLOUR_CODE.items()}
_SIZE: Final = {c: v for v, c in _SIZE_CODE.items()}
_FILL: Final = {c: v for v, c in _FILL_CODE.items()}


@dataclass(frozen=True, slots=True)
class Obj:
    """One object. x, y: its centre in pixels of the 256-pixel canvas, multiples of four; y grows downwards."""

    shape: str
    colour: str
    size: str
    fill: str
    x: int
    y: int

    def code(self) -> str:
        """Six characters: shape, colour, size, fill, x, y."""
        return (
            _SHAPE_CODE[self.shape] + _COLOUR_CODE[self.colour] + _SIZE_CODE[self.size] + _FILL_CODE[self.fill]
            + _DIGITS[self.x // GRID] + _DIGITS[self.y // GRID]
        )  # fmt: skip

    @property
    def held_out(self) -> bool:
        """Whether this colour and shape never occur together in training."""
        return (self.colour, self.shape) in HELD_OUT

    def clear_of(self, other: "Obj") -> bool:
        """Whether the two, with their shadows, leave each other's pixels alone."""
        room = RADIUS[self.size] + RADIUS[other.size] + GAP
        return abs(self.x - other.x) >= room or abs(self.y - other.y) >= room


@dataclass(frozen=True)
class Scene:
    """Objects that do not overlap, on a background of one of the `TONES`."""

    objects: tuple[Obj, ...]
    tone: int = 0

    def code(self) -> str:
        """A compact text from which the scene can be rebuilt.

        >>> Scene((Obj("circle", "red", "big", "plain", 64, 128),), tone=3).code()
        '3.crbpGW'
        """
        return ".".join([_DIGITS[self.tone], *(o.code() for o in self.objects)])

    @staticmethod
    def decode(code: str) -> "Scene":
        """The scene of a code (a `world:` prefix is allowed). Codes that name no drawable scene are refused."""
        tone, *parts = code.removeprefix(URI_PREFIX).split(".")
        try:
            scene = Scene(tuple(_object(part) for part in parts), _DIGITS.find(tone) if len(tone) == 1 else -1)
        except (KeyError, ValueError):
            raise FlipsideError(f"“{code[:80]}” is no scene of the bundled world: {_fault(parts)}.") from None
        problem = scene.problem()
        if problem:
            raise FlipsideError(f"“{code[:80]}” is no scene of the bundled world: {problem}.")
        return scene

    def problem(self) -> str:
        """Why the scene cannot be drawn as the world's scenes are, or "" where it can."""
        if not 0 <= self.tone < TONES:
            return f"the background must be one of {TONES}"
        if not 1 <= len(self.objects) <= MAX_OBJECTS:
            return f"it must have 1 to {MAX_OBJECTS} objects"
        for i, o in enumerate(self.objects):
            if not all(REACH[o.size] <= v <= CANVAS - REACH[o.size] and v % GRID == 0 for v in (o.x, o.y)):
                return "an object stands outside the picture"
            if not all(o.clear_of(other) for other in self.objects[:i]):
                return "two objects overlap"
        return ""

    @property
    def uri(self) -> str:
        """What `backend.images.open_image` opens."""
        return URI_PREFIX + self.code()

    @cached_property
    def content_hash(self) -> str:
        """sha256 of the objects in any order; the background is no content."""
        return sha256(".".join(sorted(o.code() for o in self.objects)).encode()).hexdigest()

    @property
    def held_out(self) -> bool:
        """Whether some object's colour and shape never occur together in training."""
        return any(o.held_out for o in self.objects)


def split_of(scene: Scene) -> Split:
    """The split that a scene belongs to: 30 % of all contents, and all held-out pairs, are for testing only."""
    return "test" if scene.held_out or int(scene.content_hash[:8], 16) % 10 < 3 else "train"


def _fault(parts: Sequence[str]) -> str:
    """What is wrong with the first part of a code that says no object.

    >>> _fault(["crbpKO", "1zzz"]), _fault(["zrbpKO"])
    ('“1zzz” has not six characters', 'in “zrbpKO” “z” is no shape, which is one of cqtshx')
    """
    known = (("shape", _SHAPE), ("colour", _COLOUR), ("size", _SIZE), ("fill", _FILL), ("place", _DIGITS),
             ("place", _DIGITS))  # fmt: skip
    for part in parts:
        if len(part) != len(known):
            return f"“{part[:20]}” has not six characters"
        for letter, (what, letters) in zip(part, known, strict=True):
            if letter not in letters:
                return f"in “{part}” “{letter}” is no {what}, which is one of {''.join(letters)}"
    return "it names no object"


def _object(part: str) -> Obj:
    if len(part) != 6:
        raise ValueError(part)
    shape, colour, size, fill, x, y = tuple(part)
    return Obj(
        _SHAPE[shape], _COLOUR[colour], _SIZE[size], _FILL[fill], _DIGITS.index(x) * GRID, _DIGITS.index(y) * GRID
    )
