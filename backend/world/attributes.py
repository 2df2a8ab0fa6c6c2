"""What an object can be: six shapes, eight colours, two sizes, four fills; and which pairs training never sees."""

from typing import Final, Literal

Split = Literal["train", "test"]

SHAPES: Final = ("circle", "square", "triangle", "star", "heart", "cross")
COLOURS: Final = ("red", "blue", "green", "yellow", "orange", "purple", "pink", "black")
SIZES: Final = ("big", "small")
FILLS: Final = ("plain", "striped", "dotted", "hollow")

#: The attributes of an object, in the order in which a phrase names them.
ATTRIBUTES: Final = ("size", "fill", "colour", "shape")
VALUES: Final[dict[str, tuple[str, ...]]] = {"shape": SHAPES, "colour": COLOURS, "size": SIZES, "fill": FILLS}

DIRECTIONS: Final = ("left", "right", "above", "below")
CONVERSE: Final = {"left": "right", "right": "left", "above": "below", "below": "above"}
OPPOSITE: Final = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}

MAX_OBJECTS: Final = 5

#: (colour, shape) pairs that no training scene contains.
HELD_OUT: Final = frozenset({("red", "cross"), ("blue", "heart"), ("yellow", "star"), ("green", "triangle")})

#: Canvas in pixels, the grid that centres lie on, and per size: half the width of the shape, and how far its
#: sprite (outline, soft shadow, two pixels of filter) reaches from the centre. Centres keep `REACH` from the border.
CANVAS: Final = 256
GRID: Final = 4
RADIUS: Final = {"big": 34, "small": 22}
REACH: Final = {"big": 44, "small": 32}
#: Between two shapes there is at least the room that a shadow takes.
GAP: Final = 8
