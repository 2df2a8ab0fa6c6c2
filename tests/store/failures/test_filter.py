"""Every filter of Failures with every other, and the count beside each option, against pandas on the whole list."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

from backend import taxonomy
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from backend.store.failures import notes, own_verdicts
from backend.store.failures.filter import FACETS, NARROWER
from backend.store.queries import FailureFilter, FailurePage, Setting
from tests.pages import results

RUN, OTHER = "1" * 16, "2" * 16
LIST_OF = {
    "concept": "concepts",
    "perturbation": "perturbations",
    "cell": "cells",
    "reason": "reasons",
    "tag": "own_tags",
}
FIELD = {"subset": "subsets", "concept": "concepts", "perturbation": "perturbations", "cell": "cells",
         "reason": "reasons", "tag": "tags", "human": "human"}  # fmt: skip


@pytest.fixture
def store(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    results.write(flipside_cache)
    opened = open_store()
    rows = queries.failures(opened, everything()).rows
    benchmark, dice = str(rows["benchmark"].iloc[0]), Random(0)
    for item_id in rows["item_id"]:
        if dice.random() < 0.3:
            notes.add_tag(benchmark, item_id, dice.choice(["odd", "=mine", "check"]))
        if dice.random() < 0.4:
            notes.set_note(benchmark, item_id, "seen")
        if dice.random() < 0.2:
            own_verdicts.give(benchmark, item_id, dice.choice(list(own_verdicts.VERDICTS)))
    yield opened
    opened.close()


def rows_of(store: Store, wanted: FailureFilter) -> pd.DataFrame:
    """The rows that a filter leaves, with the two words of docs/reasons.md as lists, as their other words are."""
    rows = queries.failures(store, wanted).rows
    assert set(rows["cell"]) > {"", "right"}  # quads have cells here, nothing was scored under other images
    return rows.assign(**{f"{name}s": [[word] if word else [] for word in rows[name]] for name in ("cell", "reason")})


def everything() -> FailureFilter:
    return FailureFilter(RUN, Setting("itc"), correct=None, limit=10_000, other_run=OTHER, other_setting=Setting("itc"))


def holds(row: pd.Series, wanted: FailureFilter, facet: str) -> bool:
    """Whether a row meets one facet's condition, said once more without SQL."""
    chosen = getattr(wanted, FIELD.get(facet, ""), ())
    if facet in LIST_OF:
        meant = {
            term
            for name in chosen
            for term in (
                taxonomy.within(name.removesuffix(NARROWER), [*taxonomy.CONCEPTS, *taxonomy.PERTURBATIONS])
                if name.endswith(NARROWER)
                else [name]
            )
        }
        return not chosen or bool(meant & set(row[LIST_OF[facet]]))
    if facet == "subset":
        return not chosen or row["subset"] in chosen
    if facet == "correct":
        return wanted.correct is None or row["correct"] == wanted.correct
    if facet == "note":
        return wanted.noted is None or row["noted"] == wanted.noted
    if facet == "human":
        return not wanted.human or (row["own_verdict"] or own_verdicts.NONE) in wanted.human
    if facet == "margin":
        low, high = wanted.margin or (-1e9, 1e9)
        return low <= row["margin"] <= high
    if facet == "rest":
        said = wanted.text.lower() in "\n".join(row["texts"]).lower()
        said |= wanted.text.lower() in (row["item_id"].lower(), row["item_id"].lower().split("/")[-1])
        theirs = wanted.other_correct is None or row["other_correct"] == wanted.other_correct
        picked = wanted.only is None or row["item_id"] in wanted.only
        return said and bool(theirs) and picked
    return True


def counted(rows: pd.DataFrame, facet: str) -> dict[str, int]:
    if facet in LIST_OF:
        return rows[LIST_OF[facet]].explode().dropna().astype(str).value_counts().to_dict()
    values = {
        "correct": rows["correct"].map({True: "right", False: "wrong"}),
        "note": rows["noted"].map({True: "with", False: "without"}),
        "human": rows["own_verdict"].replace("", own_verdicts.NONE),
    }.get(facet, rows.get(facet))
    return values.astype(str).value_counts().to_dict()


def a_filter(every: pd.DataFrame, dice: Random) -> FailureFilter:
    """Some of every filter at once, with values that occur."""
    row = every.iloc[dice.randrange(len(every))]
    fields = {}
    for facet in (*LIST_OF, "subset", "human"):
        said = row["own_verdict"] or own_verdicts.NONE
        values = list(row[LIST_OF[facet]]) if facet in LIST_OF else [said if facet == "human" else row["subset"]]
        if values and dice.random() < 0.4:
            value = dice.choice(values)
            family = taxonomy.family(value) + NARROWER if facet in ("concept", "perturbation") else value
            fields[FIELD[facet]] = (dice.choice([value, family]),)
    words = row["texts"][0].split()
    return replace(
        everything(),
        correct=dice.choice([None, True, False]),
        noted=dice.choice([None, None, True, False]),
        margin=dice.choice([None, None, (row["margin"] - 0.5, row["margin"] + 0.5)]),
        text=dice.choice(["", "", dice.choice(words).upper(), row["item_id"].upper(), row["item_id"].split("/")[-1]]),
        other_correct=dice.choice([None, None, True, False]),
        only=dice.choice([None, None, tuple(every["item_id"].sample(60, random_state=dice.randrange(99)))]),
        **fields,
    )


