"""A statement that is always true, added to the caption. Brittleness paper, 4.1.3: "statements that are always true and
do not add any meaningful content to the caption".

Its text neither prints the statements nor says where they stand. Ours stand at the end, and name nothing that a picture
could show or lack.
"""

import re
from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.dice import pick
from backend.perturb.edits import edit

STATEMENTS: Final = (
    "true is true", "false is not true", "what is so is so", "everything is itself", "a fact is a fact",
    "today is today", "it is what it is", "whatever happens happens", "the truth is never false", "always is always",
    "nothing is true and false at once", "a statement is true or not",
)  # fmt: skip
_END: Final = re.compile(r"[\s.!?]*$")


def distraction(text: str, rng: Random) -> Edit | None:
    """ ", and true is true" before the final full stop; None for a text without a word."""
    if not any(letter.isalnum() for letter in text):
        return None
    end = _END.search(text)
    place = end.start() if end else len(text)
    statement = pick(rng, STATEMENTS)
    return edit(text, [(place, place, f", and {statement}")], f"+ {statement}")


DISTRACTION = Perturbation(
    "distraction", "Distraction", Effect.PRESERVING, "distraction", (), "brittleness", "4.1.3",
    "A statement that is always true is added at the end.", "A red car is parked on the street.", distraction,
)  # fmt: skip
