"""Scores under other images as arrays: those that were stored, or the product of stored vectors."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.schema import UNDER_OTHERS
from backend.items import Benchmark
from backend.kinds import Kind
from backend.models import load
from backend.store.build import importer
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.exchange import rows as exchange
from backend.store.exchange import same_scores
from backend.store.exchange.coverage import Shapes
from backend.store.scores import counterfactuals
from backend.store.scores.counterfactuals import kinds_under_others, under_others
from tests.engine.samples import mixed

KINDS = ["itc", "itm", "gen"]


def asked_of_the_model(kind, items, number, image):
    """The scores of an item's captions under the image of a number, from the model itself."""
    from backend.images import open_image

    texts = list(items[number].texts)
    (uri,) = {items[image].images[0].uri}
    return [score.value for score in load("fake:ok").pair_scores(Kind(kind), [open_image(uri)] * len(texts), texts)]


def numbered(benchmark):
    return dict(enumerate(benchmark))


@pytest.mark.parametrize("kind", ["itm", "gen"])
def test_stored_scores_stand_where_they_belong(tmp_path, kind):
    benchmark = mixed(tmp_path / "p", 6)
    summary = run("fake:ok", benchmark, [kind], counterfactual=3)
    found = under_others(open_store().run(summary.run_id), kind)
    assert [(each.subset, str(each.protocol), len(each)) for each in found] == [
        ("tri", "triplet", 6),
        ("choice", "choice", 6),
    ]
    items = numbered(benchmark)
    for each in found:
        texts = 3 if each.subset == "tri" else 4
        assert each.scores.shape == (6, 3, texts)
        assert each.own.shape == each.n_tokens.shape == (6, texts)
        assert each.may_fit
        for row, number in enumerate(each.items["item_no"].tolist()):
            for place, image in enumerate(each.images[row].tolist()):
                assert items[image].images[0].key != items[number].images[0].key
                expected = asked_of_the_model(kind, items, number, image)
                assert each.scores[row, place] == pytest.approx(expected, abs=1e-5)
            own = asked_of_the_model(kind, items, number, number)
            assert each.own[row] == pytest.approx(own, abs=1e-5)
    assert np.isnan(found[0].n_tokens).all() == (kind == "itm")


