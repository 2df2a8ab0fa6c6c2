"""P(t) from sampled images leaves out an item's own images and its cluster, from the stored samples."""

import json

import numpy as np
import pytest

from backend.items import ImageRef, Item, Protocol
from backend.metrics import alpha as alpha_
from backend.store.alpha import montecarlo
from backend.store.alpha.curves import alpha_curves
from backend.store.build.reader import open_store
from backend.store.items import detail
from backend.store.scores import drawn, matrices, outcomes, pools
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting
from pages.item import priors
from tests.store import writer
from tests.store.conftest import ONE

PART = "prior@images:4"


def quad(k: int, images: tuple[str, str], group: str = "") -> Item:
    tags = {"concept": ("relation",)} | ({"group": (group,)} if group else {})
    refs = tuple(ImageRef(name, f"/pictures/{name}") for name in images)
    texts = (f"a red star {k}", f"a blue star {k}")
    return Item(f"quad/{k}", "quad", Protocol.QUAD, refs, texts, ((0, 0), (1, 1)), tags, f"q:{k}")


def choice(k: int, image: str) -> Item:
    texts = (f"two stars {k}", f"three stars {k}", f"four stars {k}")
    refs = (ImageRef(image, f"/pictures/{image}"),)
    return Item(f"choice/{k}", "choice", Protocol.CHOICE, refs, texts, ((0, 0),), {"concept": ("count",)}, f"c:{k}")


ITEMS = [
    quad(1, ("a.png", "b.png")),
    quad(2, ("c.png", "a.png")),  # shares an image that is not its first
    quad(3, ("d.png", "e.png"), "video"),
    quad(4, ("f.png", "g.png"), "video"),
    quad(5, ("h.png", "i.png")),
    choice(1, "b.png"),
    choice(2, "j.png"),
]
DRAWN = ["b.png", "e.png", "j.png", "elsewhere.png"]
#: Which samples each item leaves out: b is joined to a and c, e to f and g.
OWN = {0: [0], 1: [0], 2: [1], 3: [1], 4: [], 5: [0], 6: [2]}


def run_of(root, images=DRAWN):
    folder = writer.write_run(root, ITEMS, ONE, ["gen", PART])
    record = json.loads((folder / "run.json").read_text())
    if images is not None:
        record["priors"] = {PART: {"samples": 4, "seed": 0, "images": images}}
    (folder / "run.json").write_text(json.dumps(record))
    return open_store()


def stored(store, item_no: int) -> np.ndarray:
    """Sums (4, texts) of an item as they lie in its shards."""
    rows = store.cursor().execute(
        "SELECT sample, text_index, value FROM scores WHERE run_id = ? AND part = ? AND item_no = ?",
        [ONE, PART, item_no],
    ).fetchall()  # fmt: skip
    found = np.full((4, len(ITEMS[item_no].texts)), np.nan)
    for sample, text, value in rows:
        found[sample, text] = value
    return found


