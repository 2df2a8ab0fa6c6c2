"""Closed lists of colours, materials and sizes, for telling what an attribute is and for mending the tagger.

The lists are ours: the SVLC paper says that there is one for each characteristic, and prints none.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kind:
    """What an attribute word is. kind: a name of taxonomy.CONCEPTS. thing: the same word also names a thing ("an
    orange", "a glass", "wood"). group: words of one group mean the same, so that none is a negative of another."""

    kind: str
    group: str
    thing: bool = False


COLOURS: Final = {
    "red": "red", "crimson": "red", "scarlet": "red", "maroon": "red", "blue": "blue", "navy": "blue", "green": "green",
    "yellow": "yellow", "orange": "orange", "purple": "purple", "violet": "purple", "pink": "pink", "black": "black",
    "white": "white", "brown": "brown", "tan": "brown", "beige": "beige", "gray": "grey", "grey": "grey",
    "gold": "gold", "golden": "gold", "silver": "silver", "turquoise": "turquoise", "teal": "turquoise",
}  # fmt: skip

#: Adjective before a noun, noun after "of", per material. Words of one material are no negatives of one another.
MATERIALS: Final = {
    name: (name, name)
    for name in (
        "metal", "steel", "plastic", "glass", "leather", "stone", "brick", "concrete", "paper", "cardboard", "rubber",
        "cotton", "silk", "denim", "marble", "ceramic", "porcelain", "iron", "aluminum", "bamboo", "straw", "wicker",
        "clay", "granite",
    )
} | {"wood": ("wooden", "wood"), "wool": ("woolen", "wool"), "tile": ("tiled", "tile")}  # fmt: skip
#: A kind of another material is no negative of it.
_WITHIN: Final = {
    "steel": "metal", "iron": "metal", "aluminum": "metal", "brick": "stone", "marble": "stone", "granite": "stone",
    "concrete": "stone", "cardboard": "paper", "porcelain": "ceramic", "tile": "ceramic", "clay": "ceramic",
    "denim": "cotton", "wicker": "straw", "bamboo": "wood",
}  # fmt: skip
_OTHER_SPELLINGS: Final = {"woollen": "wool", "metallic": "metal", "aluminium": "aluminum"}

#: Sizes and their opposites.
_SMALL: Final = ("small", "little", "tiny")
_LARGE: Final = ("large", "big")
SIZES: Final = {
    "big": _SMALL, "large": _SMALL, "huge": _SMALL, "giant": _SMALL, "enormous": _SMALL, "massive": _SMALL,
    "gigantic": _SMALL, "oversized": _SMALL, "small": _LARGE, "little": _LARGE, "tiny": _LARGE, "miniature": _LARGE,
    "tall": ("short",), "short": ("tall", "long"), "long": ("short",), "wide": ("narrow",), "narrow": ("wide",),
    "thick": ("thin",), "thin": ("thick",), "bigger": ("smaller",), "larger": ("smaller",),
    "smaller": ("larger", "bigger"), "taller": ("shorter",), "shorter": ("taller", "longer"), "longer": ("shorter",),
}  # fmt: skip

#: Words that also name a thing of their own.
_THINGS: Final = frozenset(
    {"orange", "gold", "silver", "tan", "violet", "wood", "wool", "tile", "aluminium", *MATERIALS} - {"ceramic"}
)


def _table() -> dict[str, Kind]:
    table = {word: Kind("size", word) for word in SIZES}
    for material, forms in MATERIALS.items():
        for form in forms:
            table[form] = Kind("material", _WITHIN.get(material, material), form in _THINGS)
    for word, material in _OTHER_SPELLINGS.items():
        table[word] = Kind("material", _WITHIN.get(material, material), word in _THINGS)
    table |= {word: Kind("colour", group, word in _THINGS) for word, group in COLOURS.items()}
    return table


#: What each listed word is.
KIND_OF: Final = _table()
ATTRIBUTES: Final = frozenset(KIND_OF)
