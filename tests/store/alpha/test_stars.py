"""α* by the paper's protocols, on small benchmarks registered under their names, against brute force."""

import json

import numpy as np
import pytest

from backend.engine.storage import schema, shards
from backend.items import ImageRef, Item, Protocol
from backend.store.alpha.stars import alpha_stars
from backend.store.build.reader import open_store
from backend.store.catalog.default_run import choose_run
from tests.store import writer

MODEL, GEN = "fake:ok", ["gen", "prior@noise:3"]
GRID = np.arange(1001) / 1000


def stars(root, items, name, **options):
    writer.write_run(root, items, "1" * 16, GEN, name=name)
    store = open_store(follow=False)
    return alpha_stars(store, choose_run(store, MODEL, name), "noise:3", **options), store


def numbers(store, protocol, n_texts):
    """(g, p) by item, from the stored rows, with loops: mean per token; p by the mean of probabilities."""
    sums, prior, count = {}, {}, {}
    for part, no, image, text, sample, value, tokens in store.cursor().execute(
        """SELECT part, item_no, image_index, text_index, sample, value, n_tokens FROM scores
        JOIN items USING (item_no) WHERE protocol = ?""", [protocol]).fetchall():  # fmt: skip
        if part == "gen":
            sums[no, image, text], count[no, text] = value, tokens
        else:
            prior.setdefault((no, text), []).append((sample, value))
    g = {key: value / count[key[0], key[2]] for key, value in sums.items()}
    p = {key: np.log(np.mean(np.exp([v for _, v in values]))) / count[key] for key, values in prior.items()}
    return g, p, sorted({no for no, _, _ in g})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["winoground", "eqben"])
