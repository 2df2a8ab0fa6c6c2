"""Rates that are kept at import, row by row against those worked out from the verdicts."""

import pandas as pd
import pytest

from backend.store.rates import kept, rates
from backend.store.scores.setting import Setting


def runs(store):
    return [str(run) for (run,) in store.cursor().execute("SELECT run_id FROM runs ORDER BY run_id").fetchall()]


@pytest.mark.parametrize("by", [None, "all", "subset", "concept", "concept/*", "perturbation", "perturbation/*"])
def test_kept_rates_are_those_of_the_verdicts(asked, by, monkeypatch):
    seen = 0
    for run in runs(asked):
        for kind in asked.run(run).kinds:
            setting = Setting(kind)
            found = kept.rows_of(asked, run, setting, by)
            if found is None:
                continue
            with monkeypatch.context() as patch:
                patch.setattr(kept, "rows_of", lambda *_: None)
                made = rates._table(rates._rows(asked, run, setting, None, by))
            pd.testing.assert_frame_equal(rates._table(rates._rows(asked, run, setting, None, by)), made)
            assert [row["metric"] for row in found] == made["metric"].tolist()
            seen += len(made)
    assert seen >= 5


def test_rates_of_pools_are_kept_too(asked):
    """A toy benchmark has a pool, which `itc` judges; forced choices and blind models are worked out when asked for."""
    kinds = set(asked.cursor().execute("SELECT DISTINCT run_id, kind FROM rates").fetchall())
    pools = set(asked.cursor().execute("SELECT DISTINCT run_id, kind FROM outcomes WHERE query >= 0").fetchall())
    every = set(asked.cursor().execute("SELECT DISTINCT run_id, kind FROM outcomes").fetchall())
    assert pools
    assert pools <= kinds
    assert {kind for _, kind in every - kinds} <= set(kept.NOT_KEPT)


def test_only_the_default_setting_is_kept(asked):
    run = runs(asked)[0]
    assert kept.rows_of(asked, run, Setting("gen", alpha=0.5), "subset") is None
    assert kept.rows_of(asked, run, Setting("itm"), "split") is None
