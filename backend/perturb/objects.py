"""A noun by one of another thing of the same kind (ours): a shape by a shape, a dog by a wolf, a bench by a chair.

Shapes and people stand in lists. Else it is the nouns that WordNet puts beside it: they share at least `NEAR` of all
that both are kinds of, and neither names what the other names, which would stay true. Only topics of which captions
mean WordNet's first sense most of the time.
"""

from functools import cache, lru_cache
from typing import Final

from backend.perturb.base import Edit
from backend.perturb.choices import put
from backend.perturb.words import lexicon
from backend.perturb.words.dictfiles import Entry
from backend.perturb.words.inflect import UNCOUNTED, plural
from backend.perturb.words.tokens import Word, tokens

#: Things of one kind, none of which is another.
LISTS: Final = (
    ("circle", "square", "triangle", "star", "heart", "cross"),
    ("man", "woman", "boy", "girl"),
)
TOPICS: Final = frozenset(["animal", "artifact", "food", "plant"])
#: The share of what is above two nouns in WordNet that both must have in common.
NEAR: Final = 0.9
MOST: Final = 6


def others(word: Word) -> tuple[str, ...]:
    """Nouns of other things of its kind, in its number; none for names, numbers and what is not known.

    >>> [others(word) for word in tokens("two circles") if word.noun][0][:2]
    ('squares', 'triangles')
    """
    entry = lexicon.of(word) if word.noun else None
    if entry is None or word.tag.startswith("NNP") or word.lower in UNCOUNTED:
        return ()
    found = _of(entry.lemma)
    return tuple(plural(each) for each in found) if word.lower != entry.lemma and word.tag == "NNS" else found


@lru_cache(maxsize=4096)
def _of(lemma: str) -> tuple[str, ...]:
    for listed in LISTS:
        if lemma in listed:
            return tuple(each for each in listed if each != lemma)
    entry = lexicon.find(lemma, "n")
    if entry is None or entry.top not in TOPICS:
        return ()
    near = []
    for other, found in _by_topic()[entry.top]:
        if found.same_or_kind_of(entry) or entry.same_or_kind_of(found):
            continue
        share = 2 * len(found.above & entry.above) / (len(found.above) + len(entry.above))
        if share >= NEAR and other not in UNCOUNTED:
            near.append((-share, other))
    return tuple(other for _, other in sorted(near)[:MOST])


@cache
def _by_topic() -> dict[str, list[tuple[str, Entry]]]:
    """Topic of WordNet -> the shipped nouns of it with their entries, in the table's order."""
    found: dict[str, list[tuple[str, Entry]]] = {topic: [] for topic in TOPICS}
    for (lemma, pos), entry in lexicon.table()[0].items():
        if pos == "n" and entry.top in found:
            found[entry.top].append((lemma, entry))
    return found


def edits(text: str) -> list[Edit]:
    """Every noun of the text by each of its `others`; none that the text names already."""
    words = tokens(text)
    named = {entry.lemma for word in words if word.noun and (entry := lexicon.of(word))}
    found = []
    for k, word in enumerate(words):
        if k + 1 < len(words) and words[k + 1].noun:  # "kitchen" of "kitchen door": the head names the thing
            continue
        for new in others(word):
            entry = lexicon.find(new, "n")
            edited = put(text, word.start, word.end, new, "object")
            if edited is not None and (entry is None or entry.lemma not in named):
                found.append(edited)
    return found
