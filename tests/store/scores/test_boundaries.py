"""Boundary grounding from a clip's frames to the report: through the engine, against the paper's rule by hand."""

import json

import numpy as np
import pytest

from backend.benchmarks import load_benchmark
from backend.engine.runner import run
from backend.metrics import grounding
from backend.store.build.reader import open_store
from backend.store.catalog.default_run import choose_run
from backend.store.rates.rates import rates
from backend.store.report.report import report
from backend.store.scores import outcomes
from backend.store.scores.boundaries import mean, moments
from backend.store.scores.setting import Setting
from tests.benchmarks.samples import video_grounding as sample

KINDS = ("itc", "itm", "gen", "vqa")


@pytest.fixture
def clips(tmp_path):
    sample.write(tmp_path)
    return tmp_path


def store_of(clips, root, model="fake:ok", kinds=KINDS):
    run(model, "video_grounding", list(kinds), data_dir=clips, priors=["noise:2"] * ("prior" in kinds), root=root)
    return open_store(follow=False)


def by_hand(store, clips, kind):
    """item id -> the moments of its best boundaries, from the stored cells one by one."""
    run_id = choose_run(store, "fake:ok", "video_grounding", kind).run_id
    query = "SELECT item_no, image_index, text_index, value, n_tokens FROM scores WHERE run_id = ? AND part = ?"
    cells = {
        (n, i, t): v / k if kind == "gen" else v
        for n, i, t, v, k in store.cursor().execute(query, [run_id, kind]).fetchall()
    }
    found = {}
    for number, item in enumerate(load_benchmark("video_grounding", clips)):
        if item.images[0].missing:
            continue
        scores = [cells[number, k, 0] + cells[number, k + 1, 1] for k in range(len(item.images) - 1)]
        found[item.item_id] = [(k + 0.5) / 5 for k, score in enumerate(scores) if score == max(scores)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_rates_are_the_papers_rule(clips, flipside_cache, kind):
    store = store_of(clips, flipside_cache)
    chosen = by_hand(store, clips, kind)
    assert len(chosen) == 3  # the other clip has no frames
    true = {
        item.item_id: [float(t) for t in item.tags["boundary_seconds"]]
        for item in load_benchmark("video_grounding", clips)
    }
    shown = report(store, "fake:ok", "video_grounding", kind=kind)
    shares = []
    for threshold in grounding.THRESHOLDS:
        right = [
            len(best) == 1 and min(round(abs(best[0] - t), 6) for t in true[name]) < threshold
            for name, best in chosen.items()
        ]
        line = shown["metrics"][grounding.metric(threshold)]
        assert (line["value"], line["n"]) == (pytest.approx(np.mean(right)), 3)
        shares.append(np.mean(right))
    average = shown["metrics"][grounding.MEAN]
    assert average["value"] == pytest.approx(np.mean(shares))
    levels = [shown["metrics"][grounding.metric(t)]["chance"] for t in grounding.THRESHOLDS]
    assert average["chance"] == pytest.approx(np.mean(levels))
    # Of eleven boundaries at 0.1, 0.3, … 2.1 s, one is nearer than 0.2 s to 0.5 s, two are to 2 s, and one is to 1.5 s.
    assert shown["metrics"]["grounding_accuracy_at_0.2s"]["chance"] == pytest.approx((3 + 1 + 3) / 33)


@pytest.mark.long
def test_alpha_cancels(clips, flipside_cache):
    store = store_of(clips, flipside_cache, kinds=("gen", "prior"))
    run_id = choose_run(store, "fake:ok", "video_grounding", "gen").run_id
    plain = outcomes.compute(store, run_id, Setting("gen"))
    debiased = outcomes.compute(store, run_id, Setting("gen", alpha=1.0, prior="noise:2"))
    assert plain["margin"].tolist() == debiased["margin"].tolist()
    assert len(plain) == 3 * 8
    assert outcomes.compute(store, run_id, Setting("prior")).empty


@pytest.mark.long
def test_a_constant_scorer_is_never_right(clips, flipside_cache):
    store = store_of(clips, flipside_cache, "fake:constant", ("itc",))
    run_id = choose_run(store, "fake:constant", "video_grounding", "itc").run_id
    table = rates(store, run_id, Setting("itc")).set_index("metric")
    assert set(table["value"]) == {0.0}
    assert set(table["ties"]) == {3}
    assert set(rates(store, run_id, Setting("itc"), "subset")["group"]) == {"test"}
    assert set(rates(store, run_id, Setting("itc"), "concept")["group"]) == {"event"}


def test_moments_come_from_either_tag():
    said = [
        '{"frame_seconds": ["0", "0.5", "0.75"], "boundary_seconds": ["0.6"]}',
        '{"frames_per_second": ["2"]}',
        "{}",
    ]
    seconds, truths = moments(said, [3, 2, 2], 4)
    np.testing.assert_array_equal(seconds, [[0, 0.5, 0.75, np.nan], [0, 0.5, np.nan, np.nan], [np.nan] * 4])
    assert truths == [[0.6], [], []]


def test_the_mean_of_nothing(clips, flipside_cache):
    store = store_of(clips, flipside_cache, kinds=("itc",))
    run_id = choose_run(store, "fake:ok", "video_grounding", "itc").run_id
    frame = outcomes.compute(store, run_id, Setting("itc"))
    assert mean(frame.iloc[:0]) is None
    assert mean(frame[frame["item_no"] == 0])[0].ci95 is None  # one clip shows no spread


@pytest.mark.long
def test_a_longer_clip_that_was_not_scored_changes_nothing(clips, flipside_cache):
    path = clips / "datasets" / "annotations" / "test.json"
    long = sample.boundary("long", 0, 8.0, "sitting", "stand up", next_timestamp=9.97)
    path.write_text(json.dumps({**sample.CLIPS, "long": [long]}))
    store = store_of(clips, flipside_cache, kinds=("itc",))
    shown = report(store, "fake:ok", "video_grounding", kind="itc")
    assert shown["metrics"]["grounding_accuracy_at_3.0s"]["n"] == 3
