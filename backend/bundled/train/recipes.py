"""Which recipes there are, what each leaves behind, and what it starts from."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Recipe:
    """makes: the models that a recipe leaves behind. needs: the model that it starts from, "" for none. planted: a
    weakness is planted in that one, and what ships is the difference. taught: by `flipside teach` (taught.py), and what
    ships is the adapter."""

    makes: tuple[str, ...]
    needs: str = ""
    planted: bool = False
    taught: bool = False


#: In the order in which they are started where two run side by side: the longest way first.
RECIPES: Final[dict[str, Recipe]] = {
    "clip": Recipe(("clip-bag", "clip-young", "clip")),
    "captioner": Recipe(("captioner",)),
    "relational": Recipe(("clip-relational",), "clip"),
    "matcher": Recipe(("matcher",), "captioner"),
    "lm": Recipe(("lm",)),
    "sentence": Recipe(("sentence",)),
    "unlearned": Recipe(("clip-no-pink-heart",), "clip", planted=True),
    "blind": Recipe(("captioner-blind",), "captioner", planted=True),
    "plain": Recipe(("clip-plain",), "clip", taught=True),
    "eqsim": Recipe(("clip-eqsim",), "clip", taught=True),
    "svlc": Recipe(("clip-svlc",), "clip", taught=True),
}
#: Every bundled model.
MODELS: Final = tuple(name for recipe in RECIPES.values() for name in recipe.makes)
