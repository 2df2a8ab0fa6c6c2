"""What a caption says, apart from how it says it."""

from dataclasses import dataclass
from typing import Final

from backend.world.attributes import ATTRIBUTES
from backend.world.scenes import Obj


@dataclass(frozen=True, slots=True)
class Thing:
    """A partial description of an object; None is left unsaid."""

    size: str | None = None
    fill: str | None = None
    colour: str | None = None
    shape: str | None = None

    def matches(self, o: Obj) -> bool:
        """Whether everything that is said is true of the object."""
        return (
            (self.shape is None or self.shape == o.shape)
            and (self.colour is None or self.colour == o.colour)
            and (self.size is None or self.size == o.size)
            and (self.fill is None or self.fill == o.fill)
        )


@dataclass(frozen=True, slots=True)
class Has:
    """The scene shows exactly so many objects of each description: pairs of thing and number.

    counted: the numbers are the point ("one star", never "a star").
    """

    groups: tuple[tuple[Thing, int], ...]
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """`first` is left of, right of, above or below `second`; each description fits one object only."""

    first: Thing
    direction: str
    second: Thing


@dataclass(frozen=True, slots=True)
class Located:
    """Each thing is in its place: left, right, top or bottom; each description fits one object only."""

    places: tuple[tuple[Thing, str], ...]


Meaning = Has | Related | Located

#: How much a phrase says of an object. Every level names the shape.
LEVELS: Final[tuple[tuple[str, ...], ...]] = (
    ("colour", "shape"),
    ("size", "colour", "shape"),
    ("fill", "colour", "shape"),
    ("size", "fill", "colour", "shape"),
    ("shape",),
    ("size", "shape"),
    ("fill", "shape"),
)
FULL_LEVEL: Final = LEVELS[3]


def describe(o: Obj, level: tuple[str, ...] = ATTRIBUTES) -> Thing:
    """The description of an object that says what `level` lists."""
    return Thing(
        o.size if "size" in level else None,
        o.fill if "fill" in level else None,
        o.colour if "colour" in level else None,
        o.shape if "shape" in level else None,
    )
