"""The words by which items of different benchmarks can be compared: what concept an item tests, and what was done to
its caption. One table each; docs/benchmarks.md shows them beside every benchmark's own labels.

An item's tags `concept` and `perturbation` hold names from here, the finest that its source supports; the source's own
labels stay in the tag `original`. Plain data: no torch, no streamlit, no duckdb.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the taxonomy. parent: the broader term, "" at the top. what: one phrase for people."""

    name: str
    parent: str
    what: str


def _terms(*rows: tuple[str, str, str]) -> dict[str, Term]:
    return {name: Term(name, parent, what) for name, parent, what in rows}


#: What an item tests.
CONCEPTS = _terms(
    ("object", "", "which thing is there"),
    ("attribute", "", "which thing has which property (binding, or a property not said more precisely)"),
    ("colour", "attribute", "what colour a thing has"),
    ("material", "attribute", "what a thing is made of"),
    ("size", "attribute", "how large a thing is"),
    ("state", "attribute", "in what state a thing is"),
    ("shape", "attribute", "what shape a thing has"),
    ("fill", "attribute", "how a shape is filled (the bundled world)"),
    ("doing", "attribute", "what a thing is doing, as a property of it (VL-CheckList: attribute, action)"),
    ("relation", "", "who does what to whom, or stands where to what"),
    ("spatial", "relation", "where things stand to one another"),
    ("action", "relation", "an action between things, and who takes which part in it"),
    ("location", "", "where in the picture a thing is"),
    ("count", "", "how many there are (counting)"),
    ("plurality", "count", "one or several"),
    ("existence", "", "whether a thing is there at all (negation)"),
    ("coreference", "", "what a pronoun stands for"),
    ("order", "", "in what order the words stand"),
    ("event", "", "what has changed between two moments of a video"),
    ("scene", "", "the whole picture"),
    ("class", "", "which of a list of names the picture shows"),
    ("sentence", "", "the whole sentence, not said more precisely"),
)

#: What was done to a caption.
PERTURBATIONS = _terms(
    ("none", "", "nothing: the caption as it was written"),
    ("replace", "", "one word or phrase by another of its kind"),
    ("swap", "", "two words or phrases of the caption changed places"),
    ("add", "", "something was added that the picture does not show"),
    ("negate", "", "a statement was denied, or a denial taken away"),
    ("number", "", "another number, or singular for plural"),
    ("tense", "", "another tense"),
    ("shuffle", "", "words in another order"),
    ("paraphrase", "", "other words for the same meaning"),
    ("synonym", "paraphrase", "one word by a synonym"),
    ("analogy", "paraphrase", "a sentence of the same meaning that a model wrote"),
    ("typo", "", "a slip in writing"),
    ("distraction", "", "a statement was added that is always true"),
    ("fill_mask", "replace", "a word by what a masked language model proposed"),
    ("edit_image", "", "the picture was changed, not the caption alone"),
    ("crop", "", "a region instead of the whole picture"),
    # The bundled world's own names, each under what it is.
    ("swap_colour", "swap", "two things' colours"),
    ("swap_fill", "swap", "two things' fillings"),
    ("swap_size", "swap", "two things' sizes"),
    ("swap_horizontal", "swap", "left and right"),
    ("swap_vertical", "swap", "above and below"),
    ("change_colour", "replace", "another colour"),
    ("change_fill", "replace", "another filling"),
    ("change_shape", "replace", "another shape"),
    ("change_size", "replace", "another size"),
    ("1_to_2", "number", "two for one"),
    ("2_to_3", "number", "three for two"),
    ("3_to_4", "number", "four for three"),
    ("4_to_5", "number", "five for four"),
    ("one_place_horizontal", "replace", "another place, left or right"),
    ("one_place_vertical", "replace", "another place, above or below"),
    ("two_places_horizontal", "swap", "two things' places, left and right"),
    ("two_places_vertical", "swap", "two things' places, above and below"),
    ("against_prior", "replace", "a foil that language alone finds likelier"),
    ("implausible", "replace", "a foil that language alone finds unlikely"),
)


#: What people read where a name is no plain word.
_TITLES = {
    "none": "as written",
    "negate": "negation",
    "fill_mask": "masked word filled in",
    "edit_image": "picture changed",
    "swap_colour": "colours swapped",
    "swap_fill": "fillings swapped",
    "swap_size": "sizes swapped",
    "swap_horizontal": "left and right swapped",
    "swap_vertical": "above and below swapped",
    "change_colour": "another colour",
    "change_fill": "another filling",
    "change_shape": "another shape",
    "change_size": "another size",
    "1_to_2": "two for one",
    "2_to_3": "three for two",
    "3_to_4": "four for three",
    "4_to_5": "five for four",
    "one_place_horizontal": "another place, left or right",
    "one_place_vertical": "another place, above or below",
    "two_places_horizontal": "two places swapped, left and right",
    "two_places_vertical": "two places swapped, above and below",
}


def title(name: str) -> str:
    """A concept, a change or a subset in plain words: what every page writes; keys stay in addresses and files.

    >>> title("one_place_vertical"), title("colour"), title("swap_att")
    ('another place, above or below', 'colour', 'swap att')
    """
    return _TITLES.get(name, name.replace("_", " "))


def check(concepts: Iterable[str] = (), perturbations: Iterable[str] = ()) -> None:
    """ValueError for a name that the tables lack.

    >>> check(["colour"], ["swapp"])
    Traceback (most recent call last):
    ValueError: 'swapp' is no perturbation of backend/taxonomy.py
    """
    for names, table, what in ((concepts, CONCEPTS, "concept"), (perturbations, PERTURBATIONS, "perturbation")):
        for name in names:
            if name not in table:
                raise ValueError(f"'{name}' is no {what} of backend/taxonomy.py")


def family(name: str) -> str:
    """The broadest term above a concept or a perturbation; the name itself where nothing is above it, or where it is
    none of ours (own data may bring its own words).

    >>> family("colour"), family("swap_fill"), family("order"), family("my own word")
    ('attribute', 'swap', 'order', 'my own word')
    """
    while (term := CONCEPTS.get(name) or PERTURBATIONS.get(name)) and term.parent:
        name = term.parent
    return name


def within(name: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that are `name` or stand below it, in their order.

    >>> within("attribute", ["size", "order", "attribute"])
    ['size', 'attribute']
    """
    return [each for each in names if name in _upwards(each)]


def _upwards(name: str) -> set[str]:
    found = {name}
    while (term := CONCEPTS.get(name) or PERTURBATIONS.get(name)) and term.parent:
        name = term.parent
        found.add(name)
    return found
