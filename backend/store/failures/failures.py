"""Failures: the items that a filter leaves, a page of them, and counts for every facet."""

from dataclasses import dataclass, field, replace

import pandas as pd

from backend.store.build.store import Store
from backend.store.failures import counts, notes, order
from backend.store.failures.conditions import ask
from backend.store.failures.filter import FACETS, NARROWER, FailureFilter, Sort
from backend.store.failures.margins import Histogram
from backend.store.labels import sensitive

__all__ = ["FACETS", "NARROWER", "FailureFilter", "FailurePage", "Sort", "failure_ids", "failures"]


@dataclass(frozen=True)
class FailurePage:
    """A page of what a filter leaves.

    rows: one item (or query) a row, with run_id, benchmark (hash), item_no, item_id, subset, protocol, texts,
    image_keys, image_uris, cluster (what items share), concepts, perturbations, metric, query, correct, margin, ties,
    cell, reason ("" where not measured), own_tags, noted, own_verdict and own_date (a person's, "" without one),
    other_correct, other_margin, and of all models of the benchmark models_right, models_judging and people_right (see
    `models_right.ModelsRight`). total: how many the filter leaves. n_items: how many have a verdict under this run and
    setting. facets: facet -> value -> how many the filter would leave with only this value of the facet chosen;
    concepts and perturbations count broader terms (`attribute/*`), too, where several narrower ones are there. margins:
    the smallest and the largest of what the filter leaves; None without any. spread: the histogram of the margins;
    None without any. human: word of a person's verdict ("" for none) -> of all that has a verdict under this run and
    setting, under any filter: how many items (0 for those without one), their verdicts, how many of these are right.
    why: (cell, reason), "" for none -> how many of the total have both; they add up to the total.
    """

    rows: pd.DataFrame
    total: int
    n_items: int
    facets: dict[str, dict[str, int]]
    margins: tuple[float, float] | None = None
    spread: Histogram | None = None
    human: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    why: dict[tuple[str, str], int] = field(default_factory=dict)


def failures(store: Store, wanted: FailureFilter) -> FailurePage:
    """One page of what a filter leaves. Its counts are kept: another page, order or view asks for rows only."""
    counted = ("failure counts", notes.version(), replace(wanted, sort="item", limit=1, offset=0))
    asked = ask(store, wanted)
    rows = order.page(store, wanted, asked)
    return FailurePage(rows, *store.cached(counted, lambda: counts.of(asked, _near(store, wanted))))


def _near(store: Store, wanted: FailureFilter) -> pd.DataFrame | None:
    """Which verdicts of the listed runs are near misses (`sensitive.near_of_run`); None where that is known of none.
    Edits are scored as they come: under another setting than the kind's own nothing is said."""
    if not wanted.setting.is_default:
        return None
    of = [sensitive.near_of_run(store, run, wanted.setting.kind) for run in (wanted.run_id, *wanted.also)]
    known = [frame for frame in of if len(frame)]
    return pd.concat(known, ignore_index=True) if known else None


def failure_ids(store: Store, wanted: FailureFilter) -> list[str]:
    """The item ids of everything that a filter leaves, in its order: for previous, next and export."""
    return order.ids(store, wanted, ask(store, wanted))
