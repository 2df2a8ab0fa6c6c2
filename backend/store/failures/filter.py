"""What Failures may be asked for."""

from dataclasses import dataclass, field, replace
from typing import Literal

from backend.store.scores.setting import Setting

#: Facet -> the column of the filtered table that it counts; lists count each of their members.
FACETS = (
    "benchmark",
    "subset",
    "concept",
    "perturbation",
    "cell",
    "reason",
    "metric",
    "correct",
    "tag",
    "note",
    "human",
)

#: Ends a concept or perturbation that stands for itself and all narrower terms: `attribute/*`.
NARROWER = "/*"

Sort = Literal["margin", "-margin", "near", "fewest", "most", "item", "gap"]
#: Orders by margins, which verdicts alone have not: they stand in the benchmark's order.
BY_MARGIN = frozenset({"margin", "near", "-margin", "gap"})


@dataclass(frozen=True)
class FailureFilter:
    """What to list. Empty tuples and None mean "any".

    run_id, setting: whose outcomes. metrics: by name; empty takes each protocol's headline metric. correct: False lists
    failures, True successes, None both. concepts, perturbations: terms of backend/taxonomy.py or an item's own words;
    one that ends in `/*` stands for itself and all narrower terms. margin: (from, to), both included. text: letters in
    any caption, within a word, too, in any case, or an item by its id or by its id's last part. cells, reasons: any of
    these words (docs/reasons.md). other_run, other_setting, other_correct: a second run (B) and what its verdict must
    be: "A right and B wrong" is correct=True, other_correct=False. sort: margin (worst first), -margin (best first),
    near (closest to flipping), fewest and most (models right, see `models_right`), item, gap (A behind B most). also:
    further runs, on other benchmarks, that are listed with it; benchmarks: only items of these (hashes). only: None, or
    the items (by id) that alone are listed. human: what a person said of the item (`own_verdicts.VERDICTS`, or its
    NONE), any of these words.
    """

    run_id: str
    setting: Setting = field(default_factory=Setting)
    metrics: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    correct: bool | None = False
    margin: tuple[float, float] | None = None
    text: str = ""
    other_run: str | None = None
    other_setting: Setting | None = None
    other_correct: bool | None = None
    sort: Sort = "margin"
    limit: int = 50
    offset: int = 0
    also: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    noted: bool | None = None
    human: tuple[str, ...] = ()

    def page(self, number: int) -> "FailureFilter":
        """The same filter at a page, counted from 0."""
        return replace(self, offset=number * self.limit)
