"""The SVLC paper's rule-based negatives of attributes, 3.1.1: a colour, material, size or state word by another of its
list. "If a text has multiple candidates of words to be replaced, one of them is chosen randomly."

The paper prints no lists; ours stand in kinds.py and below. Beyond the paper: a word is never replaced by one that
means the same or a broader thing (big → large, metal → steel), nor by one that the caption already holds; "a" and "an"
before it are put right.
"""

from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import Choice, choose
from backend.perturb.words import lexicon
from backend.perturb.words.kinds import COLOURS, KIND_OF, MATERIALS, SIZES
from backend.perturb.words.tokens import BE, Word, tokens

_COMMON_COLOURS: Final = (
    "red", "blue", "green", "yellow", "orange", "purple", "pink", "black", "white", "brown", "gray",
)  # fmt: skip
_COMMON_MATERIALS: Final = ("wood", "metal", "plastic", "glass", "leather", "stone", "paper", "rubber")
_LIVING: Final = frozenset({"person", "animal"})

#: States and what contradicts them.
STATES: Final = {
    "open": ("closed",), "closed": ("open",), "shut": ("open",), "opened": ("closed",), "empty": ("full",),
    "full": ("empty",), "filled": ("empty",), "wet": ("dry",), "soaked": ("dry",), "damp": ("dry",), "dry": ("wet",),
    "dirty": ("clean",), "muddy": ("clean",), "messy": ("tidy",), "cluttered": ("tidy",), "tidy": ("messy",),
    "neat": ("messy",), "clean": ("dirty",), "broken": ("intact",), "cracked": ("intact",), "damaged": ("intact",),
    "hot": ("cold",), "warm": ("cold",), "cold": ("hot",), "frozen": ("melted",), "melted": ("frozen",),
    "new": ("old",), "young": ("old",), "elderly": ("young",), "old": ("new",), "ripe": ("unripe",),
    "unripe": ("ripe",), "raw": ("cooked",), "cooked": ("raw",), "uncooked": ("cooked",), "fresh": ("rotten",),
    "rotten": ("fresh",), "lit": ("unlit",), "unlit": ("lit",), "sliced": ("whole",), "cut": ("whole",),
    "chopped": ("whole",), "whole": ("sliced",), "peeled": ("unpeeled",), "unpeeled": ("peeled",),
    "folded": ("unfolded",), "unfolded": ("folded",), "crowded": ("deserted",), "busy": ("deserted",),
    "deserted": ("crowded",), "sunny": ("rainy", "cloudy", "foggy"), "cloudy": ("cloudless", "sunny"),
    "overcast": ("cloudless", "sunny"), "rainy": ("sunny",), "foggy": ("sunny",), "cloudless": ("cloudy", "overcast"),
     "asleep": ("awake",), "awake": ("asleep",), "happy": ("sad", "angry"), "sad": ("happy",),
    "angry": ("happy",), "smiling": ("frowning", "crying"), "crying": ("smiling", "laughing"),
    "rough": ("smooth", "calm"), "smooth": ("rough",), "calm": ("stormy",), "stormy": ("calm",), "bald": ("hairy",),
    "hairy": ("bald",), "curly": ("straight",), "straight": ("curved",), "curved": ("straight",),
    "naked": ("dressed",), "dressed": ("naked",), "dead": ("living",), "rusty": ("shiny",), "shiny": ("dull", "rusty"),
    "alive": ("dead",), "painted": ("unpainted",), "paved": ("unpaved",), "unpaved": ("paved",), "soft": ("hard",),
    "inflated": ("deflated",), "deflated": ("inflated",), "leafy": ("leafless",), "bare": ("leafy",),
}  # fmt: skip
#: These are mostly said of living things as something else, or are no states before these words.
_OF_PLANTS: Final = frozenset({"bare", "leafy"})
_PLANTS: Final = frozenset({"plant"})


def _following(words: tuple[Word, ...], k: int) -> Word | None:
    return words[k + 1] if k + 1 < len(words) else None


def _describes(words: tuple[Word, ...], k: int) -> bool:
    """Whether word k says something of a noun: right before one (or before an adjective of it), or after "is"."""
    after, before = _following(words, k), words[k - 1] if k else None
    if after is not None and (after.noun or after.adjective or after.tag == "VBG"):
        return not (before is not None and before.lower == "'s" and words[k].tag.startswith("VB"))
    return before is not None and before.lower in BE


