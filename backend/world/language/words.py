"""The words of the world, and phrases for things: synonyms, plurals, articles."""

from typing import Final

from backend.world.dice import Dice
from backend.world.language.meanings import Thing

#: Singular and plural of each shape's names.
_NOUNS: Final = {
    "circle": (("circle", "circles"), ("disc", "discs")),
    "square": (("square", "squares"), ("box", "boxes")),
    "triangle": (("triangle", "triangles"),),
    "star": (("star", "stars"),),
    "heart": (("heart", "hearts"),),
    "cross": (("cross", "crosses"), ("plus", "pluses")),
}
_ANYTHING: Final = (("object", "objects"), ("shape", "shapes"), ("thing", "things"))
_COLOURS: Final = {"purple": ("purple", "violet")}
_SIZES: Final = {"big": ("big", "large"), "small": ("small", "little")}
_FILLS: Final = {
    "plain": ("plain", "solid"),
    "striped": ("striped", "with stripes"),
    "dotted": ("dotted", "spotted", "with dots"),
    "hollow": ("hollow", "empty"),
}
_NUMBERS: Final = {1: ("one", "a single"), 2: ("two", "a pair of"), 3: ("three",), 4: ("four",), 5: ("five",)}

MAX_WORDS: Final = 22

_WORDS: Final = """
a above an and are at be below big black blue bottom box boxes can circle circles contains cross crosses disc discs
dots dotted empty five four green half has heart hearts here hollow image in is it large left little lower object
objects of on one orange over pair picture pink plain plus pluses purple red right scene see seen shape shapes shows
side single small solid spotted square squares star stars striped stripes the there thing things this three to top
triangle triangles two under upper violet we with yellow
"""

#: Every word that a caption can contain, sorted.
VOCABULARY: Final[tuple[str, ...]] = tuple(sorted(_WORDS.split()))


def synonyms(what: str, value: str) -> int:
    """How many words a shape or a colour can be said with.

    >>> synonyms("shape", "circle"), synonyms("colour", "red")
    (2, 1)
    """
    return len(_NOUNS[value] if what == "shape" else _COLOURS.get(value, (value,)))


def other_words(word: str) -> tuple[str, ...]:
    """The other single words that say the same of a thing, in the same number.

    >>> other_words("squares"), other_words("big"), other_words("red")
    (('boxes',), ('large',), ())
    """
    alike = [names for nouns in _NOUNS.values() for names in zip(*nouns, strict=True)]
    alike += [*zip(*_ANYTHING, strict=True), *_COLOURS.values(), *_SIZES.values(), *_FILLS.values()]
    own = next((group for group in alike if word in group), ())
    return tuple(other for other in own if other != word and " " not in other)


def phrase(d: Dice, thing: Thing, number: int = 1, *, counted: bool = False, plain_style: bool = False) -> str:
    """A noun phrase: "a big striped red disc", "a pair of hearts in blue with dots".

    counted: say "one", not "a". plain_style: no words after the noun (the shortest phrase).
    """
    noun = d.pick(_NOUNS[thing.shape] if thing.shape else _ANYTHING)[number > 1]
    before: list[str] = []
    after = ""
    if thing.size:
        before.append(d.pick(_SIZES[thing.size]))
    if thing.fill:
        word = d.pick(_FILLS[thing.fill])
        if word.startswith("with ") and plain_style:
            word = thing.fill
        if word.startswith("with "):
            after = f" {word}"
        else:
            before.append(word)
    if thing.colour:
        colour = d.pick(_COLOURS.get(thing.colour, (thing.colour,)))
        if not plain_style and d.chance(8):
            after = f" in {colour}{after}"
        else:
            before.append(colour)
    words = " ".join([*before, noun]) + after
    if counted or number > 1:
        return f"{d.pick(_NUMBERS[number])} {words}"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
