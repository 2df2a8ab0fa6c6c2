"""What items have in common, as traits that each has or has not: words of its true captions, concepts, its subset, why
a model fails on it. Images and captions on a map are dots of items; a test counts items, for the captions of one item
are no independent draws.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.metrics.enrichment import Contrast, compared, worth_testing
from backend.metrics.reasons.names import NAMES, of_group
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
    had = [
        *_had(row, frame["subset"], lambda name: [Trait(SUBSET, name)]),
        *_had(row, frame["concept"], lambda names: [Trait(CONCEPT, name) for name in names.split("|") if name]),
    ]
    wrong = np.full(n, np.nan)
    if verdicts is not None:
        correct = verdicts["correct"].astype("boolean")
        known = correct.notna().to_numpy()
        bad = ~correct.fillna(True).to_numpy(dtype=bool)
        wrong[row[known]] = 0.0
        wrong[row[bad]] = 1.0
        had += _had(row, verdicts["reason"], _reason)
    had += _words(of, row, n)
    names, matrix = _tabled(had, n)
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


#: A trait, and the items (rows) that have it, each once or more often.
Had = tuple[Trait, NDArray[np.intp]]


def _had(row: NDArray[np.intp], said: pd.Series, traits: Callable[[str], list[Trait]]) -> list[Had]:
    """The traits that a column of dots says. said: one word a dot; traits: of each different one."""
    codes, words = pd.factorize(said)
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(words) + 1))
    return [
        (trait, row[order[bounds[k] : bounds[k + 1]]])
        for k, word in enumerate(words)
        for trait in traits(str(word or ""))
    ]


def _reason(reason: str) -> list[Trait]:
    return [Trait(REASON, of_group(reason))] if reason not in _SAY_NOTHING and reason in NAMES else []


def _words(of: Points, row: NDArray[np.intp], n: int) -> list[Had]:
    """The words of each item's true captions; of all its captions where the benchmark does not say which are true."""
    is_text = (of.frame["modality"] == TEXT).to_numpy()
    true = np.zeros(len(of.frame), dtype=bool)
    true[of.together[:, 1]] = True
    has_truth = np.zeros(n, dtype=bool)
    has_truth[row[true & is_text]] = True
    use = is_text & (true | ~has_truth[row])
    labels = of.contents["label"].to_numpy()
    had: dict[str, list[NDArray[np.intp]]] = {}
    content = of.frame["content"].to_numpy()[use]
    order = np.argsort(content, kind="stable")
    captions, begin = np.unique(content[order], return_index=True)
    for caption, items in zip(captions.tolist(), np.split(row[use][order], begin[1:]), strict=True):
        for word in {*_WORDS.findall(str(labels[caption]).lower())} - _ARTICLES:
            had.setdefault(word, []).append(items)
    of_each = {word: np.unique(np.concatenate(items)) for word, items in had.items()}
    kept = [word for word, items in of_each.items() if len(items) < n]
    return [
        (Trait(WORD, word), of_each[word])
        for word in sorted(kept, key=lambda word: (-len(of_each[word]), word))[:MOST_WORDS]
    ]


def _tabled(had: Sequence[Had], n: int) -> tuple[list[Trait], NDArray[np.bool_]]:
    """Traits, each once where several are had by the very same of the n items (a concept that is one word, say)."""
    order = {CONCEPT: 0, SUBSET: 1, REASON: 2, WORD: 3}
    columns: dict[Trait, NDArray[np.bool_]] = {}
    for trait, items in had:
        columns.setdefault(trait, np.zeros(n, dtype=bool))[items] = True
    kept: dict[bytes, Trait] = {}
    for trait in sorted(columns, key=lambda t: (order[t.sort], t.name)):
        kept.setdefault(np.packbits(columns[trait]).tobytes(), trait)
    names = list(kept.values())
    return names, np.stack([columns[name] for name in names], axis=1) if names else np.zeros((n, 0), dtype=bool)
