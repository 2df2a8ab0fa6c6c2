"""A stored run in the words of `backend.published`, so that printed numbers can be set beside its rates."""

from collections.abc import Collection
from dataclasses import replace

from backend import benchmarks, published
from backend.published import Ours
from backend.store.build.records import is_whole
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.catalog.default_run import ChosenRun
from backend.store.scores.setting import Setting


def of_run(
    store: Store, chosen: ChosenRun, setting: Setting, subsets: Collection[str], published_as: str | None = None
) -> Ours:
    """What the rates over these subsets of a run were measured on and with.

    published_as: a printed model's name that the owner gives to the weights; UsageError where no paper prints it.
    """
    record = store.run(chosen.run_id).record
    described = record.get("model")
    weights = str(described.get("weights_sha256") or "") if isinstance(described, dict) else ""
    names, how = (
        (published.names_called(published_as), "published-as")
        if published_as
        else published.names_of(chosen.model, weights)
    )
    table = catalog.benchmarks(store).set_index("hash")
    items = dict(table["subsets"][chosen.benchmark_hash]) if chosen.benchmark_hash in table.index else {}
    selection = record.get("selection") or {}
    left_out = {} if is_whole(record) else selection
    known = benchmarks.known(chosen.benchmark)
    split = selection.get("split") or (record.get("benchmark") or {}).get("split")
    ours = Ours(
        names=names,
        how=how,
        benchmark=chosen.benchmark,
        subsets=frozenset(subsets),
        whole=set(subsets) == set(items),
        split=split,
        default_split=known.default_split if known else "",
        kind=setting.kind,
        alpha=setting.alpha,
        prior=setting.prior,
        norm=setting.norm,
    )
    expected = known.counts(split) if known else {}
    here = {subset: n for subset, n in items.items() if subset in ours.subsets}
    return replace(ours, obstacle=published.obstacle(left_out, here, expected))
