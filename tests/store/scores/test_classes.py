"""Classify subsets in the store: one class, two classes, several at once; in chunks, against scores read by hand."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn import metrics as sk

from backend.items import ImageRef, Item, Protocol
from backend.metrics.classification import map_11_point
from backend.store.alpha.curves import alpha_curves
from backend.store.build.reader import open_store
from backend.store.catalog.default_run import choose_run
from backend.store.rates.rates import rates
from backend.store.scores import classes, matrices, outcomes
from backend.store.scores.setting import Setting
from tests.store import writer
from tests.store.conftest import MODEL, ONE

NAMES = {
    "animals": tuple(f"animal {n}" for n in range(7)),
    "memes": ("harmless", "hateful"),
    "scene": ("cat", "dog", "car"),
}
ITC = Setting("itc")


def items():
    """35 animals, unevenly spread, 20 memes, 12 pictures with none, one or two of three things."""
    found = []

    def add(subset, k, truth):
        image = ImageRef(f"{subset}{k}.png", f"/{subset}{k}.png")
        pairs = tuple((0, t) for t in truth)
        tags = {"concept": ("class",)}
        found.append(Item(f"{subset}/{k}", subset, Protocol.CLASSIFY, (image,), NAMES[subset], pairs, tags, "w"))

    for k in range(35):
        add("animals", k, [min(k % 9, 6)])
        if k < 20:
            add("memes", k, [k % 3 == 0])
        if k < 12:
            add("scene", k, [[0], [1, 2], [2], [], [0, 1], [1]][k % 6])
    return found


@pytest.fixture
def store(flipside_cache):
    writer.write_run(flipside_cache, items(), ONE, ["itc", "itm", "gen", "prior@noise:3"], skill=0.7)
    return open_store(follow=False)


def stored(store, subset, kind="itc"):
    """(scores (n, classes), truth (n, classes)) of a subset, read row by row."""
    mine = [(number, item) for number, item in enumerate(items()) if item.subset == subset]
    query = "SELECT item_no, text_index, value FROM scores WHERE run_id = ? AND part = ?"
    rows = store.cursor().execute(query, [ONE, kind]).fetchall()
    known = {(number, text): value for number, text, value in rows}
    width = len(NAMES[subset])
    scores = np.array([[known[number, t] for t in range(width)] for number, _ in mine])
    truth = np.array([[(0, t) in item.truth for t in range(width)] for _, item in mine])
    return scores, truth


@pytest.mark.slow
@pytest.mark.parametrize("cells", [classes.CELLS, 20])
def test_accuracies_are_those_of_the_stored_scores_however_they_are_cut(store, monkeypatch, cells):
    monkeypatch.setattr(classes, "CELLS", cells)
    frame = outcomes.frame_of(store.run(ONE), ITC)
    scores, truth = stored(store, "animals")
    own = truth.argmax(axis=1)
    mine = frame[frame["subset"] == "animals"].set_index("metric")
    assert mine.loc["top1_accuracy", "correct"].tolist() == (scores.argmax(axis=1) == own).tolist()
    five = [label in row.argsort()[-5:] for row, label in zip(scores, own, strict=True)]
    assert mine.loc["top5_accuracy", "correct"].tolist() == five
    best_other = np.where(truth, -np.inf, scores).max(axis=1)
    margins = scores[np.arange(len(own)), own] - best_other
    np.testing.assert_allclose(mine.loc["top1_accuracy", "margin"].to_numpy(float), margins, atol=1e-6)
    assert set(frame["subset"]) == {"animals", "memes"}  # several truths: no item of `scene` has such a verdict


@pytest.mark.long
def test_each_subset_has_its_own_rates_and_chance_levels(store):
    table = rates(store, ONE, ITC, "subset").set_index(["group", "metric"])
    scores, truth = stored(store, "animals")
    own = truth.argmax(axis=1)
    line = table.loc["animals", "mean_per_class_accuracy"]
    assert line["value"] == pytest.approx(sk.balanced_accuracy_score(own, scores.argmax(axis=1)))
    assert (line["n"], line["chance"]) == (35, pytest.approx(1 / 7))
    assert table.loc["animals", "top5_accuracy"]["chance"] == pytest.approx(5 / 7)
    scores, truth = stored(store, "memes")
    line = table.loc["memes", "classification_auroc"]
    assert line["value"] == pytest.approx(sk.roc_auc_score(truth[:, 1], scores[:, 1] - scores[:, 0]))
    assert line["chance"] == 0.5
    scores, truth = stored(store, "scene")
    line = table.loc["scene", "map_11_point"]
    expected = map_11_point(log_softmax(100 * scores, axis=1), truth)
    assert line["value"] == pytest.approx(expected.value)
    assert line["n"] == 12
    assert ("animals", "classification_auroc") not in table.index
    assert ("scene", "top1_accuracy") not in table.index


@pytest.mark.long
def test_log_odds_are_compared_as_they_stand(store):
    table = rates(store, ONE, Setting("itm"), "subset").set_index(["group", "metric"])
    scores, truth = stored(store, "scene", "itm")
    assert table.loc["scene", "map_11_point"]["value"] == pytest.approx(map_11_point(scores, truth).value)


@pytest.mark.long
def test_all_subsets_together_have_classes_of_their_own(store):
    table = rates(store, ONE, ITC).set_index("metric")
    labels, predicted = [], []
    for place, subset in enumerate(("animals", "memes")):
        scores, truth = stored(store, subset)
        labels += [(10 * place + label) for label in truth.argmax(axis=1)]
        predicted += [(10 * place + label) for label in scores.argmax(axis=1)]
    value = sk.balanced_accuracy_score(labels, predicted)
    assert table.loc["mean_per_class_accuracy", "value"] == pytest.approx(value)
    assert table.loc["mean_per_class_accuracy", "chance"] == pytest.approx((7 / 7 + 2 / 2) / 9)
    assert "map_11_point" not in table.index


@pytest.mark.long
def test_one_subset_alone_has_its_area(store):
    table = rates(store, ONE, ITC, subset="memes").set_index("metric")
    assert table.loc["classification_auroc", "n"] == 20
    table = rates(store, ONE, ITC, subset="scene").set_index("metric")
    assert list(table.index) == ["map_11_point"]


@pytest.mark.long
def test_several_truths_stay_out_of_blocks_and_curves(store):
    block = matrices.block(store.run(ONE), "gen", Protocol.CLASSIFY)
    assert set(block.items["subset"]) == {"animals", "memes"}
    (curve,) = alpha_curves(store, ONE, "noise:3")
    assert curve.curve.n == 55


@pytest.mark.slow
def test_alpha_moves_the_areas(store):
    plain, half = (rates(store, ONE, Setting("gen", alpha, "noise:3"), "subset") for alpha in (0.0, 1.0))
    merged = plain.merge(half, on=["metric", "group"])
    moved = merged[merged["value_x"] != merged["value_y"]]
    assert {"map_11_point", "classification_auroc"} <= set(moved["metric"])


@pytest.mark.slow
def test_the_report_of_a_subset_without_verdicts(store, flipside):
    assert choose_run(store, MODEL, "toy").run_id == ONE
    found = flipside("report", "--model", MODEL, "--benchmark", "toy", "--kind", "itc", "--subset", "scene", "--json")
    assert found.json["n_items"] == 12
    assert found.json["metrics"]["map_11_point"]["n"] == 12
    whole = flipside("report", "--model", MODEL, "--benchmark", "toy", "--kind", "itc", "--json").json
    assert set(whole["by"]) == {"animals", "memes", "scene"}
