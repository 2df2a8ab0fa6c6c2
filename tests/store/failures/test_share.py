"""The share that Failures lists, with the interval that `report` gives the same number."""

import numpy as np
import pandas as pd
import pytest

from backend.metrics import statistics
from backend.metrics.statistics import wilson
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.failures.share import share, told
from backend.store.queries import FailureFilter, Setting
from tests.pages import results
from tests.verbs.adding import file

RUN = "1" * 16


@pytest.fixture
def store(flipside_cache, monkeypatch, tmp_path):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    results.write(flipside_cache)
    return open_store(follow=False)


@pytest.mark.long
def test_it_is_the_rate_over_what_items_share(store):
    wanted = FailureFilter(RUN, Setting("itc"))
    headline = queries.failures(store, FailureFilter(RUN, Setting("itc"), correct=None, limit=10_000)).rows
    of = statistics.rate((~headline["correct"].astype(bool)).to_numpy(), clusters=headline["cluster"].to_numpy())
    found = share(store, wanted)
    assert (found.n, found.value) == (len(headline), of.value)
    assert found.ci95 == pytest.approx(of.ci95, abs=1e-12)


@pytest.mark.long
def test_a_margin_a_cell_or_a_reason_narrows_what_is_listed_and_not_what_it_is_of(store):
    every = share(store, FailureFilter(RUN, Setting("itc")))
    page = queries.failures(store, FailureFilter(RUN, Setting("itc"), margin=(-0.05, 0.0)))
    some = share(store, FailureFilter(RUN, Setting("itc"), margin=(-0.05, 0.0)))
    assert some.n == every.n
    assert some.value == page.total / every.n < every.value
    one = share(store, FailureFilter(RUN, Setting("itc"), subsets=("relation",), correct=True))
    assert one.n < every.n


@pytest.mark.slow
def test_items_that_share_a_picture_widen_it_and_a_filter_narrows_the_orders(flipside, tmp_path):
    """Six items of two pictures, asked in two orders."""
    lines = [f"{at},{at // 4}.png,a {at},b {at}" for at in range(1, 7)]
    own = file(tmp_path, "set.csv", "id,image,caption,foil\n" + "\n".join(lines) + "\n")
    answers = [f"{at},{int(at % 3 > 0)},ab\n{at},{int(at < 4)},ba\n" for at in range(1, 7)]
    said = file(tmp_path, "said.csv", "item_id,correct,order\n" + "".join(answers))
    added = flipside("add-predictions", said, "--as", "sys", "--benchmark", "custom", "--data", own, "--json")
    assert added.code == 0, added.err
    store = open_store()
    (run,) = store.cursor().execute("SELECT run_id FROM runs WHERE model = 'predictions:sys'").fetchone()
    wanted = FailureFilter(run, Setting("verdict"))
    right = np.array([1, 1, 0, 0, 0, 0], bool)  # in both orders: items 1 and 2
    found = share(store, wanted)
    assert (found.n, found.value) == (6, 4 / 6)
    plain = wilson(4, 6)
    assert found.ci95 == pytest.approx(statistics.rate(~right, clusters=pd.Series([0, 0, 0, 1, 1, 1])).ci95)
    assert found.ci95 != pytest.approx(plain)
    every, some = told(store, wanted), told(store, FailureFilter(run, Setting("verdict"), only=("set/1", "set/6")))
    assert (every.rate.n, every.rate.value) == (6, pytest.approx((4 / 6 + 3 / 6) / 2))
    assert (some.rate.n, some.rate.value) == (2, pytest.approx((1 / 2 + 1 / 2) / 2))
    assert told(store, FailureFilter(run, Setting("itc"))) is None