def spread_agrees(
    found: FailurePage, every: pd.DataFrame, meets: dict[str, pd.Series], store: Store, wanted: FailureFilter
) -> None:
    """The histogram, counted bar by bar; and what some of its bars leave as a filter."""
    spread = found.spread
    assert spread is not None
    others = pd.concat([hit for name, hit in meets.items() if name not in ("margin", "correct")], axis=1).all(axis=1)
    inner = (float("-inf"), *spread.edges[1:-1], float("inf"))
    for k, (low, high) in enumerate(pairwise(inner)):
        inside = every[others & (every["margin"] > low) & (every["margin"] <= high)]
        assert (spread.right[k], spread.wrong[k]) == (inside["correct"].sum(), (~inside["correct"].astype(bool)).sum())
    first, last = len(spread.right) // 3, len(spread.right) // 2
    brushed = queries.failures(store, replace(wanted, correct=None, margin=spread.chosen(first, last))).total
    assert brushed == sum(spread.right[first : last + 1]) + sum(spread.wrong[first : last + 1])
    assert queries.failures(store, replace(wanted, margin=None)).spread == spread


@pytest.mark.slow
def test_filters_combine_and_their_counts_agree_with_brute_force(store: Store) -> None:
    every = rows_of(store, everything())
    metrics = tuple(queries.failures(store, everything()).facets["metric"])
    judged = rows_of(store, replace(everything(), metrics=metrics))
    dice, empty = Random(5), 0
    for _ in range(40):
        wanted = a_filter(every, dice)
        found = queries.failures(store, wanted)
        meets = {facet: every.apply(holds, axis=1, args=(wanted, facet)) for facet in (*FACETS, "margin", "rest")}
        expected = every[pd.concat(meets, axis=1).all(axis=1)]
        assert set(found.rows["item_id"]) == set(expected["item_id"])
        assert found.total == len(expected)
        empty += not found.total
        spread_agrees(found, every, meets, store, wanted)
        for facet in FACETS:
            others = pd.concat([hit for name, hit in meets.items() if name != facet], axis=1).all(axis=1)
            if facet == "metric":
                hits = [judged.apply(holds, axis=1, args=(wanted, name)) for name in meets if name != facet]
                counts = counted(judged[pd.concat(hits, axis=1).all(axis=1)], facet)
            else:
                counts = counted(every[others], facet)
            shown = {value: n for value, n in found.facets[facet].items() if not value.endswith(NARROWER)}
            assert shown == counts, facet
            for value, n in found.facets[facet].items():
                if value.endswith(NARROWER):
                    alone = replace(wanted, **{FIELD[facet]: (value,)})
                    assert n == every[others & every.apply(holds, axis=1, args=(alone, facet))].shape[0]
    assert empty < 25  # most combinations leave something, so that something was compared


def test_every_option_leaves_as_many_as_its_count_says(store: Store) -> None:
    wanted = replace(everything(), correct=False)
    counts = queries.failures(store, wanted).facets
    for facet, field in FIELD.items():
        for value, n in counts[facet].items():
            assert queries.failures(store, replace(wanted, **{field: (value,)})).total == n, (facet, value)
    assert queries.failures(store, replace(wanted, noted=True)).total == counts["note"]["with"]


@pytest.mark.slow
def test_the_order_is_that_of_the_margins(store: Store) -> None:
    for sort, key in (("margin", lambda m: m), ("-margin", lambda m: -m), ("near", abs)):
        margins = queries.failures(store, replace(everything(), sort=sort)).rows["margin"]
        keys = [key(m) for m in margins.dropna()]
        assert keys == sorted(keys)
        assert margins.isna().to_list() == sorted(margins.isna().to_list())
    rows = queries.failures(store, replace(everything(), sort="gap")).rows
    gap = (rows["margin"] - rows["other_margin"]).dropna().to_list()
    assert gap == sorted(gap)


@pytest.mark.parametrize("narrower", [{}, {"correct": False}, {"cells": ("no_binding",)}, {"reasons": ("uncertain",)}])
def test_why_what_is_listed_is_as_it_is_adds_up_to_the_list(store: Store, narrower: dict[str, Any]) -> None:
    """Of 152 failures 134 were said to be certified and 3 uncertain: nobody said what the other 15 were."""
    wanted = replace(everything(), **narrower)
    found = queries.failures(store, wanted)
    rows = found.rows.groupby(["cell", "reason"]).size().to_dict()
    assert found.why == rows
    assert sum(found.why.values()) == found.total
    if not narrower:
        assert found.why.get(("", ""), 0), "items without a reason are among them"
