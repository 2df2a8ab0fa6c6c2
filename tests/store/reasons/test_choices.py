"""Cells and reasons of stored choices and triplets, recounted from stored scores by loops."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from backend.engine.runner import run
from backend.engine.storage import shards
from backend.metrics.reasons import counterfactual, items
from backend.metrics.reasons.counterfactual import CHOICE_CELLS
from backend.protocols import Protocol
from backend.store.build.reader import open_store
from backend.store.reasons import choices, runs, sources
from backend.store.scores.counterfactuals import under_others
from backend.store.scores.setting import Setting
from tests.engine.samples import mixed

MODEL = "fake:ok"
N = 24


def margin(scores, protocol):
    """M of one image's scores, NaN padding left out."""
    s = [value for value in scores if not np.isnan(value)]
    return min(s[0], s[1]) - s[2] if protocol == Protocol.TRIPLET else s[0] - max(s[1:])


def test_margins_and_cells_are_those_of_the_stored_scores(scored):
    for kind, protocol in product(["itc", "itm", "gen"], [Protocol.CHOICE, Protocol.TRIPLET]):
        recount(*scored, kind, protocol)


def recount(store, run_id, kind, protocol):
    frame = runs.of_run(store, run_id, Setting(kind), protocol).set_index("item_no")
    assert len(frame) == N
    cells = set()
    for group in under_others(store.run(run_id), kind, protocol=protocol):
        for row, item in enumerate(group.items["item_no"].tolist()):
            per = group.n_tokens[row] if kind == "gen" else np.ones(group.own.shape[1])
            m = margin(group.own[row] / per, protocol)
            others = [margin(s / per, protocol) for s in group.scores[row][group.images[row] >= 0]]
            said = frame.loc[item]
            assert said["m"] == pytest.approx(m)
            assert said["b"] == pytest.approx(np.mean(others))
            assert said["n_other"] == len(others) >= 16
            assert said["same"] == sum((other > 0) == (m > 0) for other in others)
            evidence = m > np.mean(others)
            want = ("grounded" if evidence else "by_bias") if m > 0 else "outvoted" if evidence else "no_evidence"
            assert said["cell"] == want
            cells.add(want)
    assert len(cells) > 1
    assert set(frame["reason"]) <= {*CHOICE_CELLS, "reversed", "uncertain"}


def test_the_caption_that_wins_is_counted_under_other_images(scored):
    store, run_id = scored
    frame = runs.of_run(store, run_id, Setting("itm"), Protocol.CHOICE).set_index("item_no")
    (group,) = under_others(store.run(run_id), "itm", protocol=Protocol.CHOICE)
    for row, item in enumerate(group.items["item_no"].tolist()):
        best = int(np.nanargmax(group.own[row]))
        there = [s for s, image in zip(group.scores[row], group.images[row], strict=True) if image >= 0]
        assert frame.loc[item, "preferred"] == best
        assert frame.loc[item, "prefer"] == sum(int(np.nanargmax(s)) == best for s in there)


def test_a_prior_is_taken_from_a_caption_under_every_image_alike(scored):
    """g, this image's part, does not know of the prior where the same foil stays the strongest."""
    store, run_id = scored
    stored = store.run(run_id)
    block, scores = runs.judged_scores(stored, Setting("gen"), Protocol.CHOICE)
    shift = np.random.default_rng(0).normal(size=scores.shape)
    plain = choices.against(stored, Setting("gen"), block, scores)
    moved = choices.against(stored, Setting("gen"), block, scores + shift)
    one = np.array([count == 2 for count in block.n_texts])
    difference = (shift[:, 0] - shift[:, 1])[one]
    assert np.allclose((moved["m"] - plain["m"])[one], difference)
    assert np.allclose(moved["g"][one], plain["g"][one])


def test_runs_without_other_images_have_no_cells(flipside_cache, tmp_path):
    summary = run(MODEL, mixed(tmp_path / "p", 4), ["itm"], root=flipside_cache)
    store = open_store()
    assert not runs.measured(store.run(summary.run_id), Protocol.CHOICE, "itm")
    assert runs.of_run(store, summary.run_id, Setting("itm"), Protocol.CHOICE).empty


def meet(shares):
    """Whether the intervals of all sources meet."""
    return counterfactual.agree([share.ci95 for share in shares.values()])


def test_sources_that_say_different_things_are_found_out():
    rng = np.random.default_rng(0)
    m = rng.normal(1.0, 1.0, 300)
    clusters = np.arange(300)

    near, far = rng.normal(0.0, 1.0, (300, 20)), rng.normal(2.0, 1.0, (300, 20))
    assert meet(sources.by_source(m, near, rng.normal(0.0, 1.0, (300, 20)), pd.Series(clusters)))
    assert not meet(sources.by_source(m, near, far, pd.Series(clusters)))
    assert meet(sources.by_source(m, near, np.full((300, 0), np.nan), pd.Series(clusters)))
    assert set(sources.by_source(m, near, far, pd.Series(clusters))) == {sources.SAME, sources.OTHER}


def test_a_run_s_record_leaves_its_connection_free(scored):
    """After fetchone DuckDB takes no table until the result is finished; the importer hands it one next."""

    store, run_id = scored
    stored = store.run(run_id)
    assert stored.benchmark
    assert stored.record
    stored.cursor.register("a_table", pd.DataFrame({"a": [1]}))


def test_with_one_other_image_nothing_is_certified():
    """One margin has no spread: such an item has a cell, and no evidence of any size."""
    said = items.of_choices(counterfactual.of_margins([1.0, -1.0] * 30, [[0.5]] * 60))
    assert set(said.cell) == {"grounded", "no_evidence"}
    assert set(said.reason) == {"uncertain"}


@pytest.mark.long
def test_an_item_s_own_image_is_none_of_the_others(scored_copy):
    """A bundle may say that it is."""
    root, run_id = scored_copy
    stored = open_store().run(run_id)
    (before,) = under_others(stored, "itm", protocol=Protocol.CHOICE)
    folder = root / "runs" / run_id
    manifest = shards.read_manifest(folder)
    table = shards.read_part(folder, "counterfactual:itm", manifest)
    columns = {name: table[name].to_numpy() for name in table.column_names}
    own = {name: np.concatenate([column, column]) for name, column in columns.items()}
    own["image_item"][len(table) :] = own["item_no"][len(table) :]
    entry = shards.write_shard(folder, "counterfactual:itm", 0, own)
    manifest["parts"]["counterfactual:itm"]["shards"] = [entry]
    shards.write_manifest(folder, manifest)
    (after,) = under_others(open_store().run(run_id), "itm", protocol=Protocol.CHOICE)
    assert np.array_equal(before.images, after.images)
    assert np.array_equal(before.scores, after.scores, equal_nan=True)