def test_of_vectors_every_image_of_the_subset_counts(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    summary = run("fake:ok", benchmark, ["itc"], counterfactual=1)
    store = open_store()
    model = load("fake:ok")
    from backend.images import open_image

    items = numbered(benchmark)
    for each in under_others(store.run(summary.run_id), "itc"):
        assert each.images.shape == (6, 5)
        for row, number in enumerate(each.items["item_no"].tolist()):
            own_key = items[number].images[0].key
            others = {n for n in range(6) if items[n].images[0].key != own_key}  # the triplets show them first
            assert set(each.images[row].tolist()) == others
            texts = model.encode_texts(list(items[number].texts))
            pictures = [open_image(items[image].images[0].uri) for image in each.images[row].tolist()]
            assert each.scores[row] == pytest.approx(model.encode_images(pictures) @ texts.T, abs=2e-3)


def test_in_the_world_no_image_fits_and_items_with_enough_related_images_have_these_alone(monkeypatch):
    chosen = Selection(subset="choice", limit=60)
    summary = run("fake:ok", "world", ["itc", "itm"], selection=chosen, counterfactual=4)
    run_ = open_store().run(summary.run_id)
    (vectors,), (pairs,) = under_others(run_, "itc"), under_others(run_, "itm")
    assert not vectors.may_fit
    assert not pairs.may_fit
    assert vectors.items["item_no"].tolist() == pairs.items["item_no"].tolist()
    for row in range(len(pairs)):
        there = set(vectors.images[row][vectors.images[row] >= 0].tolist())
        assert set(pairs.images[row].tolist()) <= there
        assert pairs.items["item_no"][row] not in there
        assert len(there) >= 16
    assert np.array_equal(np.isnan(vectors.scores).all(axis=2), vectors.images < 0)
    # Where a subset would take too much room, the first images of the draw stand for all.
    monkeypatch.setattr(counterfactuals, "MOST_CELLS", 1)
    monkeypatch.setattr(counterfactuals, "AT_ONCE", 500)
    (few,) = under_others(run_, "itc")
    assert few.images.shape == (60, 16)
    for row in range(60):
        places = {image: n for n, image in enumerate(vectors.images[row].tolist())}
        same = [vectors.scores[row, places[image]] for image in few.images[row].tolist()]
        assert few.scores[row] == pytest.approx(np.array(same), abs=1e-6)


def test_what_was_not_scored_is_missing(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    small = run("fake:ok", benchmark, ["itm"], selection=Selection(subset="choice", limit=3), counterfactual=2)
    whole = run("fake:ok", benchmark, ["itm", "t2t"])
    store = open_store()
    assert under_others(store.run(whole.run_id), "itm") == []
    assert kinds_under_others(store.run(whole.run_id)) == []
    (found,) = under_others(store.run(small.run_id), "itm")
    assert found.scores.shape == (3, 2, 4)
    assert under_others(store.run(small.run_id), "gen") == []
    assert under_others(store.run(small.run_id), "itm", "tri") == []


def test_items_that_keep_fewer_images_are_padded(tmp_path):
    """Items of one video have fewer images left than the others have."""
    whole = list(mixed(tmp_path / "p", 6))

    def items():
        for it in whole:
            film = {"group": ("one film",)} if it.item_id in ("choice/0", "choice/1", "choice/2") else {}
            yield replace(it, tags={**it.tags, **film}) if it.subset == "choice" else it

    summary = run("fake:ok", Benchmark("filmed", items), ["itm", "itc"], counterfactual=16)
    run_ = open_store().run(summary.run_id)
    for kind in ("itm", "itc"):
        found = next(each for each in under_others(run_, kind) if each.subset == "choice")
        assert found.images.shape == (6, 5)
        assert (found.images >= 0).sum(axis=1).tolist() == [3, 3, 3, 5, 5, 5]
        assert np.array_equal(np.isnan(found.scores).all(axis=2), found.images < 0)
        assert (found.images[:3, 3:] == -1).all()


@pytest.mark.long
def test_nothing_else_changes(tmp_path, flipside):
    """The rows of scores and exports, the verdicts, the kinds and what is complete are those of before; verdicts on
    choices and triplets get their words."""
    benchmark = mixed(tmp_path / "p", 4)
    summary = run("fake:ok", benchmark, KINDS)
    store = open_store()
    tables = ("scores", "embeddings", "tokens", "outcomes")

    def counted():
        cursor = open_store().cursor()
        words = {"outcomes": "EXCLUDE (cell, reason)"}
        return {t: cursor.execute(f"SELECT * {words.get(t, '')} FROM {t} ORDER BY ALL").fetchall() for t in tables}

    def carrying():
        return open_store().cursor().execute(
            "SELECT DISTINCT metric FROM outcomes WHERE cell <> '' ORDER BY ALL").fetchall()  # fmt: skip

    def exported(name):
        out = tmp_path / f"{name}.csv"
        assert flipside("export", "--run", summary.run_id, "--model", "fake:ok", "--benchmark", "mixed", "--what",
                        "scores", "--format", "csv", "--out", out).code == 0  # fmt: skip
        return out.read_text()

    assert {"accuracy", "i2t_accuracy"} & {metric for (metric,) in carrying()} == set()
    before, kinds, text = counted(), store.run(summary.run_id).kinds, exported("before")
    run("fake:ok", benchmark, KINDS, counterfactual=2)
    importer.refresh(wait=True)
    after = open_store()
    assert kinds_under_others(after.run(summary.run_id)) == KINDS
    assert counted() == before
    assert {"accuracy", "i2t_accuracy"} <= {metric for (metric,) in carrying()}
    assert after.run(summary.run_id).kinds == kinds
    assert exported("after") == text
    folder = summary.run_dir
    manifest = shards.read_manifest(folder)
    manifest["parts"]["counterfactual:itm"]["complete"] = False
    shards.write_manifest(folder, manifest)
    importer.refresh(wait=True)
    later = open_store()
    assert not later.run(summary.run_id).parts["counterfactual:itm"]
    (said,) = catalog.runs(later)[lambda f: f["run_id"] == summary.run_id]["complete"]
    assert said


def test_a_damaged_shard_of_them_costs_them_alone(tmp_path, capsys):
    summary = run("fake:ok", mixed(tmp_path / "p", 4), ["itm"], counterfactual=2)
    path = next(summary.run_dir.glob("counterfactual_itm-*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    importer.refresh(wait=True)
    assert path.name in capsys.readouterr().err
    run_ = open_store().run(summary.run_id)
    assert under_others(run_, "itm") == []
    assert not run_.parts["counterfactual:itm"]
    assert run_.parts["itm"]


@pytest.mark.long
def test_a_bundle_carries_them(tmp_path, flipside, monkeypatch):
    choices = [it for it in mixed(tmp_path / "p", 6) if it.subset == "choice"]
    summary = run("fake:ok", Benchmark("choices", lambda: iter(choices)), KINDS, counterfactual=2)
    out = tmp_path / "bundle.zip"
    chosen = ["--run", summary.run_id, "--model", "fake:ok", "--benchmark", "choices"]
    assert flipside("export", *chosen, "--what", "bundle", "--out", out).code == 0
    (before,) = under_others(open_store().run(summary.run_id), "itm")
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    answer = flipside("import-results", out, "--json")
    assert answer.code == 0, answer.err
    there = open_store().run(summary.run_id)
    assert kinds_under_others(there) == KINDS
    (after,) = under_others(there, "itm")
    assert np.array_equal(before.scores, after.scores)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ((0, 2, 0, 0.5, -1), "item 0 has a score under an image of no item"),
        ((0, -1, 0, 0.5, -1), "item 0 has a score under an image of no item"),
        ((1, 0, 3, 0.5, -1), "item 1 has no text of this number"),
        ((1, 0, 2, float("nan"), -1), "item 1 has a score that is no finite number"),
        ((2, 0, 0, 0.5, -1), "item 2 is none of the benchmark's items"),
        ((1, 0, 2, 0.5, -1), ""),
    ],
)
def test_rows_of_a_bundle_about_nothing_are_refused(row, sentence):
    shapes = Shapes(np.ones(2, np.int64), np.full(2, 3), np.full(2, 3), np.zeros(2, np.int64), np.ones(2, np.bool_))
    names = UNDER_OTHERS.names
    table = pa.table({name: [value] for name, value in zip(names, row, strict=True)}, schema=UNDER_OTHERS)
    if not sentence:
        assert exchange._check_rows("counterfactual:itm", table, shapes, 0, "fake:ok") == 0
        return
    with pytest.raises(ValueError, match=sentence):
        exchange._check_rows("counterfactual:itm", table, shapes, 0, "fake:ok")


def without_a_caption(run_dir, item_no):
    """Take one caption's score under one other image away from an item, as the engine never writes it."""
    manifest = shards.read_manifest(run_dir)
    table = shards.read_part(run_dir, "counterfactual:itm", manifest)
    keep = np.ones(len(table), bool)
    keep[np.flatnonzero(table["item_no"].to_numpy() == item_no)[1]] = False
    columns = {name: table[name].to_numpy()[keep] for name in table.column_names}
    manifest["parts"]["counterfactual:itm"]["shards"] = [shards.write_shard(run_dir, "counterfactual:itm", 0, columns)]
    shards.write_manifest(run_dir, manifest)


@pytest.mark.long
def test_an_item_of_which_some_captions_were_scored_is_not_used_and_counted(tmp_path, flipside, monkeypatch):
    choices = [it for it in mixed(tmp_path / "p", 20) if it.subset == "choice"]
    summary = run("fake:ok", Benchmark("choices", lambda: iter(choices)), ["itm"], counterfactual=16)
    without_a_caption(summary.run_dir, 3)
    importer.refresh(wait=True)
    (found,) = under_others(open_store().run(summary.run_id), "itm")
    assert found.items["item_no"].tolist() == [n for n in range(20) if n != 3]
    asked = ("--model", "fake:ok", "--benchmark", "choices")
    said = flipside("report", *asked, "--json").json["reasons"]["choice"]
    assert (said["n"], said["without_cell"]) == (19, 1)
    assert "choice: 1 more without a cell" in flipside("report", *asked).out
    assert flipside("export", *asked, "--what", "bundle", "--out", tmp_path / "bundle.zip").code == 0
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    refused = flipside("import-results", tmp_path / "bundle.zip")
    assert refused.code == 1
    assert "item 3 of part counterfactual:itm lacks scores of some captions" in refused.err


def test_more_images_are_no_other_scores(tmp_path):
    """What is compared of two copies of a run are the scores that both have."""
    few = run("fake:ok", mixed(tmp_path / "p", 5), ["itm"], counterfactual=2, root=tmp_path / "few")
    more = run("fake:ok", mixed(tmp_path / "p", 5), ["itm"], counterfactual=4, root=tmp_path / "more")
    ours, theirs = (shards.read_manifest(summary.run_dir) for summary in (few, more))
    assert same_scores.first_difference(few.run_dir, ours, more.run_dir, theirs) is None
    assert same_scores.first_difference(more.run_dir, theirs, few.run_dir, ours) is None


def test_of_what_ships_and_what_was_computed_here_the_larger_number_counts(tmp_path, monkeypatch):
    benchmark, shipped = mixed(tmp_path / "p", 5), tmp_path / "shipped"
    run("fake:ok", benchmark, ["itm"], counterfactual=2, root=shipped)
    summary = run("fake:ok", benchmark, ["itm"], counterfactual=4)
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: shipped)
    importer.refresh(wait=True)
    found = under_others(open_store().run(summary.run_id), "itm")
    assert [each.images.shape for each in found] == [(5, 4), (5, 4)]
