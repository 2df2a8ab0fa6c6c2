"""Verdicts before and after an edit against a slow count, item by item, over the same stored scores."""

import json

import numpy as np
import pytest

from backend.benchmarks.granular import distinct_captions
from backend.items import Benchmark, ImageRef, Item, Protocol
from backend.metrics import retrieval
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.items import captions
from backend.store.robustness import editions, fine_grained, matrix, originals, robustness
from tests.pages import results
from tests.store import edited_runs, writer

pytestmark = pytest.mark.slow

KINDS = [("character_swap", 0), ("character_swap", 3), ("shuffle_all_words", 0), ("negative_colour", 0)]
RUNS = [
    {"model": results.STRONG, "parts": ["itc", "t2t"], "skill": 2.5, "seed": 1},
    {"model": results.WEAK, "parts": ["itc"], "skill": 0.0, "seed": 2},
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(store, parent hash, its items, the editions' items)."""
    root = tmp_path_factory.mktemp("editions")
    items = results.world(80)
    writer.write_run(root, items, "1" * 16, ["itc", "t2t"], model=results.STRONG, skill=2.5, seed=1, name="small")
    writer.write_run(root, items, "2" * 16, ["itc"], model=results.WEAK, skill=0.0, seed=2, name="small")
    found = edited_runs.write(root, items, KINDS, RUNS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "nothing")
        store = open_store(follow=False)
    parents = queries.benchmarks(store)
    return store, str(parents[parents["name"] == "small"]["hash"].iloc[0]), items, found


def right(store, run, kind, metric):
    """item id -> whether it is right, from the outcomes of a run."""
    frame = queries.outcomes(store, run, queries.Setting(kind))
    frame = frame[(frame["metric"] == metric) & (frame["query"] == -1)]
    return dict(zip(frame["item_id"], frame["correct"].astype(bool), strict=True))


def test_which_runs_are_compared(made):
    store, parent, _, _ = made
    known = editions.pairs(store, parent)
    assert set(zip(known["model"], known["kind"], strict=True)) == {
        (results.STRONG, "itc"), (results.STRONG, "t2t"), (results.WEAK, "itc"),
    }  # fmt: skip
    assert set(known["name"]) == {
        "small~character_swap", "small~character_swap@3", "small~shuffle_all_words", "small~negative_colour",
    }  # fmt: skip
    assert set(known["run"]) == {"1" * 16, "2" * 16}


@pytest.mark.parametrize(("metric", "protocol"), [("accuracy", "choice"), ("group_score", "quad")])
def test_drops_and_flips_are_those_of_a_slow_count(made, metric, protocol):
    store, parent, items, found = made
    cells = {(c.model, c.column): c for c in matrix.matrix(store, parent, metric) if c.kind == "itc"}
    known = editions.pairs(store, parent)
    before = right(store, "1" * 16, "itc", metric)
    lost = won = n = 0
    drops = []
    for seed in (0, 3):
        name = "small~character_swap" + (f"@{seed}" if seed else "")
        run = known[(known["name"] == name) & (known["model"] == results.STRONG)]["edited_run"].iloc[0]
        after = right(store, run, "itc", metric)
        pairs = [
            (before[item.tags["origin"][0]], after[item.item_id])
            for item in found["character_swap", seed]
            if item.protocol == protocol
        ]
        lost, won, n = (
            lost + sum(a and not b for a, b in pairs),
            won + sum(b and not a for a, b in pairs),
            n + len(pairs),
        )
        drops.append(sum(a - b for a, b in pairs) / len(pairs))
    cell = cells[results.STRONG, "character_swap"]
    assert cell.change.n == n
    assert cell.change.lost.value == pytest.approx(lost / n)
    assert cell.change.won.value == pytest.approx(won / n)
    assert cell.change.drop == pytest.approx((lost - won) / n)
    assert cell.change.ci95[0] < cell.change.drop < cell.change.ci95[1]
    assert cell.drops == pytest.approx(drops)
    assert cell.spread == pytest.approx(np.std(drops, ddof=1))
    assert cell.change.clusters <= sum(item.protocol == protocol for item in items)
    assert cell.change.mcnemar_p is None  # items come twice: they are not independent
    assert cells[results.STRONG, "shuffle_all_words"].change.mcnemar_p is not None


def test_a_caption_against_its_edit_is_a_new_question(made):
    store, parent, _, found = made
    cell = next(
        c for c in matrix.matrix(store, parent)
        if c.column == "negative_colour+as_foils" and c.model == results.STRONG
    )  # fmt: skip
    known = editions.pairs(store, parent)
    run = known[(known["way"] == "foils") & (known["model"] == results.STRONG)]["edited_run"].iloc[0]
    after = right(store, run, "itc", "accuracy")
    assert cell.wins.n == len(found["negative_colour", 0]) == len(after)
    assert cell.wins.value == pytest.approx(np.mean(list(after.values())))
    assert cell.change.n == 0


def test_a_subset_and_the_headline(made):
    store, parent, _, _ = made
    whole = robustness.verdicts(store, parent)
    assert {"group_score", "accuracy", "i2t_accuracy", "t2t_accuracy", "i2t_recall_at_1"} <= set(whole["metric"])
    replaced = whole[whole["was"].notna()]
    assert not replaced.duplicated(["model", "kind", "hash", "item_id"]).any()
    assert set(robustness.verdicts(store, parent, subset="choice")["subset"]) == {"choice"}
    assert robustness.metrics(store, parent)[0] == robustness.HEADLINE


def test_pools_are_compared_on_what_both_have(flipside_cache, monkeypatch, tmp_path):
    """The edition holds every third item: the original is judged again in the smaller pool, as by hand."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    items = [item for item in writer.items(30) if item.protocol is Protocol.RETRIEVAL]
    writer.write_run(flipside_cache, items, "a" * 16, ["itc"], seed=3)
    parent = writer.write_benchmark(flipside_cache, items)
    some = [
        Item(i.item_id, i.subset, i.protocol, i.images, tuple(f"{t}!" for t in i.texts), i.truth,
             {**i.tags, "origin": (i.item_id,), "edit": ("character_swap",)}, i.source)
        for i in items[::3]
    ]  # fmt: skip
    folder = writer.write_run(flipside_cache, some, "b" * 16, ["itc"], seed=4, name="toy~character_swap")
    head = flipside_cache / "benchmarks" / json.loads((folder / "run.json").read_text())["benchmark"]["hash"]
    told = json.loads((head / "benchmark.json").read_text())
    edit = {"name": "character_swap", "effect": "meaning-preserving", "as": "replace", "family": "typo", "seed": 0}
    told["about"] = {"parent": {"hash": parent}, "perturbation": edit}
    (head / "benchmark.json").write_text(json.dumps(told))
    store = open_store()

    def vectors(run, part, numbers):
        rows = store.cursor().execute(
            """SELECT item_no, vector FROM embeddings WHERE run_id = ? AND part = ? ORDER BY item_no, "index" """,
            [run, part],
        ).fetchall()  # fmt: skip
        found = np.array([v for n, v in rows if n in numbers], dtype=np.float64)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    owner = np.repeat(np.arange(10), 2)
    truth = np.arange(10)[:, None] == owner[None, :]
    sums = []
    for run, numbers in (("a" * 16, set(range(0, 30, 3))), ("b" * 16, set(range(10)))):
        table = vectors(run, "embeddings:image", numbers) @ vectors(run, "embeddings:text", numbers).T
        found = retrieval.recall_at_k(table, truth).rates
        sums.append({name: found[name].value for name in (*robustness.RECALLS, "rsum")})
    for metric in robustness.RECALLS:
        (cell,) = matrix.matrix(store, parent, metric)
        assert (cell.change.before, cell.change.after) == pytest.approx((sums[0][metric], sums[1][metric]))
    (cell,) = matrix.matrix(store, parent, "rsum")
    assert cell.sums.drop == pytest.approx(sums[0]["rsum"] - sums[1]["rsum"])
    assert cell.sums.clusters == 10
    frame = robustness.verdicts(store, parent, "t2i_recall_at_1")
    assert sorted(zip(frame["item_id"], frame["query"], strict=True)) == sorted(
        (item.item_id, k) for item in some for k in (0, 1)
    )


@pytest.mark.parametrize("texts", ["truth", "foils", "all"])
def test_stored_captions_are_those_of_the_benchmark(made, texts):
    store, parent, items, _ = made
    assert captions.captions(store, parent, texts) == list(
        distinct_captions(Benchmark("small", lambda: iter(items)), texts)
    )
    some = captions.captions(store, parent, texts, "choice")
    assert some == list(
        distinct_captions(Benchmark("small", lambda: iter(items)), texts, lambda item: item.subset == "choice")
    )
    assert captions.first(store, parent, 5) != []


def test_original_against_fine_grained(flipside_cache, monkeypatch, tmp_path):
    """Shared images alone are compared; the finer release has images without captions besides."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")

    def item(subset, key, texts):
        truth = tuple((0, k) for k in range(len(texts)))
        return Item(f"{subset}/{key}", subset, Protocol.RETRIEVAL, (ImageRef(key, ""),), texts, truth)

    old = [item("test", f"{k}.jpg", (f"a {k}", f"b {k}")) for k in range(12)]
    new = [item("test", f"val2014/{k}.jpg", (f"fine {k}", f"finer {k}", f"finest {k}")) for k in range(4, 12)]
    new += [item("test", f"unlabeled2017/{k}.jpg", ()) for k in range(100, 120)]
    assert fine_grained.missing(open_store())[0] == ("coco", ["coco", "coco_fg"])
    writer.write_run(flipside_cache, old, "a" * 16, ["itc"], seed=3, name="coco")
    writer.write_run(flipside_cache, new, "b" * 16, ["itc"], seed=4, name="coco_fg")
    store = open_store()
    (found,) = fine_grained.finer(store)
    assert (found.original.n_images, found.original.n_texts) == (8, 16)
    assert (found.finer.n_images, found.finer.n_texts) == (8, 24)
    assert [(side.n_images, side.n_texts) for side in found.whole] == [(12, 24), (28, 24)]
    for metric in robustness.RECALLS:
        gain, _ = found.gains[metric]
        assert gain == pytest.approx(found.finer.rates[metric].value - found.original.rates[metric].value)
    assert found.gains["rsum"][0] == pytest.approx(sum(found.gains[m][0] for m in robustness.RECALLS))
    assert fine_grained.missing(store) == [("coco", []), ("flickr30k", ["flickr30k", "flickr30k_fg"])]
    whole = queries.outcomes(store, "a" * 16, queries.Setting("itc"))
    whole = whole[whole["metric"] == "i2t_recall_at_1"]
    assert found.whole[0].rates["i2t_recall_at_1"].value == pytest.approx(whole["correct"].mean())


def test_the_originals_are_counted_item_by_item_with_their_chance(made):
    """Each question once, whatever editions ask it again; the chance of quads a sixth, of choices one over captions."""
    store, parent, items, _ = made
    found = originals.originals(store, parent).set_index(["model", "kind"])
    frame = robustness.verdicts(store, parent)
    for (model, kind), line in found.iterrows():
        own = frame[(frame["model"] == model) & (frame["kind"] == kind) & frame["was"].notna()]
        asked = {}
        for row in own.itertuples():
            asked.setdefault((row.item_id, row.metric, row.query), row.was)
        assert line["n"] == len(asked)
        assert line["value"] == pytest.approx(np.mean(list(asked.values())))
        assert line["low"] <= line["value"] <= line["high"]
    texts = {item.item_id: len(item.texts) for item in items}
    levels = {"group_score": 1 / 6, "i2t_accuracy": 1 / 3}
    own = frame[(frame["model"] == results.WEAK) & (frame["metric"] == "accuracy") & frame["was"].notna()]
    one = originals.originals(store, parent, "accuracy").set_index(["model", "kind"]).loc[(results.WEAK, "itc")]
    assert one["chance"] == pytest.approx(np.mean([1 / texts[item] for item in own["item_id"].unique()]))
    group = originals.originals(store, parent, "group_score").set_index(["model", "kind"])
    assert group["chance"].tolist() == pytest.approx([levels["group_score"]] * len(group))
    assert originals.originals(store, parent, robustness.RSUM).empty
    recall = originals.originals(store, parent, "i2t_recall_at_1").set_index(["model", "kind"])
    if len(recall):
        pool = sum(item.protocol == Protocol.RETRIEVAL for item in items)
        captions_ = sum(len(item.texts) for item in items if item.protocol == Protocol.RETRIEVAL)
        each = [len(item.texts) / captions_ for item in items if item.protocol == Protocol.RETRIEVAL]
        assert recall["n"].tolist() == [pool] * len(recall)
        assert recall["chance"].tolist() == pytest.approx([np.mean(each)] * len(recall))
