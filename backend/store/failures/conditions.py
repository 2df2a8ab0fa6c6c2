"""Which of a filter's conditions every verdict of the listed runs meets.

A row counts for a facet where it meets every other condition, so of each row it is enough to know how many conditions
it misses and, where that is one, which. Conditions on items are asked of items, of which there are fewer than verdicts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import taxonomy
from backend.benchmarks.winoground_stub import GATED
from backend.errors import FlipsideError
from backend.store.build.store import Store
from backend.store.failures import columns, notes, own_verdicts
from backend.store.failures.columns import Items, Others, Verdicts, Words
from backend.store.failures.filter import FACETS, NARROWER, FailureFilter
from backend.store.rates.rates import headlines

Bools = NDArray[np.bool_]
#: What a row has to meet: a condition for each facet, one for its margin, and the rest.
CONDITIONS: Final = (*FACETS, "margin", "rest")
_OF_ITEMS: Final = ("benchmark", "subset", "concept", "perturbation", "tag", "note", "human")


@dataclass(frozen=True)
class Marks:
    """What people wrote about n items, by position: noted, bool (n,); verdict: the word of one's own (`own_verdicts`),
    none for most; dates: when it was given; tags: of the items that have any."""

    noted: Bools
    verdict: Words
    dates: Mapping[int, str]
    tags: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True)
class Asked:
    """The m verdicts of one run that is listed. missed: uint8 (m,), how many of CONDITIONS each misses; which: uint8
    (m,), where it misses one, that one's place among them. by_metric: bool (m,), whether it is by a metric asked for.
    lacks: bool (m,), whether it misses the condition on `correct`, and that on its margin."""

    items: Items
    verdicts: Verdicts
    others: Others
    marks: Marks
    missed: NDArray[np.uint8]
    which: NDArray[np.uint8]
    by_metric: Bools
    lacks: Mapping[str, Bools] = field(default_factory=dict)

    @cached_property
    def hits(self) -> NDArray[np.intp]:
        """The rows that meet all conditions."""
        return np.flatnonzero(self.missed == 0)

    def but(self, name: str) -> NDArray[np.intp]:
        """The rows that meet all conditions but this one, which they may miss."""
        alone = self._alone
        place = CONDITIONS.index(name)
        more = alone[self.which[alone] == place]
        return np.concatenate([self.hits, more]) if len(more) else self.hits

    def but_both(self, first: str, second: str) -> NDArray[np.intp]:
        """The rows that meet all conditions but these two, of which they may miss either or both."""
        places = CONDITIONS.index(first), CONDITIONS.index(second)
        both = np.flatnonzero((self.missed == 2) & (self.which == sum(places)))
        # Of two others the places may add up to the same: these two have to be the ones that are missed.
        rows = both[self.lacks[first][both] & self.lacks[second][both]]
        return np.concatenate([self.but(first), self.but(second), rows])

    @cached_property
    def _alone(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.missed == 1)


def ask(store: Store, wanted: FailureFilter) -> list[Asked]:
    """Every run that a filter lists. FlipsideError where it asks for what people wrote and that cannot be read."""
    runs = (wanted.run_id, *wanted.also)
    known = {run_id: columns.verdicts(store, run_id, wanted.setting) for run_id in runs}
    marks = _marks(store, wanted, [items for items, _ in known.values()])
    return [_one(store, wanted, *known[run_id], marks[known[run_id][0].benchmark]) for run_id in runs]


def _one(store: Store, wanted: FailureFilter, items: Items, verdicts: Verdicts, marks: Marks) -> Asked:
    missed_items, which_items = (np.zeros(len(items.item_no), dtype=np.uint8) for _ in range(2))
    for name, met in _of_items(wanted, items, marks).items():
        _count(missed_items, which_items, name, met)
    missed, which = missed_items[verdicts.item], which_items[verdicts.item]
    metrics = wanted.metrics or headlines(wanted.setting.kind)
    by_metric = verdicts.metric.among(metrics)
    under = wanted.other_setting or wanted.setting
    others = columns.others(store, verdicts.run_id, wanted.setting, wanted.other_run, under)
    _count(missed, which, "metric", by_metric)
    if wanted.cells:
        _count(missed, which, "cell", verdicts.cell.among(wanted.cells))
    if wanted.reasons:
        _count(missed, which, "reason", verdicts.reason.among(wanted.reasons))
    lacks = dict.fromkeys(("correct", "margin"), np.zeros(len(missed), dtype=np.bool_))
    if wanted.correct is not None:
        lacks["correct"] = verdicts.correct != int(wanted.correct)
        _count(missed, which, "correct", ~lacks["correct"])
    if wanted.margin is not None:
        low, high = wanted.margin
        lacks["margin"] = ~((verdicts.margin >= low) & (verdicts.margin <= high))
        _count(missed, which, "margin", ~lacks["margin"])
    rest = _rest(store, wanted, items, verdicts, others)
    if rest is not None:
        _count(missed, which, "rest", rest)
    return Asked(items, verdicts, others, marks, missed, which, by_metric, lacks)


def _count(missed: NDArray[np.uint8], which: NDArray[np.uint8], name: str, met: Bools) -> None:
    """Note who misses a condition; `which` adds up and says the place where one alone is missed."""
    failed = ~met
    missed += failed
    which += failed.view(np.uint8) * np.uint8(CONDITIONS.index(name))


def _of_items(wanted: FailureFilter, items: Items, marks: Marks) -> dict[str, Bools]:
    """The conditions on items that a filter has: condition -> whether each item meets it."""
    found: dict[str, Bools] = {}
    if wanted.benchmarks:
        found["benchmark"] = np.full(len(items.item_no), items.benchmark in wanted.benchmarks)
    if wanted.subsets:
        found["subset"] = items.subset.among(wanted.subsets)
    for name, chosen, terms, column in (
        ("concept", wanted.concepts, taxonomy.CONCEPTS, items.concepts),
        ("perturbation", wanted.perturbations, taxonomy.PERTURBATIONS, items.perturbations),
    ):
        if chosen:
            meant = set(_meant(chosen, terms))
            each = [bool(meant.intersection(words)) for words in columns.lists(column)]
            found[name] = np.array([*each, False])[column.codes]
    if wanted.tags:
        tagged = np.zeros(len(items.item_no), dtype=np.bool_)
        tagged[[at for at, words in marks.tags.items() if set(words) & set(wanted.tags)]] = True
        found["tag"] = tagged
    if wanted.noted is not None:
        found["note"] = marks.noted == wanted.noted
    if wanted.human:
        without = own_verdicts.NONE in wanted.human
        found["human"] = marks.verdict.among(wanted.human) | ((marks.verdict.codes < 0) & without)
    return found


def _meant(chosen: Iterable[str], terms: Iterable[str]) -> list[str]:
    """The terms that a choice stands for."""
    known = list(terms)
    each = [
        taxonomy.within(name.removesuffix(NARROWER), known) if name.endswith(NARROWER) else [name] for name in chosen
    ]
    return [name for names in each for name in names]


def _rest(store: Store, wanted: FailureFilter, items: Items, verdicts: Verdicts, others: Others) -> Bools | None:
    """Words searched for, items picked, and what the other run has to say; None where nothing of it is asked."""
    met: Bools | None = None
    for numbers in (_searched(store, items.benchmark, wanted.text.strip()), _picked(store, items, wanted)):
        if numbers is not None:
            inside = np.zeros(len(items.item_no), dtype=np.bool_)
            inside[items.place(numbers)] = True
            met = inside[verdicts.item] if met is None else met & inside[verdicts.item]
    if wanted.other_correct is not None:
        said: Bools = others.correct == int(wanted.other_correct)
        met = said if met is None else met & said
    return met


#: Letters in a caption, within a word, too; or an item by its id, or by what stands behind the id's last slash, its
#: number as a rule. What stands for a caption that is not here is none.
_SEARCH = f"""(
        NOT ends_with(i.texts[1], '{GATED}') AND contains(lower(array_to_string(i.texts, chr(10))), lower($text))
    )
    OR lower(i.item_id) = lower($text)
    OR lower(split_part(i.item_id, '/', -1)) = lower($text)"""


def _searched(store: Store, benchmark: str, text: str) -> NDArray[Any] | None:
    """The numbers of the items that a text is found in; None for no text. Captions are the widest column by far, so
    they are read only where they are searched."""
    if not text:
        return None

    def make() -> NDArray[Any]:
        asked = f"SELECT i.item_no FROM items i WHERE i.benchmark = $benchmark AND ({_SEARCH}) ORDER BY i.item_no"
        found = store.cursor().execute(asked, {"benchmark": benchmark, "text": text}).fetchnumpy()
        return np.asarray(found["item_no"])

    return store.cached(("failure search", benchmark, text), make)


def _picked(store: Store, items: Items, wanted: FailureFilter) -> NDArray[Any] | None:
    """The numbers of the items that alone are listed; None where all are."""
    if wanted.only is None:
        return None
    return numbers_of(store, items.benchmark, wanted.only)[0]


def numbers_of(store: Store, benchmark: str, item_ids: Iterable[str]) -> tuple[NDArray[Any], list[str]]:
    """Item numbers and ids of those of some items that a benchmark (hash) has, in the order of the numbers."""
    cursor = store.cursor()
    cursor.register("asked_ids", pd.DataFrame({"item_id": pd.Series(list(item_ids), dtype="str")}))
    rows = cursor.execute(
        """SELECT item_no, item_id FROM items WHERE benchmark = ?
            AND item_id IN (SELECT item_id::VARCHAR FROM asked_ids) ORDER BY item_no""",
        [benchmark],
    ).fetchall()
    cursor.close()
    return np.array([number for number, _ in rows], dtype=np.int64), [str(item_id) for _, item_id in rows]


def _marks(store: Store, wanted: FailureFilter, of: Iterable[Items]) -> dict[str, Marks]:
    """What people wrote about the items of the benchmarks that are listed, by benchmark."""
    listed = {items.benchmark: items for items in of}
    try:
        words = {(b, item): (tuple(tags), noted) for b, item, tags, noted in notes.marks(list(listed))}
        judged = own_verdicts.of(list(listed))
    except FlipsideError:
        if wanted.tags or wanted.noted is not None or wanted.human:
            raise
        words, judged = {}, {}  # a damaged notes file hides no failures
    found = {}
    for benchmark, items in listed.items():
        ids = [item for name, item in (*words, *judged) if name == benchmark]
        numbers, known = numbers_of(store, benchmark, dict.fromkeys(ids)) if ids else (np.zeros(0, np.int64), [])
        places = dict(zip(known, items.place(numbers).tolist(), strict=True))
        verdict = {places[item]: own for (name, item), own in judged.items() if name == benchmark and item in places}
        names = tuple(dict.fromkeys(own.verdict for own in verdict.values()))
        codes = np.full(len(items.item_no), -1, dtype=np.int32)
        codes[list(verdict)] = [names.index(own.verdict) for own in verdict.values()]
        noted = np.zeros(len(items.item_no), dtype=np.bool_)
        said = {places[item]: each for (name, item), each in words.items() if name == benchmark and item in places}
        noted[[at for at, (_, has) in said.items() if has]] = True
        found[benchmark] = Marks(
            noted, Words(codes, names), {at: own.made for at, own in verdict.items()},
            {at: tags for at, (tags, _) in said.items() if tags},
        )  # fmt: skip
    return found
