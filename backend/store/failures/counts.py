"""What a page of Failures says of all that a filter leaves: how many, the counts of every facet, how margins spread."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import taxonomy
from backend.store.failures import own_verdicts
from backend.store.failures.columns import UNDEFINED, Codes, Words, lists
from backend.store.failures.conditions import Asked
from backend.store.failures.filter import FACETS, NARROWER
from backend.store.failures.margins import Histogram, histogram

#: Facets whose terms have broader ones above them.
_BROAD = ("concept", "perturbation")
Human = dict[str, tuple[int, int, int]]


def of(
    asked: Sequence[Asked], near: pd.DataFrame | None
) -> tuple[
    int, int, dict[str, dict[str, int]], tuple[float, float] | None, Histogram | None, Human, dict[tuple[str, str], int]
]:
    """total, n_items, facets, margins, spread, human, why: see `failures.FailurePage`. near: which verdicts are near
    misses; None where that is known of none."""
    hits = [each.verdicts.margin[each.hits] for each in asked]
    total = sum(map(len, hits))
    known = np.concatenate([margins[~np.isnan(margins)] for margins in hits])
    margins = (float(known.min()), float(known.max())) if len(known) else None
    human = _human(asked)
    judged = sum(n for _, n, _ in human.values())
    return total, judged, _facets(asked), margins, _spread(asked, near), human, _why(asked)


def _why(asked: Sequence[Asked]) -> dict[tuple[str, str], int]:
    """(cell, reason), "" where there is none -> how many of what is listed have both."""
    found: Counter[tuple[str, str]] = Counter()
    for each in asked:
        cells, reasons = each.verdicts.cell, each.verdicts.reason
        wide = len(reasons.names) + 1
        both = (cells.codes[each.hits].astype(np.int64) + 1) * wide + reasons.codes[each.hits] + 1
        for place, n in enumerate(np.bincount(both, minlength=(len(cells.names) + 1) * wide).tolist()):
            if n:
                cell, reason = divmod(place, wide)
                found[("", *cells.names)[cell], ("", *reasons.names)[reason]] += n
    return dict(found)


def _human(asked: Sequence[Asked]) -> Human:
    """By the word of a person's verdict, "" without one: items, their verdicts, how many are right; under any
    filter."""
    found: dict[str, list[int]] = {}
    for each in asked:
        rows = np.flatnonzero(each.by_metric & (each.verdicts.correct != UNDEFINED))
        item, right = each.verdicts.item[rows], each.verdicts.correct[rows] == 1
        words = each.marks.verdict.codes[item]
        for code in range(-1, len(each.marks.verdict.names)):
            mine = words == code
            if mine.any():
                items = len(np.unique(item[mine])) if code >= 0 else 0
                word = each.marks.verdict.names[code] if code >= 0 else ""
                sums = found.setdefault(word, [0, 0, 0])
                for at, n in enumerate((items, int(mine.sum()), int(right[mine].sum()))):
                    sums[at] += n
    return {word: (items, n, right) for word, (items, n, right) in found.items()}


def _facets(asked: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """A row counts for a facet where it meets every other condition."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    broad: dict[str, Counter[str]] = {name: Counter() for name in _BROAD}
    for each in asked:
        for name in FACETS:
            for words, n in _counted(each, name, each.but(name)):
                for word in words:
                    counts[name][word] += n
                if name in broad:
                    for family in set(map(taxonomy.family, words)):
                        broad[name][family] += n
    found = {name: _ranked(counted) for name, counted in counts.items()}
    for name in _BROAD:
        for family in dict.fromkeys(map(taxonomy.family, list(found[name]))):
            if len(taxonomy.within(family, found[name])) > 1:
                found[name][family + NARROWER] = broad[name][family]
    return found


