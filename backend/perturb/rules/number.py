"""Another number, and singular for plural or plural for singular (ours; VALSE asks both of models)."""

from itertools import pairwise
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import Choice, choose
from backend.perturb.dice import pick
from backend.perturb.edits import edit
from backend.perturb.words import lexicon
from backend.perturb.words.inflect import UNCOUNTED, article, base_of_third, like, plural, third
from backend.perturb.words.tokens import Word, tokens

NUMBERS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SEVERAL: Final = frozenset(["several", "many", "some", "multiple", "numerous", *NUMBERS])
#: "a couple of", "a bunch of": the noun counts something else.
_MEASURES: Final = frozenset(
    ["couple", "bunch", "lot", "group", "pair", "variety", "row", "number", "piece", "set", "collection", "herd",
     "crowd",
     "bit", "few", "kind", "type", "way", "series", "half", "dozen", "total", "day", "night", "time", "middle"]
)  # fmt: skip
_TO_PLURAL: Final = {"is": "are", "was": "were", "has": "have", "does": "do"}
_TO_SINGULAR: Final = {many: one for one, many in _TO_PLURAL.items()}


def number(text: str, rng: Random) -> Edit | None:
    """One number from two to ten by one at most two away, so that nothing else has to change with it."""
    words = tokens(text)
    found = []
    for word, after in pairwise(words):
        if not (after.adjective or after.tag in ("NNS", "NNPS") or after.tag == "VBG"):
            continue
        value = NUMBERS.index(word.lower) + 2 if word.lower in NUMBERS else 0
        if word.text.isascii() and word.text.isdigit() and 2 <= int(word.text) <= 10:
            value = int(word.text)
        if value:
            others = [n for n in range(max(2, value - 2), min(10, value + 2) + 1) if n != value]
            options = tuple(str(n) if word.text.isdigit() else NUMBERS[n - 2] for n in others)
            found.append(Choice(word.start, word.end, options, "count"))
    return choose(text, found, rng)


def _head(words: tuple[Word, ...], k: int) -> int | None:
    """The head noun of the phrase whose determiner is word k; None where something else comes first."""
    j = k + 1
    while j < len(words) and (words[j].adjective or words[j].tag == "CD"):
        j += 1
    while j + 1 < len(words) and words[j].noun and words[j + 1].noun:
        j += 1
    return j if j < len(words) and words[j].noun and not words[j].tag.startswith("NNP") else None


def _verb(words: tuple[Word, ...], k: int, head: int, table: dict[str, str]) -> int | None:
    """The verb that agrees with the phrase of words k to head; −1 where there is none. None where it cannot be told."""
    after = words[head + 1] if head + 1 < len(words) else None
    if k and _one_more_noun(after):
        return None
    if k:  # not the subject of the sentence, or not surely
        return None if after is not None and (after.tag in ("VBZ", "VBP") or after.lower in table) else -1
    for j in range(head + 1, len(words)):
        word = words[j]
        if word.lower in table or (j == head + 1 and word.tag in ("VBZ", "VBP", "VB")):
            return j
        if word.tag in ("VBZ", "VBP", "WDT", "WP", "CC") or word.lower in ("that", "who", "which"):
            return None
    return -1


def _one_more_noun(word: Word | None) -> bool:
    """Whether the tagger takes for a verb what is rather a noun: "sink" of "a bathroom sink"."""
    return word is not None and word.tag == "VB"


def plurality(text: str, rng: Random) -> Edit | None:
    """ "a dog" by "several dogs", or the other way, with the verb that goes with it; None where that is not sure."""
    words = tokens(text)
    found: list[tuple[list[tuple[int, int, str]], str]] = []
    for k, word in enumerate(words):
        one, many = word.lower in ("a", "an", "one"), word.lower in _SEVERAL
        head = _head(words, k) if one or many else None
        if head is None or words[head].lower in _MEASURES | UNCOUNTED:
            continue
        noun = words[head]
        entry = lexicon.of(noun)
        if entry is None or (noun.tag == "NNS") != many or entry.lemma in _MEASURES | UNCOUNTED:
            continue
        new = plural(entry.lemma) if one else entry.lemma
        verb = _verb(words, k, head, _TO_PLURAL if one else _TO_SINGULAR)
        if verb is None or new == noun.lower or (one and entry.lemma != noun.lower):
            continue
        determiner = "several" if one else article(words[k + 1].text if head > k + 1 else new)
        changes = [(word.start, word.end, like(word.text.lower() if k else word.text.capitalize(), determiner))]
        changes.append((noun.start, noun.end, like(noun.text, new)))
        if verb >= 0:
            changes.append((words[verb].start, words[verb].end, _agreeing(words[verb].lower, to_plural=one)))
        found.append((changes, f"{text[word.start : noun.end]} → {determiner} … {new}"))
    if not found:
        return None
    changes, what = pick(rng, found)
    return edit(text, changes, what, "plurality")


def _agreeing(verb: str, *, to_plural: bool) -> str:
    table = _TO_PLURAL if to_plural else _TO_SINGULAR
    if verb in table:
        return table[verb]
    return base_of_third(verb) if to_plural else third(verb)


NUMBER = Perturbation(
    "number", "Number", Effect.CHANGING, "number", ("count",), "ours", "", "A number by another.",
    "Two dogs and three cats.", number,
)  # fmt: skip
PLURALITY = Perturbation(
    "plurality", "Singular and plural", Effect.CHANGING, "number", ("plurality",), "ours", "",
    "One thing by several, or several by one.", "A dog is lying on the grass.", plurality,
)  # fmt: skip
