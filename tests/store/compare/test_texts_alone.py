"""T2T against I2T over models: rates of the items that have both verdicts, by a slow count."""

import numpy as np
import pytest

from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare import texts_alone
from pages.compare import texts_alone as page
from tests.store import writer


@pytest.mark.long
def test_dots_are_those_of_a_slow_count(flipside_cache):
    items = writer.items(40)
    runs = {"1" * 16: ("fake:one", ["itc", "t2t"], 1.5), "2" * 16: ("fake:two", ["itc", "itm", "t2t"], 0.0)}
    runs["3" * 16] = ("fake:blind", ["t2t"], 1.0)
    for run_id, (model, parts, skill) in runs.items():
        writer.write_run(flipside_cache, items, run_id, parts, model=model, skill=skill, seed=int(run_id[0]))
    store = open_store()
    found = texts_alone.dots(store, q.benchmarks(store)["hash"].iloc[0])
    assert {(dot.model, dot.kind, dot.subset) for dot in found} == {
        ("fake:one", "itc", "triplet"), ("fake:two", "itc", "triplet"), ("fake:two", "itm", "triplet"),
    }  # fmt: skip
    for dot in found:
        run_id = next(run for run, (model, *_) in runs.items() if model == dot.model)
        right = {}
        for kind, metric in (("t2t", "t2t_accuracy"), (dot.kind, "i2t_accuracy")):
            frame = q.outcomes(store, run_id, q.Setting(kind))
            frame = frame[frame["metric"] == metric]
            right[metric] = dict(zip(frame["item_id"], frame["correct"].astype(bool), strict=True))
        both = sorted(right["t2t_accuracy"].keys() & right["i2t_accuracy"].keys())
        t2t, i2t = (np.mean([right[metric][name] for name in both]) for metric in ("t2t_accuracy", "i2t_accuracy"))
        assert (dot.t2t.n, dot.t2t.value, dot.i2t.value) == (len(both), pytest.approx(t2t), pytest.approx(i2t))
        assert dot.gain.difference == pytest.approx(i2t - t2t)
    drawn = page.spec(found)
    assert [row["t2t"] for row in drawn["data"]["values"]] == [dot.t2t.value for dot in found]
