"""A statement is denied, or its denial is taken away (ours)."""

from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.dice import pick
from backend.perturb.edits import edit
from backend.perturb.words.inflect import article, base_of_third, like
from backend.perturb.words.tokens import Word, tokens

_AUXILIARIES: Final = frozenset(["is", "are", "was", "were", "can", "will", "could", "should", "would", "must", "may"])
_DENIED: Final = {"ca": "can", "wo": "will", "sha": "shall"}

Change = tuple[int, int, str]
#: Changes, what they are called, and the concept that they touch.
Option = tuple[list[Change], str, str]


def _affirmed(words: tuple[Word, ...], k: int) -> Option | None:
    """Word k denies something: the caption without that."""
    word, after = words[k], words[k + 1] if k + 1 < len(words) else None
    before = words[k - 1] if k else None
    if word.lower in ("not", "n't") and before is not None:
        if before.lower in _DENIED:
            return [(before.start, word.end, like(before.text, _DENIED[before.lower]))], "denial removed", ""
        return [(before.end, word.end, "")], "denial removed", ""
    if word.lower == "without" and after is not None:
        return [(word.start, word.end, like(word.text, "with"))], "without → with", "existence"
    if word.lower == "no" and after is not None and (after.noun or after.adjective):
        head = next((w for w in words[k + 1 :] if w.noun), after)
        new = "some" if head.tag == "NNS" else article(after.text)
        return [(word.start, word.end, like(word.text, new))], f"{word.lower} → {new}", "existence"
    return None


def _denied(words: tuple[Word, ...], k: int) -> Option | None:
    """Word k states something: the caption with that denied."""
    word, after = words[k], words[k + 1] if k + 1 < len(words) else None
    before = words[k - 1] if k else None
    if after is None or after.lower in ("not", "n't", "no", "without"):
        return None
    if word.lower in _AUXILIARIES and before is not None and (before.noun or before.tag in ("PRP", "EX", "WDT", "WP")):
        if before.tag == "EX":
            return [(word.end, word.end, " no")] if after.tag in ("CD", "NNS") else [], "+ no", "existence"
        return [(word.end, word.end, " not")], f"{word.text} not", ""
    if word.lower == "with" and after.tag in ("DT", "CD", "NNS", "NN", "JJ"):
        return [(word.start, word.end, like(word.text, "without"))], "with → without", "existence"
    if word.tag == "VBG" and before is not None and before.noun and after.tag in ("DT", "IN", "PRP$", "CD", "RB", "TO"):
        return [(word.start, word.start, "not ")], f"not {word.text}", "action"
    if word.tag == "VBZ" and before is not None and before.noun and word.lower not in ("is", "has", "does", "'s"):
        denied = f"does not {base_of_third(word.lower)}"
        return [(word.start, word.end, denied)], denied, "action"
    return None


def negation(text: str, rng: Random) -> Edit | None:
    """One denial taken away where there is one, else one verb or "with" denied."""
    words = tokens(text)
    undone = [option for k in range(len(words)) if (option := _affirmed(words, k))]
    done = [option for k in range(len(words)) if (option := _denied(words, k)) and option[0]]
    options = undone or done
    if not options:
        return None
    changes, what, concept = pick(rng, options)
    return edit(text, changes, what, concept)


NEGATION = Perturbation(
    "negation", "Negation", Effect.CHANGING, "negate", ("existence", "action"), "ours", "",
    "A statement is denied, or a denial taken away.", "A man with a hat is riding a horse.", negation,
)  # fmt: skip
