"""Items that share a video are no independent draws, wherever an interval stands beside what they say."""

from dataclasses import replace

import numpy as np
import pytest

from backend.metrics import statistics
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.catalog.picked_runs import picked_rates, picked_verdicts
from backend.store.compare import edit_distance, series, texts_alone
from backend.store.compare.series import Checkpoint
from backend.store.failures import files
from backend.store.quads.deviations import deviations
from pages.equivariance import parts
from tests.store import writer
from tests.store.conftest import MODEL, ONE

VIDEOS = 6


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """24 items a subset out of five videos each: a tag says which, and no two items share an image."""
    root = tmp_path_factory.mktemp("filmed")
    items = [
        replace(it, tags={**it.tags, "group": (f"{it.subset} {int(it.item_id.rpartition('/')[2]) % VIDEOS}",)})
        for it in writer.items(24)
        if it.subset != "retrieval"
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "none")
        writer.write_run(root, items, ONE, ["itc", "t2t"], skill=0.6)
        store = open_store(follow=False)
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    return store, benchmark


def videos(item_ids):
    """What the tag says, again from the item's name."""
    return np.array([f"{name.partition('/')[0]} {int(name.rpartition('/')[2]) % VIDEOS}" for name in item_ids])


def whole(right, item_ids):
    """The interval over whole videos; that over items is another one."""
    found = statistics.rate(right, clusters=videos(item_ids)).ci95
    assert found != statistics.rate(right).ci95
    return found


def of_metric(frame, metric):
    rows = frame[frame["metric"] == metric]
    return rows["correct"].to_numpy(bool), rows["item_id"]


def test_the_clusters_of_a_benchmark(filmed):
    store, benchmark = filmed
    known = catalog.clusters(store, benchmark)
    assert len(known) == 4 * 24
    assert len(set(known.values())) == 4 * VIDEOS
    names = list(known)
    same = [known[name] for name in names], videos(names)
    assert len(set(zip(*same, strict=True))) == 4 * VIDEOS


def test_picked_items_and_what_failures_sums_up(filmed):
    store, benchmark = filmed
    verdicts = picked_verdicts(store, ONE)
    rates = picked_rates(verdicts, catalog.clusters(store, benchmark)).set_index("metric")
    right = of_metric(verdicts, "accuracy")
    assert (rates.loc["accuracy", "low"], rates.loc["accuracy", "high"]) == pytest.approx(whole(*right))
    every = queries.FailureFilter(ONE, queries.Setting("itc"), metrics=("accuracy",), correct=None, limit=1000)
    summed = files.by_concept(queries.failures(store, every).rows).set_index("concept")
    wrong = whole(~right[0], right[1])
    for name in ("count", "all"):
        assert (summed.loc[name, "low"], summed.loc[name, "high"]) == pytest.approx(wrong)


def test_triplets_by_their_texts_alone(filmed):
    store, benchmark = filmed
    (dot,) = texts_alone.dots(store, benchmark)
    outcomes = store.cursor().execute(
        "SELECT item_id, metric, correct FROM outcomes JOIN items USING (item_no) ORDER BY item_no").df()  # fmt: skip
    for rate, metric in ((dot.t2t, "t2t_accuracy"), (dot.i2t, "i2t_accuracy")):
        assert rate.ci95 == pytest.approx(whole(*of_metric(outcomes, metric)))
    gaps = edit_distance.gaps(store, benchmark)
    assert (len(gaps), gaps["cluster"].nunique()) == (24, VIDEOS)


def test_quads_in_the_table_and_along_a_series(filmed):
    store, _ = filmed
    frame = deviations(store, ONE, "itc", "relation").assign(model=MODEL)
    (line,) = parts.rows(frame, [MODEL])
    assert line["text_score"].ci95 == pytest.approx(whole((frame["text_margin"] > 0).to_numpy(), frame["item_id"]))
    drawn = series.deviation(store, [Checkpoint(1.0, MODEL, ONE)], "itc", "relation").set_index("measure").loc["v1"]
    sizes = frame["v1_scale_free"].abs().to_numpy()
    want = statistics.mean_interval(sizes, videos(frame["item_id"]))
    assert (drawn["lo"], drawn["hi"]) == pytest.approx(want, rel=0.05)
    assert (drawn["lo"], drawn["hi"]) != pytest.approx(statistics.mean_interval(sizes), rel=1e-3)
