"""How fine-grained captions are: the features of the brittleness paper, section 3.1, for any set of captions.

The paper prints no formulas, and its text stops before it defines concept depth. Each feature below says what is the
paper's and what is our reading; docs/methods.md has them in one table. Each is a number per caption, averaged over the
captions where it is defined. Captions are read once and not kept.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from backend.perturb.estimates import Estimate, Running, Z
from backend.perturb.words import lexicon
from backend.perturb.words.tokens import Word, tokens


@dataclass(frozen=True, slots=True)
class Caption:
    """What the features look at. words: tokens with a letter or digit in them, clitics ("'s") included."""

    text: str
    words: tuple[Word, ...]
    nouns: tuple[Word, ...]
    adjectives: tuple[Word, ...]
    complements: int

    @classmethod
    def of(cls, text: str) -> "Caption":
        """Tagged once for all features."""
        every = tokens(text)
        words = tuple(word for word in every if any(c.isalnum() for c in word.text))
        nouns = tuple(word for word in words if word.noun)
        return cls(text, words, nouns, tuple(w for w in words if w.adjective), _complements(every))


def _complements(words: tuple[Word, ...]) -> int:
    """Phrases that complete a noun and begin right after it: "of …", "in …" (IN, TO), "that …", "who …" (WDT, WP),
    "riding …", "parked …" (VBG, VBN)."""
    return sum(
        a.noun and (b.tag in ("IN", "TO", "WDT", "WP", "WP$", "VBG", "VBN") or b.lower in ("that", "who", "which"))
        for a, b in pairwise(words)
    )


def _per_noun(count: Callable[[Caption], int]) -> Callable[[Caption], float | None]:
    return lambda caption: count(caption) / len(caption.nouns) if caption.nouns else None


def _depth(caption: Caption) -> float | None:
    found = [entry.depth for w in caption.nouns if (entry := lexicon.of(w)) is not None and entry.depth is not None]
    return sum(found) / len(found) if found else None


def _diversity(caption: Caption) -> float | None:
    if not caption.words:
        return None
    entries = [lexicon.of(word) for word in (*caption.nouns, *caption.adjectives)]
    return len({other for entry in entries if entry for other in entry.lemmas}) / len(caption.words)


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature. where: the paper's section; ours: what its text leaves open and how we read it, "" if nothing."""

    name: str
    title: str
    where: str
    ours: str
    of: Callable[[Caption], float | None]


FEATURES: Final = (
    Feature(
        "adjectives_per_noun", "Adjectives per noun", "3.1.1",
        "per caption; undefined without a noun", _per_noun(lambda c: len(c.adjectives)),
    ),
    Feature(
        "complements_per_noun", "Complement phrases per noun", "3.1.1",
        "a prepositional, relative or participle phrase that begins right after a noun",
        _per_noun(lambda c: c.complements),
    ),
    Feature(
        "concept_depth", "Concept depth", "3.1.1",
        "mean over the caption's known nouns: steps of the shortest way from the first sense up to WordNet's entity",
        _depth,
    ),
    Feature("characters", "Caption length (characters)", "3.1.2", "", lambda c: float(len(c.text.strip()))),
    Feature("words", "Number of words", "3.1.2", "tokens with a letter or digit", lambda c: float(len(c.words))),
    Feature(
        "distinct_words", "Distinct words", "", "in lower case",
        lambda c: float(len({w.lower for w in c.words})),
    ),
    Feature(
        "concept_diversity", "Concept diversity", "3.1.2",
        "distinct WordNet synonyms (first sense) of the caption's nouns and adjectives, divided by its words",
        _diversity,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Granularity:
    """The features of a set of captions. coverage: what the lexicon knows of its nouns and adjectives, without which
    depth and diversity mean little. vocabulary: distinct words of the whole set, lower case (it grows with the set)."""

    captions: int
    features: dict[str, Estimate]
    coverage: lexicon.Coverage
    vocabulary: int


def measure(captions: Iterable[str]) -> Granularity:
    """All features in one pass.

    >>> measured = measure(["A small dog.", "A man riding a big brown horse"])
    >>> measured.features["adjectives_per_noun"].mean, measured.features["words"].mean
    (1.0, 5.0)
    """
    running = {feature.name: Running() for feature in FEATURES}
    counts, vocabulary, n = [0, 0, 0, 0], set[str](), 0
    for text in captions:
        caption, n = Caption.of(text), n + 1
        vocabulary.update(word.lower for word in caption.words)
        for kind, found in ((0, caption.nouns), (2, caption.adjectives)):
            counts[kind] += len(found)
            counts[kind + 1] += sum(lexicon.of(word) is not None for word in found)
        for feature in FEATURES:
            value = feature.of(caption)
            if value is not None:
                running[feature.name].add(value)
    estimates = {name: each.estimate() for name, each in running.items()}
    return Granularity(n, estimates, lexicon.Coverage(*counts), len(vocabulary))


@dataclass(frozen=True, slots=True)
class Row:
    """One feature of two sets. difference: b − a; its ci95 from both standard errors (Welch, normal), so it takes the
    two sets as independent and is too wide for two versions of the same captions. clear: whether it leaves out 0."""

    feature: Feature
    a: Estimate
    b: Estimate
    difference: float | None
    ci95: tuple[float, float] | None

    @property
    def clear(self) -> bool | None:
        """None where there is no interval."""
        return None if self.ci95 is None else not self.ci95[0] <= 0 <= self.ci95[1]


def compare(a: Granularity, b: Granularity) -> list[Row]:
    """Both sets feature by feature, in the order of FEATURES: what a page shows."""
    rows = []
    for feature in FEATURES:
        one, other = a.features[feature.name], b.features[feature.name]
        difference = None if one.mean is None or other.mean is None else other.mean - one.mean
        interval = None
        if difference is not None and one.se is not None and other.se is not None:
            half = Z * math.hypot(one.se, other.se)
            interval = (difference - half, difference + half)
        rows.append(Row(feature, one, other, difference, interval))
    return rows
