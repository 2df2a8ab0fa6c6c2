"""What items have in common, as traits that each has or has not: words of its true captions, concepts, its subset, why
a model fails on it. Images and captions on a map are dots of items; a test counts items, for the captions of one item
are no independent draws.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.metrics.enrichment import Contrast, compared, worth_testing
from backend.metrics.reasons.names import NAMES
from backend.store.items.embeddings import TEXT, Points

#: Words that are tested, the most frequent ones.
MOST_WORDS = 300
WORD, CONCEPT, SUBSET, REASON = "word", "concept", "subset", "reason"
#: Reasons that say no more than a verdict, or nothing.
_SAY_NOTHING = frozenset({"", "right", "uncertain"})
#: Articles: "an" is more frequent where oranges are, and says nothing of them.
_ARTICLES = frozenset({"a", "an", "the"})
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")


@dataclass(frozen=True)
class Trait:
    """sort: word, concept, subset or reason; name: as it stands in the benchmark (reasons: what a page calls them)."""

    sort: str
    name: str


@dataclass(frozen=True)
class Traits:
    """item_ids, in the order of the items; of: (dots,) the row of each dot's item; names and matrix (n items, k) of the
    traits that are worth testing; wrong: (n items,) 1, 0 or NaN without a verdict."""

    item_ids: list[str]
    of: NDArray[np.intp]
    names: list[Trait]
    matrix: NDArray[np.bool_]
    wrong: NDArray[np.float64]

    @property
    def judged(self) -> bool:
        """Whether any item has a verdict."""
        return bool((~np.isnan(self.wrong)).any())


@dataclass(frozen=True)
class Told:
    """What was found of a selection. found: traits beyond chance, the least p first; errors: its share of wrong items
    against the rest's, None without verdicts; tested: how many tests were corrected together; n_in, n_out: items."""

    found: list[tuple[Trait, Contrast]]
    errors: Contrast | None
    tested: int
    n_in: int
    n_out: int


def traits_of(of: Points, verdicts: pd.DataFrame | None = None) -> Traits:
    """The traits of all items of `of`. verdicts: correct and reason, one row a dot (see `point_verdicts.verdicts`); an
    item is wrong where any of its dots is."""
    frame = of.frame
    numbers, row = np.unique(frame["item_no"].to_numpy(), return_inverse=True)
    row = row.astype(np.intp)
    n = len(numbers)
    ids = pd.Series(frame["item_id"].to_numpy()).groupby(row).first().tolist()
    sets: list[set[Trait]] = [set() for _ in range(n)]
    for at, subset, concepts in zip(row.tolist(), frame["subset"], frame["concept"], strict=True):
        sets[at].add(Trait(SUBSET, str(subset)))
        sets[at].update(Trait(CONCEPT, name) for name in str(concepts or "").split("|") if name)
    wrong = np.full(n, np.nan)
    if verdicts is not None:
        correct = verdicts["correct"].astype("boolean")
        known = correct.notna().to_numpy()
        bad = ~correct.fillna(True).to_numpy(dtype=bool)
        wrong[row[known]] = 0.0
        wrong[row[bad]] = 1.0
        for at, reason in zip(row.tolist(), verdicts["reason"], strict=True):
            if reason not in _SAY_NOTHING and reason in NAMES:
                sets[at].add(Trait(REASON, NAMES[reason]))
    _add_words(of, row, sets)
    names, matrix = _tabled(sets)
    fine = worth_testing(matrix)
    return Traits(ids, row, [name for name, ok in zip(names, fine, strict=True) if ok], matrix[:, fine], wrong)


def inside(traits: Traits, of: Points, contents: Sequence[int] | NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which items have any of these contents (n items,)."""
    chosen = np.zeros(len(of.contents), dtype=bool)
    chosen[np.asarray(contents, dtype=np.intp)] = True
    found = np.zeros(len(traits.item_ids), dtype=bool)
    found[traits.of[chosen[of.frame["content"].to_numpy()]]] = True
    return found


def over_represented(traits: Traits, chosen: NDArray[np.bool_]) -> Told:
    """What some items (n items,) have more often than the rest, and how often they are wrong, corrected together."""
    told, errors = compared(traits.matrix, chosen, traits.wrong if traits.judged else None)
    found = [(name, one) for name, one in zip(traits.names, told, strict=True) if one.holds]
    found.sort(key=lambda pair: (pair[1].p, -pair[1].ratio, pair[0].sort, pair[0].name))
    tested = len(told) + (errors is not None)
    return Told(found, errors, tested, int(chosen.sum()), int((~chosen).sum()))


def _add_words(of: Points, row: NDArray[np.intp], sets: list[set[Trait]]) -> None:
    """The words of each item's true captions; of all its captions where the benchmark does not say which are true."""
    is_text = (of.frame["modality"] == TEXT).to_numpy()
    true = np.zeros(len(of.frame), dtype=bool)
    true[of.together[:, 1]] = True
    has_truth = np.zeros(len(sets), dtype=bool)
    has_truth[row[true & is_text]] = True
    use = is_text & (true | ~has_truth[row])
    labels = of.contents["label"].to_numpy()
    content = of.frame["content"].to_numpy()
    words: list[set[str]] = [set() for _ in sets]
    for at, caption in zip(row[use].tolist(), labels[content[use]], strict=True):
        words[at].update(word for word in _WORDS.findall(str(caption).lower()) if word not in _ARTICLES)
    counts = Counter(word for mine in words for word in mine)
    kept = {
        word for word, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if counts[word] < len(sets)
    }
    first = dict.fromkeys(sorted(kept, key=lambda word: (-counts[word], word))[:MOST_WORDS])
    for mine, all_of_it in zip(words, sets, strict=True):
        all_of_it.update(Trait(WORD, word) for word in mine if word in first)


def _tabled(sets: Sequence[set[Trait]]) -> tuple[list[Trait], NDArray[np.bool_]]:
    """Traits, each once where several are had by the very same items (a concept that is one word, say)."""
    order = {CONCEPT: 0, SUBSET: 1, REASON: 2, WORD: 3}
    names = sorted({trait for mine in sets for trait in mine}, key=lambda t: (order[t.sort], t.name))
    place = {trait: k for k, trait in enumerate(names)}
    matrix = np.zeros((len(sets), len(names)), dtype=bool)
    for at, mine in enumerate(sets):
        matrix[at, [place[trait] for trait in mine]] = True
    seen: set[bytes] = set()
    kept = []
    for k in range(len(names)):
        column = np.packbits(matrix[:, k]).tobytes()
        if column not in seen:
            seen.add(column)
            kept.append(k)
    return [names[k] for k in kept], matrix[:, kept]
