"""The SVLC paper's rule-based negatives of actions, 3.1.1 ("etc."; the introduction names transitive actions): a verb
by another of its list, in the same form. The lists are ours; each holds actions that cannot be one and the same.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import Choice, choose
from backend.perturb.words import lexicon
from backend.perturb.words.inflect import ing, past, third
from backend.perturb.words.tokens import Word, tokens

#: Verbs without an object, which take any "on", "in", "near" after them (a thing's doing).
_DOING: Final = {
    "stand": ("sit", "lie", "run"), "sit": ("stand", "run", "walk"), "lie": ("stand", "run", "walk"),
    "kneel": ("stand", "run"), "walk": ("sit", "lie", "sleep"), "run": ("sit", "lie", "sleep"),
    "jump": ("sit", "lie", "sleep"), "sleep": ("run", "walk", "jump"), "swim": ("stand", "sleep", "sit"),
    "fly": ("sit", "walk", "sleep"), "smile": ("cry",), "laugh": ("cry",), "cry": ("laugh", "smile"),
    "crouch": ("stand", "run"), "jog": ("sit", "lie"),
}  # fmt: skip
#: Verbs with an object (an action between things).
_ACTION: Final = {
    "hold": ("throw", "catch", "drop"), "carry": ("throw", "drop", "kick"), "throw": ("catch", "hold", "kick"),
    "catch": ("throw", "kick"), "kick": ("catch", "hold", "carry"), "hit": ("catch", "hold"),
    "push": ("pull",), "pull": ("push",), "eat": ("cook", "cut", "throw"), "cut": ("eat", "throw"),
    "cook": ("eat", "throw"), "ride": ("wash", "push", "feed"), "wash": ("ride", "break"), "wear": ("hold", "carry"),
    "drink": ("pour", "spill"), "pour": ("drink",), "read": ("write", "tear"), "write": ("read", "tear"),
    "feed": ("chase", "wash"), "chase": ("feed", "follow"), "open": ("close",), "close": ("open",),
    "drive": ("wash", "push"), "climb": ("descend",),
}  # fmt: skip
_NOT_BEFORE: Final = frozenset({"pool", "stick", "room", "area", "path", "board", "machine", "shoes", "gear", "suit"})


def _forms() -> dict[str, tuple[str, str, str]]:
    """Form → (base, kind of form, concept). A form that is also its own base ("cut", "read") is left to the base."""
    table: dict[str, tuple[str, str, str]] = {}
    for verbs, concept in ((_DOING, "doing"), (_ACTION, "action")):
        for base in verbs:
            for form, kind in ((past(base), "past"), (ing(base), "ing"), (third(base), "third"), (base, "base")):
                table[form] = (base, kind, concept)
    table["laying"] = ("lie", "ing", "doing")
    return table


FORMS: Final = _forms()
_INFLECT: Final[dict[str, Callable[[str], str]]] = {"past": past, "ing": ing, "third": third, "base": str}


def _usable(words: tuple[Word, ...], k: int) -> bool:
    """Whether word k, which is one of the forms, is a verb here, with an object where it needs one."""
    word, (_, kind, concept) = words[k], FORMS[words[k].lower]
    before, after = words[k - 1] if k else None, words[k + 1] if k + 1 < len(words) else None
    if after is not None and after.lower in _NOT_BEFORE:
        return False
    if kind == "third" and (before is None or not (before.noun or before.tag in ("PRP", "WP", "WDT", "CC", "RB"))):
        return False
    if kind in ("base", "past"):
        subject = before is not None and before.tag in ("NNS", "TO", "MD", "PRP")
        if not subject or (kind == "past" and word.tag == "VBN"):
            return False
    if word.lower == "laying" and (after is None or after.tag not in ("IN", "RB", "TO")):
        return False
    if concept == "action":
        return after is not None and (after.tag in ("DT", "PRP$", "PRP", "CD", "PDT") or after.noun or after.adjective)
    return (after is None or after.tag not in ("DT", "PRP$", "RP")) and _living(words[:k])


def _living(words: tuple[Word, ...]) -> bool:
    """Whether the last noun names someone who can do this; a laptop that sits somewhere also stands there."""
    entry = next((lexicon.of(word) for word in reversed(words) if word.noun), None)
    return entry is None or entry.top in ("person", "animal", "group", "Tops")


def negative_action(text: str, rng: Random) -> Edit | None:
    """One verb by one of another action, in the same form."""
    words = tokens(text)
    found = []
    for k, word in enumerate(words):
        if word.lower not in FORMS or not _usable(words, k):
            continue
        base, kind, concept = FORMS[word.lower]
        bases = (_DOING if concept == "doing" else _ACTION)[base]
        found.append(Choice(word.start, word.end, tuple(_INFLECT[kind](other) for other in bases), concept))
    return choose(text, found, rng)


NEGATIVE_ACTION = Perturbation(
    "negative_action", "Negative: action", Effect.CHANGING, "replace", ("doing", "action"), "SVLC",
    "3.1.1 (“etc.”), introduction", "A verb by another in the same form.", "A man is holding a red ball.",
    negative_action,
)  # fmt: skip
