"""One of several possible replacements, with capitals and the article before it put right."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from backend.perturb.base import Edit
from backend.perturb.dice import pick
from backend.perturb.edits import edit
from backend.perturb.words.inflect import article, like
from backend.perturb.words.tokens import tokens


@dataclass(frozen=True, slots=True)
class Choice:
    """A place [start, end) of a text and what may stand there instead, in lower case."""

    start: int
    end: int
    options: tuple[str, ...]
    concept: str = ""


def choose(text: str, choices: Sequence[Choice], rng: Random) -> Edit | None:
    """One place, each as likely as another, and one of its options; None where there is none."""
    open_ = [choice for choice in choices if choice.options]
    if not open_:
        return None
    choice = pick(rng, open_)
    return put(text, choice.start, choice.end, pick(rng, choice.options), choice.concept)


def put(text: str, start: int, end: int, new: str, concept: str = "") -> Edit | None:
    """The edit that puts `new` there, as large as what stood there, with "a" or "an" before it as it is spoken."""
    old = text[start:end]
    changes = [(start, end, like(old, new)), *article_before(text, start, new)]
    return edit(text, changes, f"{old} → {like(old, new)}", concept)


def article_before(text: str, start: int, new: str) -> list[tuple[int, int, str]]:
    """The replacement of an article right before `start` that no longer fits, or nothing."""
    for word in tokens(text):
        between = text[word.end : start]
        if word.lower in ("a", "an") and word.end < start and not between.strip() and "\n" not in between:
            right = like(word.text if len(word.text) > 1 or word.text.islower() else "A", article(new))
            right = right.capitalize() if word.text[0].isupper() else right
            return [] if right == word.text else [(word.start, word.end, right)]
    return []
