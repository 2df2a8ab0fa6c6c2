"""A run of picked items, by the engine itself: only they are scored, and no page takes it for a complete run."""

from pathlib import Path

import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.catalog import default_run
from backend.store.catalog.picked_runs import picked_rates, picked_runs, picked_verdicts


@pytest.mark.slow
def test_picked_items_are_scored_and_never_mixed(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from backend.errors import FlipsideError
    from tests.engine.samples import mixed

    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    benchmark = mixed(flipside_cache / "pictures")
    ids = [item.item_id for item in benchmark.open_items()]
    whole = run("fake:ok", benchmark, ["itc"])
    picked = frozenset(item for item in ids if item.startswith(("quad/", "choice/")))
    few = frozenset(sorted(picked)[:3])
    part = run("fake:ok", mixed(flipside_cache / "pictures"), ["itc"], selection=Selection(items=few))
    alone = run("fake:constant", mixed(flipside_cache / "pictures"), ["itc"], selection=Selection(items=few))
    assert part.run_id != whole.run_id
    store = open_store()
    try:
        hash_ = str(queries.benchmarks(store)["hash"].iloc[0])
        known = queries.models(store, hash_)
        assert known["run_id"].to_list() == [whole.run_id]
        found = picked_runs(store, hash_, [*few, *few])
        assert set(found["run_id"]) == {part.run_id, alone.run_id}
        assert picked_runs(store, hash_, list(few)[:2]).empty
        verdicts = picked_verdicts(store, part.run_id)
        assert set(verdicts["item_id"]) == few
        # The same model said the same about the same items in its complete run.
        every = queries.failures(store, queries.FailureFilter(whole.run_id, correct=None, limit=1000)).rows
        margins = every.set_index(["item_id", "metric"])["margin"]
        for line in verdicts.itertuples():
            assert margins[line.item_id, line.metric] == pytest.approx(line.margin, abs=1e-6)
        rates = picked_rates(verdicts, {})
        assert rates["n"].sum() == len(verdicts)
        assert (rates["value"] * rates["n"]).sum() == pytest.approx(verdicts["correct"].sum())
        with pytest.raises(FlipsideError, match="--set, picked items"):
            default_run.choose_run(store, "fake:constant", benchmark.name)
    finally:
        store.close()
