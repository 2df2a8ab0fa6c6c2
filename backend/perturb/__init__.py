"""Perturbations by name: caption edits, one small file a family, one line in the registry each.

>>> apply("negative_colour", "A red car.", seed=0).text
'A black car.'
"""

import difflib
import importlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from backend import plugins
from backend.errors import FlipsideError, UsageError
from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.dice import generator

__all__ = ["REGISTRY", "Edit", "Effect", "Perturbation", "apply", "apply_many", "everything", "get", "names"]

#: One line a perturbation: its name on the command line and where it is.
REGISTRY: dict[str, str] = {
    "character_swap": "backend.perturb.rules.typos:CHARACTER_SWAP",
    "missing_character": "backend.perturb.rules.typos:MISSING_CHARACTER",
    "extra_character": "backend.perturb.rules.typos:EXTRA_CHARACTER",
    "nearby_key": "backend.perturb.rules.typos:NEARBY_KEY",
    "synonym_noun": "backend.perturb.rules.synonyms:SYNONYM_NOUN",
    "synonym_adjective": "backend.perturb.rules.synonyms:SYNONYM_ADJECTIVE",
    "distraction": "backend.perturb.rules.distraction:DISTRACTION",
    "shuffle_nouns_adjectives": "backend.perturb.rules.shuffles:NOUNS_ADJECTIVES",
    "shuffle_all_words": "backend.perturb.rules.shuffles:ALL_WORDS",
    "shuffle_all_but_nouns_adjectives": "backend.perturb.rules.shuffles:ALL_BUT",
    "shuffle_within_trigrams": "backend.perturb.rules.shuffles:WITHIN_TRIGRAMS",
    "shuffle_trigrams": "backend.perturb.rules.shuffles:TRIGRAMS",
    "aro_nouns_adjectives": "backend.perturb.rules.aro:NOUNS_ADJECTIVES",
    "aro_other_words": "backend.perturb.rules.aro:OTHER_WORDS",
    "aro_within_trigrams": "backend.perturb.rules.aro:WITHIN_TRIGRAMS",
    "aro_trigrams": "backend.perturb.rules.aro:TRIGRAMS",
    "negative_colour": "backend.perturb.rules.attributes:NEGATIVE_COLOUR",
    "negative_material": "backend.perturb.rules.attributes:NEGATIVE_MATERIAL",
    "negative_size": "backend.perturb.rules.attributes:NEGATIVE_SIZE",
    "negative_state": "backend.perturb.rules.attributes:NEGATIVE_STATE",
    "negative_action": "backend.perturb.rules.verbs:NEGATIVE_ACTION",
    "negative_spatial": "backend.perturb.rules.spatial:NEGATIVE_SPATIAL",
    "swap_attributes": "backend.perturb.rules.swap:SWAP_ATTRIBUTES",
    "negation": "backend.perturb.rules.negation:NEGATION",
    "number": "backend.perturb.rules.number:NUMBER",
    "plurality": "backend.perturb.rules.number:PLURALITY",
    "tense": "backend.perturb.rules.tense:TENSE",
    "fill_mask": "backend.perturb.rules.proposed:FILL_MASK",
    "fill_mask_noun": "backend.perturb.rules.proposed:FILL_MASK_NOUN",
    "fill_mask_adjective": "backend.perturb.rules.proposed:FILL_MASK_ADJECTIVE",
    "fill_mask_verb": "backend.perturb.rules.proposed:FILL_MASK_VERB",
    "fill_mask_preposition": "backend.perturb.rules.proposed:FILL_MASK_PREPOSITION",
    "analogy": "backend.perturb.rules.proposed:ANALOGY",
}

#: Those of other installed packages.
BROUGHT = plugins.Group(
    "perturbations", "perturbation", "a backend.perturb.base.Perturbation with the name of its entry point",
    lambda name, found: plugins.named_wrong(Perturbation, name, found), lambda: REGISTRY,
)  # fmt: skip

#: How many questions a proposer is asked at once.
BATCH = 64


def names() -> list[str]:
    """All perturbation names, in the registry's order; then those of other packages, none of them imported."""
    return [*REGISTRY, *BROUGHT.names()]


def everything() -> list[Perturbation]:
    """All that can be used; a broken one of another package is skipped, and named by `plugins.troubles`."""
    return [*(get(name) for name in REGISTRY), *(_brought(name) for name, _ in BROUGHT.usable())]


def get(name: str) -> Perturbation:
    """The perturbation of that name; UsageError with near matches for a wrong one, PluginError for one of another
    package that cannot be used."""
    if name not in REGISTRY and BROUGHT.has(name):
        return _brought(name)
    if name not in REGISTRY:
        near = difflib.get_close_matches(name, names(), n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"unknown perturbation '{name}'.{hint} Available: {', '.join(names())}.")
    module, attribute = REGISTRY[name].split(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, Perturbation) or found.name != name:
        raise TypeError(f"{REGISTRY[name]} must be the Perturbation named '{name}'")
    return found


def _brought(name: str) -> Perturbation:
    """One of another package; whatever its rule raises is told as that package's fault, in one sentence."""
    found: Perturbation = BROUGHT.load(name)
    rule = found.rule
    if rule is None:
        return found

    def blaming(text: str, rng: Random) -> Edit | None:
        try:
            return rule(text, rng)
        except FlipsideError:
            raise
        except (Exception, SystemExit) as error:
            raise BROUGHT.blamed(name, error) from error

    return replace(found, rule=blaming)


def apply(perturbation: str | Perturbation, text: str, seed: int = 0) -> Edit | None:
    """The edit of one text, None where the perturbation does not apply.

    Depends on nothing but the perturbation's name, the text and the seed (and on its proposer, where it needs one): the
    same on every machine, in every process and whatever was edited before.
    """
    known = get(perturbation) if isinstance(perturbation, str) else perturbation
    return known.apply(text, generator(known.name, text, seed))


def apply_many(
    perturbation: str | Perturbation, texts: Iterable[str], seed: int = 0, batch: int = BATCH
) -> Iterator[Edit | None]:
    """`apply` for each text, in order and lazily; a proposer is asked `batch` texts at a time."""
    known = get(perturbation) if isinstance(perturbation, str) else perturbation
    stream = iter(texts)
    while chunk := list(islice(stream, batch)):
        dice = [generator(known.name, text, seed) for text in chunk]
        if not known.needs:
            yield from (known.apply(text, rng) for text, rng in zip(chunk, dice, strict=True))
            continue
        questions = [known.question(text, rng) for text, rng in zip(chunk, dice, strict=True)]
        asked = [(t, q, rng) for t, q, rng in zip(chunk, questions, dice, strict=True) if q is not None]
        settled = iter(known.settled(asked) if asked else [])
        yield from (None if question is None else next(settled) for question in questions)