def _named(words: tuple[Word, ...], k: int) -> str:
    """WordNet's topic of the noun that word k stands before; "" where that is unknown."""
    for word in words[k + 1 :]:
        if word.noun:
            entry = lexicon.of(word)
            return entry.top if entry else ""
        if not word.adjective:
            break
    return ""


def _ours(word: Word, kind: str) -> bool:
    return word.lower in KIND_OF and KIND_OF[word.lower].kind == kind and not (word.text[0].isupper() and word.start)


def negative_colour(text: str, rng: Random) -> Edit | None:
    """One colour by another that the caption does not name."""
    words = tokens(text)
    found = [word for word in words if _ours(word, "colour") and word.adjective]
    named = {COLOURS[word.lower] for word in words if word.lower in COLOURS}
    options = tuple(colour for colour in _COMMON_COLOURS if COLOURS[colour] not in named)
    return choose(text, [Choice(word.start, word.end, options, "colour") for word in found], rng)


def negative_material(text: str, rng: Random) -> Edit | None:
    """One material by another: "wooden" before a noun, "wood" after "made of"."""
    words = tokens(text)
    groups = {KIND_OF[word.lower].group for word in words if _ours(word, "material")}
    others = [name for name in _COMMON_MATERIALS if KIND_OF[name].group not in groups]
    found = []
    for k, word in enumerate(words):
        if not _ours(word, "material"):
            continue
        made = k > 1 and words[k - 1].lower in ("of", "from") and words[k - 2].lower in ("made", "is", "are", "built")
        if word.adjective and _describes(words, k):
            found.append(Choice(word.start, word.end, tuple(MATERIALS[name][0] for name in others), "material"))
        elif made:
            found.append(Choice(word.start, word.end, tuple(MATERIALS[name][1] for name in others), "material"))
    return choose(text, found, rng)


def negative_size(text: str, rng: Random) -> Edit | None:
    """One size by an opposite one."""
    words = tokens(text)
    found = []
    for k, word in enumerate(words):
        after = _following(words, k)
        if not (_ours(word, "size") and _describes(words, k)) or (after is not None and after.lower in ("bit", "way")):
            continue
        options = SIZES[word.lower]
        if word.lower == "short":
            options = ("tall",) if _named(words, k) in (*_LIVING, "plant") else ("long",)
        found.append(Choice(word.start, word.end, options, "size"))
    return choose(text, found, rng)


def negative_state(text: str, rng: Random) -> Edit | None:
    """One state by one that contradicts it."""
    words = tokens(text)
    found = []
    for k, word in enumerate(words):
        if word.lower not in STATES or not _describes(words, k) or (word.text[0].isupper() and k):
            continue
        after = _following(words, k)
        topic = _named(words, k)
        if after is not None and after.lower in ("of", "up", "by") and word.lower not in ("full",):
            continue
        if word.lower in _OF_PLANTS and topic not in _PLANTS:
            continue
        if word.lower.endswith("ed") and k and words[k - 1].tag not in ("DT", "PRP$", "CD", "JJ", "IN"):
            continue  # "a hydrant painted red", "is being peeled": something is done there
        options = STATES[word.lower]
        if word.lower == "old" and (topic in _LIVING or not topic):
            options = ("young",) if topic else ()
        if word.lower == "hot" and after is not None and after.lower in ("dog", "dogs"):
            continue
        found.append(Choice(word.start, word.end, options, "state"))
    return choose(text, found, rng)


def _made(name: str, title: str, where: str, what: str, example: str) -> Perturbation:
    concept = name.removeprefix("negative_")
    rule = {
        "colour": negative_colour, "material": negative_material, "size": negative_size, "state": negative_state,
    }[concept]  # fmt: skip
    return Perturbation(name, title, Effect.CHANGING, "replace", (concept,), "SVLC", where, what, example, rule)


NEGATIVE_COLOUR = _made(
    "negative_colour", "Negative: colour", "3.1.1", "A colour by another.", "A big brown dog"
)  # fmt: skip
NEGATIVE_MATERIAL = _made(
    "negative_material", "Negative: material", "3.1.1", "A material by another.", "A wooden table beside a brick wall."
)
NEGATIVE_SIZE = _made("negative_size", "Negative: size", "3.1.1", "A size by an opposite one.", "A big brown dog")
NEGATIVE_STATE = _made(
    "negative_state", "Negative: state", "3.1.1 (“etc.”), introduction", "A state by one that contradicts it.",
    "An old man beside an open window.",
)  # fmt: skip
