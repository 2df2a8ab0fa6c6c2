"""What a benchmark's own scores are made of: a run's verdicts under a setting, metric by metric."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.benchmarks.base import Judged
from backend.kinds import Kind
from backend.metrics.core.registry import known
from backend.metrics.core.scored import Scored
from backend.protocols import ALONE
from backend.store.build.store import Store
from backend.store.rates.rates import rates
from backend.store.scores import outcomes, pools
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting

#: Protocol of ALONE -> item numbers, ascending, and scores under the setting, one row an item. A retrieval item's
#: scores are in its pool; those of a thousand classes and fifty thousand images would fill the memory, and what is made
#: of them stands among the rates.
Blocks = Mapping[str, tuple[NDArray[np.intp], NDArray[np.float64]]]


def judged(
    store: Store, run_id: str, setting: Setting, subset: str | None, threshold: float, frame: pd.DataFrame
) -> Iterator[tuple[Judged, pd.DataFrame]]:
    """Each metric's verdicts, and the rows of `frame` (of `outcomes.compute`) that they are."""
    by_subset = _Rates(lambda: rates(store, run_id, setting, "subset", subset, threshold))
    blocks = _blocks(store, run_id, setting, subset)

    @lru_cache(maxsize=1)  # every metric of a subset asks for the same one, which may be large
    def scored(name: str) -> Scored | None:
        run = store.run(run_id)
        for found in pools.pools(run, setting.kind, name):
            if found.whole:
                return outcomes.pool_scored(run, found, setting)
        return None

    def pool(metric: str, name: str) -> tuple[NDArray[np.floating], NDArray[np.bool_]] | None:
        found = scored(name)
        if found is None:
            return None
        of_texts = metric.startswith("t2i") and found.across is not None
        return np.asarray(found.across if of_texts else found.scores), np.asarray(found.relevance, dtype=np.bool_)

    for metric, part in frame.groupby("metric", sort=False):
        found = Judged(
            item_id=part["item_id"].tolist(),
            subset=part["subset"].tolist(),
            tags=_tags(part["tags"].tolist()),
            correct=np.array(part["correct"].astype("Float64").to_numpy(na_value=np.nan), dtype=np.float64),
            metric=str(metric),
            scores=_aligned(blocks, str(metric), part["item_no"].to_numpy()),
            rates=by_subset,
            pool=partial(pool, str(metric)),
        )
        yield found, part


def _tags(texts: list[str]) -> list[Mapping[str, tuple[str, ...]]]:
    """Parsed once for each wording: many items share theirs."""
    known = {text: {name: tuple(values) for name, values in json.loads(text).items()} for text in set(texts)}
    return [known[text] for text in texts]


class _Rates(Mapping[str, Mapping[str, tuple[float | None, int]]]):
    """Subset -> metric -> (value, n), computed when first asked for: most benchmarks' scores need verdicts only."""

    def __init__(self, make: Callable[[], pd.DataFrame]) -> None:
        self._make = make

    @cached_property
    def _found(self) -> dict[str, dict[str, tuple[float | None, int]]]:
        found: dict[str, dict[str, tuple[float | None, int]]] = {}
        for row in self._make().to_dict("records"):
            value = None if pd.isna(row["value"]) else float(row["value"])
            found.setdefault(str(row["group"]), {})[str(row["metric"])] = (value, int(row["n"]))
        return found

    def __getitem__(self, subset: str) -> Mapping[str, tuple[float | None, int]]:
        return self._found[subset]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _blocks(store: Store, run_id: str, setting: Setting, subset: str | None) -> Blocks:
    found = {}
    for protocol in ALONE if setting.kind != Kind.VERDICT else ():
        block, scores = judged_scores(store.run(run_id), setting, protocol, subset)
        if block is not None and len(block):
            numbers = block.items["item_no"].to_numpy(dtype=np.intp)
            found[str(protocol)] = (numbers, np.asarray(scores, dtype=np.float64).reshape(len(block), -1))
    return found


def _aligned(blocks: Blocks, metric: str, items: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """The scores of the items in their order, (n, columns); None where the metric has no scores by item."""
    declared = known(metric)
    protocol = str(declared.protocol) if declared else ""
    if protocol not in blocks:
        return None
    numbers, scores = blocks[protocol]
    at = np.minimum(np.searchsorted(numbers, items), len(numbers) - 1)
    if np.any(numbers[at] != items):
        return None
    rows: NDArray[np.float64] = scores[at]
    return rows
