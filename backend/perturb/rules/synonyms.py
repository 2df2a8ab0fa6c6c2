"""A noun or an adjective by a synonym. Brittleness paper, 4.1.2: "replacing k nouns in a given caption with their
synonyms"; its text gives no k, ours is 1.

A synonym is a word of the same first sense in WordNet whose own first sense that is, too ("auto" for "car", but not
"machine"), where WordNet has counted both words in real texts: so both mean it most of the time. Only nouns of things
that can be seen. A few words are left out by name: captions mean another sense of them.
"""

from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import Choice, choose
from backend.perturb.words import lexicon
from backend.perturb.words.inflect import UNCOUNTED, plural
from backend.perturb.words.kinds import COLOURS
from backend.perturb.words.tokens import Word, tokens

#: WordNet's first sense is not the one that captions mean: replacing these would change the meaning.
_OTHER_SENSE: Final = frozenset(
    [
        "bike",
        "someone",
        "somebody",
        "group",
        "object",
        "couch",
        "lot",
        "bunch",
        "pair",
        "couple",
        "one",
        "number",
        "set",
        "top",
        "back",
        "front",
        "side",
        "middle",
        "end",
        "way",
        "area",
        "kind",
        "type",
        "part",
        "piece",
        "left",
        "right",
        "other",
        "next",
        "many",
        "several",
        "few",
        "own",
        "full",
        "same",
        "such",
        "more",
        "most",
        "last",
        "first",
    ]
)
#: Topics of WordNet whose nouns a picture can show.
_TOPICS: Final = frozenset(["Tops", "animal", "artifact", "body", "food", "object", "person", "plant", "substance"])
#: Never put in: pronouns, archaic or narrower words.
_UNUSABLE: Final = frozenset(
    [
        "someone",
        "somebody",
        "mortal",
        "lounge",
        "charabanc",
        "jitney",
        "autobus",
        "cherry",
        "ruby",
        "carmine",
        "cerise",
        "lav",
        "can",
        "john",
        "privy",
        "bog",
        "adipose",
        "ass",
        "fanny",
        "babe",
        "riotous",
        "twofold",
        "grownup",
        "man",
        "woman",
    ]
)


def options(word: Word) -> tuple[str, ...]:
    """The synonyms of a tagged word, in its number; none for names, numbers and what the lexicon lacks."""
    if word.lower in _OTHER_SENSE | UNCOUNTED or word.tag.startswith("NNP") or word.tag in ("JJR", "JJS"):
        return ()
    entry = lexicon.of(word)
    if entry is None or entry.lemma in _OTHER_SENSE:
        return ()
    if word.noun and entry.top not in _TOPICS:
        return ()
    found = [w for w in entry.synonyms if w not in _UNUSABLE and w != word.lower]
    if entry.lemma in COLOURS:  # WordNet calls crimson, ruby and cherry synonyms of red; a picture tells them apart
        found = [w for w in found if COLOURS.get(w) == COLOURS[entry.lemma] and entry.lemma in ("gray", "grey")]
    if word.tag == "NNS" and entry.lemma != word.lower:
        found = [plural(w) for w in found]
    return tuple(found)


def _synonym(text: str, rng: Random, *, nouns: bool) -> Edit | None:
    places = [word for word in tokens(text) if (word.noun if nouns else word.adjective)]
    return choose(text, [Choice(word.start, word.end, options(word)) for word in places], rng)


def synonym_noun(text: str, rng: Random) -> Edit | None:
    """One noun by a synonym in the same number."""
    return _synonym(text, rng, nouns=True)


def synonym_adjective(text: str, rng: Random) -> Edit | None:
    """One adjective by a synonym."""
    return _synonym(text, rng, nouns=False)


SYNONYM_NOUN = Perturbation(
    "synonym_noun", "Synonym of a noun", Effect.PRESERVING, "synonym", (), "brittleness", "4.1.2",
    "A noun by a word of the same first sense in WordNet.", "A large car is parked near two sofas.", synonym_noun,
)  # fmt: skip
SYNONYM_ADJECTIVE = Perturbation(
    "synonym_adjective", "Synonym of an adjective", Effect.PRESERVING, "synonym", (), "brittleness", "4.1.2",
    "An adjective by a word of the same first sense in WordNet.", "A big gray elephant beside a small tree.",
    synonym_adjective,
)  # fmt: skip