def by_hand(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """log of the plain mean, a token."""
    return np.log(np.exp(sums).mean(axis=0)) / counts


@pytest.mark.parametrize("protocol", [Protocol.QUAD, Protocol.CHOICE])
def test_each_item_has_the_mean_over_the_images_that_are_not_its_own(flipside_cache, protocol):
    store = run_of(flipside_cache)
    run = store.run(ONE)
    block = matrices.block(run, "gen", protocol)
    _, prior = matrices.terms(run, block, Setting("gen", 1.0, "images:4"))
    counts = block.n_tokens[:, 0] if protocol == Protocol.QUAD else block.n_tokens
    assert len(block) > 1
    for row, item_no in enumerate(block.items["item_no"]):
        kept = np.delete(stored(store, item_no), OWN[item_no], axis=0)
        assert prior[row] == pytest.approx(by_hand(kept, counts[row]), abs=1e-12)
    assert drawn.said(run, "images:4") == drawn.LEFT_OUT


def test_gamma_and_r_of_quads_stay_exactly_and_c_moves_by_half_the_priors_gap(flipside_cache):
    run = run_of(flipside_cache).run(ONE)
    block, before = judged_scores(run, Setting("gen", 0.0), Protocol.QUAD)
    _, after = judged_scores(run, Setting("gen", 0.7, "images:4"), Protocol.QUAD)
    _, p = matrices.terms(run, block, Setting("gen", 0.7, "images:4"))

    def parts(s):
        gamma = (s[:, 0, 0] - s[:, 0, 1] - s[:, 1, 0] + s[:, 1, 1]) / 4
        c = (s[:, 0, 0] - s[:, 0, 1] + s[:, 1, 0] - s[:, 1, 1]) / 4
        r = (s[:, 0, 0] + s[:, 0, 1] - s[:, 1, 0] - s[:, 1, 1]) / 4
        return gamma, c, r

    (g0, c0, r0), (g1, c1, r1) = parts(before), parts(after)
    assert g1 == pytest.approx(g0, abs=1e-12)
    assert r1 == pytest.approx(r0, abs=1e-12)
    assert c1 == pytest.approx(c0 - 0.7 * (p[:, 0] - p[:, 1]) / 2, abs=1e-12)
    assert np.abs(c1 - c0).min() > 0


@pytest.mark.parametrize("images", [None, ["b.png"], [1, 2, 3, 4], "b.png"])
def test_a_record_that_does_not_name_the_images_takes_all_and_says_so(flipside_cache, images):
    store = run_of(flipside_cache, images)
    run = store.run(ONE)
    assert drawn.said(run, "images:4") == drawn.UNKNOWN
    block = matrices.block(run, "gen", Protocol.QUAD)
    _, prior = matrices.terms(run, block, Setting("gen", 1.0, "images:4"))
    for row, item_no in enumerate(block.items["item_no"]):
        assert prior[row] == pytest.approx(by_hand(stored(store, item_no), block.n_tokens[row, 0]), abs=1e-12)


def test_an_item_whose_samples_are_all_its_own_is_undefined(flipside_cache):
    store = run_of(flipside_cache, ["j.png"] * 4)
    run = store.run(ONE)
    frame = outcomes.compute(store, ONE, Setting("gen", 1.0, "images:4"))
    correct = frame[frame["metric"] == "accuracy"].set_index("item_id")["correct"]
    assert correct.isna().to_dict() == {"choice/1": False, "choice/2": True}
    assert drawn.own(run, PART, matrices.items_of(run, Protocol.CHOICE), 4).sum() == 4


def test_monte_carlo_errors_count_the_samples_that_are_left(flipside_cache):
    store = run_of(flipside_cache)
    found = montecarlo.errors_of_items(store, ONE, Setting("gen", 1.0, "images:4"), "choice").set_index("item_no")
    block = matrices.block(store.run(ONE), "gen", Protocol.CHOICE)
    for row, item_no in enumerate(block.items["item_no"]):
        sums = np.delete(stored(store, item_no), OWN[item_no], axis=0)
        counts = block.n_tokens[row]
        moved = (np.exp(sums) / np.exp(sums).mean(axis=0) - 1) / counts
        p = by_hand(sums, counts)
        gen = block.scores[row] / counts
        foil = int(((gen - p)[0] - (gen - p)[1:]).argmin()) + 1
        error = (moved[:, 0] - moved[:, foil]).std(ddof=1) / np.sqrt(3)
        assert found["margin_error"][item_no] == pytest.approx(error, rel=1e-9)


POOL = [
    Item(f"pool/{k}", "pool", Protocol.RETRIEVAL, (ImageRef(f"p{k}.png", f"/p/{k}.png"),), (f"s {k}", f"t {k}"),
         ((0, 0), (0, 1)), {"concept": ("mixed",)}, f"p:{k}")
    for k in range(12)
]  # fmt: skip
IN_POOL = ["p3.png", "p7.png", "p0.png", "elsewhere.png"]


@pytest.fixture
def pooled(flipside_cache):
    """A run whose samples are images of its own pool: a captioner whose log P(t | own image) towers above the rest."""
    rng = np.random.default_rng(1)
    folder = writer.write_run(flipside_cache, POOL, ONE, [])
    table = rng.normal(-30, 3, (12, 24))
    table[np.arange(24) // 2 == np.arange(12)[:, None]] += 20
    table = table.astype(np.float32).astype(float)
    places = [int(key[1:-4]) if key[1:-4].isdecimal() else None for key in IN_POOL]
    samples = np.stack([rng.normal(-30, 3, 24) if at is None else table[at] for at in places])
    gen = [(k, 0, t, -1, -1, table[k, t], 3) for k in range(12) for t in range(24)]
    prior = [(t // 2, -1, t % 2, -1, s, samples[s, t], 3) for t in range(24) for s in range(4)]
    writer.add_part(folder, "gen", gen)
    writer.add_part(folder, PART, prior)
    record = json.loads((folder / "run.json").read_text())
    record["priors"] = {PART: {"samples": 4, "seed": 0, "images": IN_POOL}}
    (folder / "run.json").write_text(json.dumps(record))
    return open_store(), samples.astype(np.float32).astype(float)


def test_an_image_of_a_pool_is_ranked_without_its_own_sample_and_text_queries_do_not_change(pooled):
    store, samples = pooled
    run = store.run(ONE)
    (pool,) = pools.pools(run, "gen")
    gen, prior = outcomes.pool_terms(run, pool, Setting("gen", 1.0, "images:4"))
    for image in range(12):
        kept = [s for s, key in enumerate(IN_POOL) if key != f"p{image}.png"]
        assert prior[image] == pytest.approx(np.log(np.exp(samples[kept]).mean(axis=0)) / 3, abs=1e-12)
    given = outcomes.pool_scored(run, pool, Setting("gen", 1.0, "images:4"))
    plain = outcomes.pool_scored(run, pool, Setting("gen"))
    right = {name: found.correct.mean() for name, found in given.recalls.items()}
    assert right["t2i_recall_at_1"] == plain.recalls["t2i_recall_at_1"].correct.mean()
    with_own = alpha_.debias(gen, np.log(np.exp(samples).mean(axis=0)) / 3, 1.0)
    inside = [0, 3, 7]
    without = np.asarray(given.scores)

    def lead(scores):
        """By how much an image's own first caption is ahead of the best one of another image."""
        others = np.where(np.arange(24) // 2 == np.arange(12)[:, None], -np.inf, scores).max(axis=1)
        return (scores[np.arange(12), 2 * np.arange(12)] - others)[inside]

    assert (lead(with_own) < 0.5).all()  # the own sample takes all but log(4) / 3 of it away
    assert (lead(without) > 2).all()
    assert given.recalls["i2t_recall_at_1"].correct[inside].all()


def test_the_alpha_curve_of_a_pool_says_what_its_verdicts_say(pooled):
    store, _ = pooled
    (curve,) = [c for c in alpha_curves(store, ONE, "images:4") if c.metric == "i2t_recall_at_1"]
    run = store.run(ONE)
    (pool,) = pools.pools(run, "gen")
    for alpha in (0.0, 0.4, 1.0, 1.7):
        judged = outcomes.pool_scored(run, pool, Setting("gen", alpha, "images:4")).recalls["i2t_recall_at_1"].correct
        assert curve.sets.contains(alpha).tolist() == judged.tolist()
    errors = montecarlo.errors_of_rates(store, ONE, Setting("gen", 1.0, "images:4"), (1.0,), near=False)
    assert errors["i2t_recall_at_1"][0]["value"] == curve.curve.at(1.0)


def test_an_items_page_counts_the_same_samples(flipside_cache):
    store = run_of(flipside_cache)
    benchmark = store.run(ONE).benchmark
    for item_no in (0, 4, 6):
        found = detail.item(store, benchmark, ITEMS[item_no].item_id)
        assert found.own == {(ONE, PART, sample) for sample in OWN[item_no]}
        ((_, source, cells),) = priors.rows(found.scores, len(found.texts), found.own)
        kept = np.delete(stored(store, item_no), OWN[item_no], axis=0)
        tokens = found.scores[found.scores["part"] == PART].drop_duplicates("text_index")["n_tokens"].to_numpy()
        assert source == "images:4"
        assert [cell[0] for cell in cells] == pytest.approx(by_hand(kept, tokens))


def test_the_cluster_of_the_stored_items_is_the_component(flipside_cache):
    store = run_of(flipside_cache)
    found = store.cursor().execute("SELECT item_id, cluster FROM items ORDER BY item_no").fetchall()
    assert dict(found) == {
        "quad/1": "a.png", "quad/2": "a.png", "quad/3": "d.png", "quad/4": "d.png", "quad/5": "h.png",
        "choice/1": "a.png", "choice/2": "j.png",
    }  # fmt: skip