def _counted(asked: Asked, facet: str, rows: NDArray[np.intp]) -> list[tuple[list[str], int]]:
    """(a facet's words, how many rows have them) of some rows; rows without a word count for nothing."""
    items, verdicts, marks = asked.items, asked.verdicts, asked.marks
    if facet == "benchmark":
        return [([items.benchmark], len(rows))]
    if facet in ("metric", "cell", "reason"):
        of: Words = getattr(verdicts, facet)
        return [([name], n) for name, n in zip(of.names, _times(of.codes[rows], len(of.names)), strict=True) if name]
    if facet == "correct":
        n = _times(verdicts.correct[rows].astype(np.int32) - UNDEFINED, 3)
        return [([word], times) for word, times in zip(("undefined", "wrong", "right"), n, strict=True)]
    item = verdicts.item[rows]
    if facet == "note":
        noted = int(marks.noted[item].sum())
        return [(["with"], noted), (["without"], len(rows) - noted)]
    if facet == "tag":
        per_item = np.bincount(item, minlength=len(items.item_no)) if marks.tags else np.zeros(0, dtype=np.intp)
        return [(list(words), int(per_item[at])) for at, words in marks.tags.items()]
    if facet == "human":
        named = _times(marks.verdict.codes[item], len(marks.verdict.names))
        without = ([own_verdicts.NONE], len(rows) - sum(named))
        return [without, *(([word], n) for word, n in zip(marks.verdict.names, named, strict=True))]
    column = {"subset": items.subset, "concept": items.concepts, "perturbation": items.perturbations}[facet]
    words = [[name] for name in column.names] if facet == "subset" else lists(column)
    return list(zip(words, _times(column.codes[item], len(column.names)), strict=True))


def _times(codes: Codes, names: int) -> list[int]:
    """How often each name stands in a column."""
    times: list[int] = np.bincount(codes + 1, minlength=names + 1)[1:].tolist()
    return times


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent first, equally frequent ones by name; what nothing counts for is left out.

    >>> _ranked({"b": 1, "a": 1, "c": 2, "d": 0})
    {'c': 2, 'a': 1, 'b': 1}
    """
    return dict(sorted(((word, n) for word, n in counts.items() if n), key=lambda each: (-each[1], each[0])))


def _spread(asked: Sequence[Asked], near: pd.DataFrame | None) -> Histogram | None:
    """The margins of every verdict by the metric, and of those that the other filters leave how many are right, and how
    many near misses."""
    parts: list[tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int8]]] = []
    for each in asked:
        verdicts = each.verdicts
        rows = np.flatnonzero(each.by_metric & (verdicts.correct != UNDEFINED) & np.isfinite(verdicts.margin))
        left = np.zeros(len(verdicts.item), dtype=np.bool_)
        left[each.but_both("margin", "correct")] = True
        told = np.full(len(rows), -1, dtype=np.int8) if near is None else _told(each, near)[rows]
        parts.append((verdicts.margin[rows], verdicts.correct[rows] == 1, left[rows], told))
    margins, correct, here, said = (np.concatenate(column) for column in zip(*parts, strict=True))
    is_told = said >= 0
    return histogram(margins, correct, here, said == 1 if is_told.any() else None, is_told)


def _told(asked: Asked, near: pd.DataFrame) -> NDArray[np.int8]:
    """Whether each verdict is a near miss, 1 or 0, or -1 where it cannot be told."""
    verdicts = asked.verdicts
    found = np.full(len(verdicts.item), -1, dtype=np.int8)
    mine = near[near["run_id"] == verdicts.run_id]
    for metric, part in mine.groupby("metric"):
        if metric not in verdicts.metric.names:
            continue
        by_item = np.full(len(asked.items.item_no) + 1, -1, dtype=np.int8)  # the last one stands for no item
        by_item[asked.items.place(part["item_no"].to_numpy())] = part["near"].to_numpy(dtype=np.int8)
        by_item[-1] = -1
        code = verdicts.metric.names.index(str(metric))
        rows = np.flatnonzero((verdicts.metric.codes == code) & (verdicts.query == -1))
        found[rows] = by_item[verdicts.item[rows]]
    return found
