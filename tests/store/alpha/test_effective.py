"""Effective samples of an item: the smaller of its texts, own samples left out, by subset, and what report says."""

import json

import numpy as np
import pytest

from backend.store.alpha import effective
from backend.store.build.reader import open_store
from backend.store.report.report import report
from backend.store.scores import drawn
from tests.store import writer
from tests.store.conftest import BLIND, MODEL, ONE

N = 8
PART = f"prior@images:{N}"


def written(root, items, images=None):
    folder = writer.write_run(root, items, ONE, ["gen", "prior@noise:3"])
    rng = np.random.default_rng(5)
    rows = []
    for number, item in enumerate(items):
        for text in range(len(item.texts)):
            spread = 0.0 if item.subset == "attribute" else 6.0 if text == 1 else 1.0
            values = -9 + spread * rng.normal(size=N)
            rows += [(number, -1, text, -1, sample, value, 3) for sample, value in enumerate(values)]
    writer.add_part(folder, PART, rows)
    record = json.loads((folder / "run.json").read_text())
    if images:
        record["priors"] = {PART: {"samples": N, "seed": 0, "images": images}}
    (folder / "run.json").write_text(json.dumps(record))
    writer.write_run(root, items, BLIND, ["prior@self"], model="fake:blind", seed=6)
    table = np.full((len(items), 4, N), np.nan)
    for number, _, text, _, sample, value, _ in rows:
        table[number, text, sample] = np.float32(value)
    return open_store(), table


def by_hand(values):
    weight = np.exp(values)
    return weight.sum() ** 2 / (weight**2).sum()


def test_the_smaller_text_counts_and_own_samples_do_not(flipside_cache, items):
    images = [items[30].images[0].key, *(f"other{k}.png" for k in range(N - 1))]
    store, table = written(flipside_cache, items, images)
    found = effective.of_items(store, ONE, f"images:{N}").set_index("item_no")
    assert len(found) == len(items)
    for number, item in enumerate(items):
        kept = slice(1, None) if number == 30 else slice(None)
        sizes = [by_hand(table[number, text, kept].astype(float)) for text in range(len(item.texts))]
        assert found["effective"][number] == pytest.approx(min(sizes), rel=1e-6)
        assert found["samples"][number] == N - (number == 30)


@pytest.mark.long
def test_report_names_the_median_by_subset_and_how_many_items_are_below_five(flipside_cache, items):
    store, _ = written(flipside_cache, items, [f"other{k}.png" for k in range(N)])
    frame = effective.of_items(store, ONE, f"images:{N}")
    told = report(store, MODEL, "toy", kind="gen", alpha=1.0, prior=f"images:{N}")["setting"]["prior_samples"]
    assert told["n"] == N
    assert told["own"] == drawn.LEFT_OUT
    assert told["by_subset"]["attribute"] == {"effective_median": pytest.approx(N), "below_5": 0, "n_items": 12}
    relation = frame[frame["subset"] == "relation"]["effective"]
    assert told["by_subset"]["relation"]["effective_median"] == pytest.approx(relation.median())
    assert told["by_subset"]["relation"]["below_5"] == (relation < 5).sum() > 6
    assert told["below_5"] == sum(part["below_5"] for part in told["by_subset"].values())


@pytest.mark.long
def test_a_blind_model_samples_nothing_and_noise_is_always_below_five(flipside_cache, items):
    store, _ = written(flipside_cache, items)
    assert report(store, MODEL, "toy", kind="gen", prior="lm:fake:blind")["setting"]["prior_samples"] is None
    noise = report(store, MODEL, "toy", kind="gen", prior="noise:3")["setting"]["prior_samples"]
    assert (noise["n"], noise["own"], noise["below_5"]) == (3, "", noise["n_items"])


@pytest.mark.long
def test_a_record_without_images_is_said_in_the_notes_where_it_matters(flipside_cache, items):
    store, _ = written(flipside_cache, items)
    found = report(store, MODEL, "toy", kind="gen", alpha=1.0, prior=f"images:{N}")
    assert found["setting"]["prior_samples"]["own"] == drawn.UNKNOWN
    assert any(drawn.UNKNOWN in line for line in found["notes"])
    assert not any(drawn.UNKNOWN in line for line in report(store, MODEL, "toy", kind="gen", alpha=0.0)["notes"])
