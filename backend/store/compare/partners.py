"""Which systems compare: those that have a verdict of one kind on one item, asked in as many orders."""

from collections.abc import Collection

from backend.kinds import Kind
from backend.store.build.store import Store
from backend.store.compare.compare import Side, shared


def compares(store: Store, a: Side, b: Side, partial: Collection[str] = ()) -> bool:
    """Whether two sides on one benchmark have anything to compare by the headline metrics (see `compare.shared`); one
    side does not with itself. partial: ids of runs that have judged a part of the items only.

    Two whole runs that were scored under one kind do, and are not read for it: that takes seconds of a million items.
    """
    if a == b:
        return False
    kinds, runs = {a.setting.kind, b.setting.kind}, {a.run_id, b.run_id}
    if len(kinds) == 1 and Kind.VERDICT not in kinds and runs.isdisjoint(partial):
        return True
    return len(shared(store, (a, b))) > 0