def test_ten_halves(flipside_cache, name):
    items = [item for item in writer.items(30) if item.protocol == Protocol.QUAD]
    found, store = stars(flipside_cache, items, name)
    g, p, order = numbers(store, "quad", 2)

    def right(no, a):
        s = np.array([[g[no, i, t] - a * p[no, t] for t in (0, 1)] for i in (0, 1)])
        return s[0, 0] > s[0, 1] and s[1, 1] > s[1, 0]

    table = np.array([[right(no, a) for no in order] for a in GRID])
    rng = np.random.default_rng(0)
    alphas, values = [], []
    for _ in range(10):
        dev = np.zeros(len(order), bool)
        dev[rng.permutation(len(order))[: len(order) // 2]] = True
        best = int(np.argmax(table[:, dev].mean(axis=1)))
        alphas.append(GRID[best])
        values.append(table[best, ~dev].mean())
    protocol = found["text_score"]["protocol"]
    assert protocol["name"] == "10 random halves"
    assert protocol["grid"]["step"] == 0.001
    assert protocol["grid"]["alpha_mean"] == pytest.approx(np.mean(alphas))
    assert protocol["grid"]["alpha_std"] == pytest.approx(np.std(alphas, ddof=1))
    assert protocol["grid"]["value_mean"] == pytest.approx(np.mean(values))
    assert protocol["grid"]["value_std"] == pytest.approx(np.std(values, ddof=1))
    assert protocol["exact"]["at_0_mean"] == pytest.approx(protocol["grid"]["at_0_mean"])
    assert protocol["exact"]["alpha_mean"] is not None
    assert found["text_score"]["all"]["value"] >= table.mean(axis=1).max() - 1e-12
    assert found["text_score"]["all"]["at_1"] == pytest.approx(table[-1].mean())
    image = found["image_score"]
    assert image["all"]["alpha"] is None
    assert image["all"]["value"] is not None
    assert image["protocol"] is None
    assert "cancels" in image["reason"]
    assert "text_score only" in found["group_score"]["reason"]
    assert all((line["prior"], line["norm"]) == ("noise:3", "token") for line in found.values())


def pool_items(n_val, n_test):
    return [
        Item(f"pool/{k}", "pool", Protocol.RETRIEVAL, (ImageRef(f"{k}.png", f"/{k}.png"),), (f"one {k}", f"two {k}"),
             ((0, 0), (0, 1)), {"split": ("val" if k < n_val else "test",)}, f"w:{k}")
        for k in range(n_val + n_test)
    ]  # fmt: skip


def write_pool(root, items, run_id, name, inside, seed, updated="2026-01-01T00:00:00+00:00"):
    """gen and prior rows of a pool as the engine writes them: positions of gen in the run's whole pool."""
    split = None if inside is None else inside
    selection = {"split": split, "subset": None, "limit": None, "sample": None, "seed": 0}
    folder = writer.write_run(root, items, run_id, [], name=name, selection=selection, updated=updated)
    rng = np.random.default_rng(seed)
    chosen = [(n, item) for n, item in enumerate(items) if inside is None or inside in item.tags["split"]]
    texts = [(n, t) for n, item in chosen for t in range(len(item.texts))]
    base = {key: rng.normal(-10, 2) for key in texts}
    gen = {(n, key): base[key] + rng.normal() + 0.8 * (key[0] == n) for n, _ in chosen for key in texts}
    place = {key: 2 * key[0] + key[1] for key in texts}
    rows = [(n, 0, place[key], -1, -1, value, 3 + key[1]) for (n, key), value in gen.items()]
    prior = {(key, s): base[key] + 0.3 * rng.normal() for key in texts for s in range(3)}
    prior_rows = [(n, -1, t, -1, s, value, 3 + t) for ((n, t), s), value in prior.items()]
    manifest = shards.read_manifest(folder)
    for part, some in (("gen", rows), ("prior@noise:3", prior_rows)):
        shown = writer._shards(folder, part, schema.SCORES, some, 1000)
        manifest["parts"][part] = {"complete": True, "shards": shown}
    shards.write_manifest(folder, manifest)
    f = np.float32
    return {
        name: (
            np.array([[f(gen[n, key]) / (3 + key[1]) for key in own] for n in images]),
            np.array([np.log(np.mean(np.exp([f(prior[key, s]) for s in range(3)]))) / (3 + key[1]) for key in own]),
            np.array([[key[0] == n for key in own] for n in images]),
        )
        for name in ("val", "test")
        for images in [[n for n, item in chosen if name in item.tags["split"]]]
        for own in [[key for key in texts if key[0] in images]]
        if images
    }  # fmt: skip


def recall(g, p, relevant, a, k=1):
    s = g - a * p
    best = np.where(relevant, s, -np.inf).max(axis=1)
    return np.mean(((s >= best[:, None]) & ~relevant).sum(axis=1) < k)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coco", "flickr30k"])
@pytest.mark.parametrize("two_runs", [False, True])
def test_chosen_on_validation_reported_on_test(flipside_cache, name, two_runs):
    items = pool_items(25, 20)
    if two_runs:
        dev = write_pool(flipside_cache, items, "2" * 16, name, "val", 1)["val"]
        test = write_pool(flipside_cache, items, "1" * 16, name, "test", 2, "2026-02-01T00:00:00+00:00")["test"]
    else:
        both = write_pool(flipside_cache, items, "1" * 16, name, None, 3)
        dev, test = both["val"], both["test"]
    store = open_store(follow=False)
    found = alpha_stars(store, choose_run(store, MODEL, name, run="1" * 16), "noise:3")["i2t_recall_at_1"]
    protocol = found["protocol"]
    assert protocol is not None, found["reason"]
    fine = np.arange(20001) / 20000
    values = np.array([recall(*dev, a) for a in fine])
    assert protocol["dev_value"] == pytest.approx(values.max())
    assert recall(*dev, protocol["alpha"]) == pytest.approx(values.max())
    lo, hi = protocol["interval"]
    assert np.allclose(values[(fine > lo) & (fine < hi)], values.max())
    assert protocol["value"] == pytest.approx(recall(*test, protocol["alpha"]))
    assert protocol["test"]["i2t_recall_at_5"]["value"] == pytest.approx(recall(*test, protocol["alpha"], 5))
    assert protocol["test"]["i2t_recall_at_1"]["at_1"] == pytest.approx(recall(*test, 1.0))
    assert (protocol["n_dev"], protocol["n_test"]) == (25, 20)
    assert protocol["dev_run"] == ("2" if two_runs else "1") * 16


@pytest.mark.long
def test_a_validation_split_that_is_read_by_itself_is_another_hash(flipside_cache):
    items = pool_items(25, 20)
    write_pool(flipside_cache, items[:25], "2" * 16, "coco", "val", 1)
    write_pool(flipside_cache, items[25:], "1" * 16, "coco", "test", 2, "2026-02-01T00:00:00+00:00")
    store = open_store(follow=False)
    chosen = choose_run(store, MODEL, "coco", run="1" * 16)
    protocol = alpha_stars(store, chosen, "noise:3")["i2t_recall_at_1"]["protocol"]
    assert (protocol["dev_run"], protocol["n_dev"], protocol["n_test"]) == ("2" * 16, 25, 20)


@pytest.mark.long
def test_without_validation_images_it_says_what_to_run(flipside_cache):
    write_pool(flipside_cache, pool_items(10, 10), "1" * 16, "coco", "test", 1)
    store = open_store(follow=False)
    found = alpha_stars(store, choose_run(store, MODEL, "coco"), "noise:3")
    assert found["i2t_recall_at_1"]["protocol"] is None
    assert "--split val --kinds gen,prior --prior noise:3" in found["i2t_recall_at_1"]["reason"]
    assert found["t2i_recall_at_1"]["all"]["alpha"] is None
    assert "cancels" in found["t2i_recall_at_1"]["reason"]


@pytest.mark.long
@pytest.mark.parametrize("marked", [False, True])
def test_one_shot(flipside_cache, marked):
    names = tuple(f"a photo of {name}" for name in ("cat", "dog", "ring", "star"))
    items = [
        Item(f"val/{k}", "val", Protocol.CLASSIFY, (ImageRef(f"{k}.png", f"/{k}.png"),), names, ((0, k % 4),),
             {"split": ("train" if marked and k < 8 else "val",)}, f"w:{k}")
        for k in range(48)
    ]  # fmt: skip
    found, store = stars(flipside_cache, items, "imagenet")
    line = found["top1_accuracy"]
    g, p, order = numbers(store, "classify", 4)

    def right(no, a):
        s = [g[no, 0, t] - a * p[no, t] for t in range(4)]
        return all(s[no % 4] > s[t] for t in range(4) if t != no % 4)

    protocol = line["protocol"]
    assert protocol["n_dev"] == protocol["n_classes"] == 4
    assert protocol["n_test"] == (40 if marked else 44)
    assert ("tagged" if marked else "ours") in protocol["samples"]
    table = {a: np.array([right(no, a) for no in order]) for a in (0.0, 0.25, 1.0, line["all"]["alpha"])}
    assert line["all"]["at_0"] == pytest.approx(table[0.0].mean())
    assert line["all"]["value"] == pytest.approx(table[line["all"]["alpha"]].mean())
    if marked:
        assert protocol["test_at_1"] == pytest.approx(table[1.0][8:].mean())
        at = protocol["alpha"]
        assert protocol["test_value"] == pytest.approx(np.mean([right(no, at) for no in order[8:]]))


@pytest.mark.long
def test_table_one_and_benchmarks_the_paper_has_not(flipside_cache):
    items = [item for item in writer.items(20) if item.protocol == Protocol.CHOICE]
    found, _ = stars(flipside_cache, items, "sugarcrepe", norm="paper-score")
    line = found["accuracy"]
    assert line["norm"] == "paper-score"
    assert {name: line["protocol"][name] for name in ("alpha", "at_0", "at_1")} == {
        name: line["all"][name] for name in ("alpha", "at_0", "at_1")
    }
    assert "describe" in line["protocol"]["note"]
    assert line["dev_test"]["source"].startswith("ours")


@pytest.mark.slow
def test_the_report(flipside, flipside_cache):
    items = [item for item in writer.items(12) if item.protocol == Protocol.QUAD]
    writer.write_run(flipside_cache, items, "1" * 16, [*GEN, "itc"], name="winoground")
    found = flipside(
        "report", "--model", MODEL, "--benchmark", "winoground", "--kind", "gen", "--norm", "sum", "--json"
    )
    star = found.json["alpha_star"]["text_score"]
    assert (star["prior"], star["norm"]) == ("noise:3", "sum")
    assert set(star["protocol"]["grid"]) >= {"alpha_mean", "alpha_std", "value_mean", "value_std", "step"}
    errors = found.json["monte_carlo"]
    assert (errors["norm"], errors["unit"], errors["n_samples"]) == ("sum", "nats", 3)
    assert set(errors["se"]) == {"mean", "median", "max"}
    assert {line["alpha"] for line in errors["rates"]["text_score"]} >= {0.0, 1.0}
    text = flipside("report", "--model", MODEL, "--benchmark", "winoground", "--kind", "gen").out
    assert "prior noise:3, norm token" in text
    assert "10 random halves, step 0.001" in text
    assert "alpha cancels" in text
    assert "alpha_star" not in flipside("report", "--model", MODEL, "--benchmark", "winoground", "--json").json
    json.dumps(found.json, allow_nan=False)
