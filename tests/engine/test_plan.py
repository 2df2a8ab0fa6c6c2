import numpy as np
import pyarrow.parquet as pq
import pytest

from backend.engine import plan as plan_
from backend.engine.inputs.prior import PriorSource
from backend.engine.inputs.selection import Selection
from backend.engine.plan import make_plan
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.errors import UsageError
from backend.intake.survey import survey
from backend.items import Benchmark, ImageRef, Kind, Protocol
from backend.kinds import that_apply
from tests.engine.samples import PARTS_OF_ALL, item, mixed, picture

NOISE = PriorSource("noise", n=2)


def brute_force(benchmark, kind, chosen):
    """The cells (item, image, text, text b) of a kind, straight from its definition; pools of one subset each."""
    items = [(n, it) for n, it in enumerate(benchmark) if n in chosen]
    cells = set()
    for number, it in items:
        if kind == "t2t":
            pairs = [(0, 1), (0, 2), (1, 2)] if it.protocol == "triplet" else []
            cells |= {(number, -1, a, b) for a, b in pairs}
        elif kind == "verdict":
            pairs = {"triplet": [(0, 2), (1, 2)], "choice": [(0, 1), (0, 2), (0, 3)], "quad": [(0, 1)]}
            cells |= {(number, i, a, b) for i in range(len(it.images)) for a, b in pairs.get(it.protocol, [])}
        elif it.protocol == "retrieval":
            cells |= pool_cells(benchmark, kind, chosen, number)
        elif kind == "prior":
            cells |= {(number, -1, t, -1) for t in range(len(it.texts))}
        else:
            cells |= {(number, i, t, -1) for i in range(len(it.images)) for t in range(len(it.texts))}
    return cells


def pool_cells(benchmark, kind, chosen, number):
    pool = [(n, it) for n, it in enumerate(benchmark) if it.protocol == "retrieval"]
    texts = [(n, t) for n, it in pool for t in range(len(it.texts))]
    labelled = [(n, t, position) for position, (n, t) in enumerate(texts) if n in chosen][: plan_.LABELLED_TEXTS]
    if kind == "prior":
        return {(n, -1, t, -1) for n, t, _ in labelled if n == number}
    images = [n for n, _ in pool if n in chosen][: plan_.LABELLED_IMAGES]
    return {(number, 0, position, -1) for _, _, position in labelled} if number in images and kind != "itc" else set()


@pytest.mark.parametrize("texts_alone", [False, True])
def test_kinds_that_apply_to_protocols_are_those_that_have_cells(tmp_path, texts_alone):
    """What pages offer and say (`kinds.that_apply`) is what a run then scores."""
    every = mixed(tmp_path / "pictures", n=2)
    gives = [Kind.T2T, Kind.PRIOR] if texts_alone else [*PARTS_OF_ALL]
    sources = [NOISE]
    for protocol in dict.fromkeys(it.protocol for it in every):
        found = survey(
            Benchmark("one", lambda p=protocol: (i for i in every if i.protocol == p)), Selection(), tmp_path
        )
        planned = make_plan(found, [Kind(kind) for kind in gives], sources, texts_alone=texts_alone)
        scored = {str(stage.kind) for stage in planned.stages}
        assert set(that_apply(gives, {protocol})) == scored, protocol


@pytest.mark.parametrize("kind", PARTS_OF_ALL)
@pytest.mark.parametrize("selection", [Selection(), Selection(sample=9, seed=3), Selection(limit=11)], ids=str)
def test_rows_are_the_cells_of_the_definition(tmp_path, monkeypatch, kind, selection):
    monkeypatch.setattr(plan_, "LABELLED_IMAGES", 2)
    monkeypatch.setattr(plan_, "LABELLED_TEXTS", 5)
    benchmark = mixed(tmp_path / "pictures", n=4)
    summary = run("fake:ok", benchmark, [kind], selection=selection, priors=["noise:2"] if kind == "prior" else ())
    chosen = set(survey(benchmark, selection, tmp_path).selected.tolist())
    part = "prior@noise:2" if kind == "prior" else kind
    table = shards.read_part(summary.run_dir, part).to_pylist()
    found = [
        (r["item_no"], r["image_index"], r["text_index"], r["text_index_b"]) for r in table if r["sample"] in (-1, 0)
    ]
    assert len(found) == len(set(found))
    assert set(found) == brute_force(benchmark, kind, chosen)
    assert summary.computed == len(found) + sum(
        summary.parts.get(f"embeddings:{m}", {"rows": 0})["rows"] for m in ("image", "text")
    )


def test_embeddings_of_the_whole_pool_are_stored(tmp_path):
    summary = run("fake:ok", mixed(tmp_path / "pictures"), ["itc"])
    images = shards.read_part(summary.run_dir, "embeddings:image").to_pylist()
    texts = shards.read_part(summary.run_dir, "embeddings:text").to_pylist()
    assert [(r["item_no"], r["index"]) for r in images] == [(n, 0) for n in range(12, 16)]
    assert len(texts) == 2 + 3 + 2 + 3
    assert np.linalg.norm(images[0]["vector"]) == pytest.approx(1, abs=2e-3)


def test_items_that_share_an_image_are_brought_together(tmp_path):
    found = survey(mixed(tmp_path / "pictures", n=3), Selection(), tmp_path)
    assert found.work_order().tolist() == [0, 6, 1, 7, 2, 8, 3, 4, 5, 9, 10, 11]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(limit=3), [0, 1, 2]),
        (Selection(subset="quad"), [4, 5, 6, 7]),
        (Selection(subset="choice, tri", limit=6), [0, 1, 2, 3, 8, 9]),
        (Selection(split="b"), [0, 2, 8, 9, 10, 11]),
        (Selection(split="all", limit=2), [0, 1]),
        (Selection(sample=100), list(range(16))),
    ],
    ids=str,
)
def test_selection(tmp_path, selection, expected):
    assert survey(mixed(tmp_path / "pictures"), selection, tmp_path).selected.tolist() == expected


def test_a_sample_depends_on_its_seed_alone(tmp_path):
    def draw(seed):
        return survey(mixed(tmp_path / "p"), Selection(sample=5, seed=seed), tmp_path).selected.tolist()

    assert draw(1) == draw(1) != draw(2)
    assert draw(1) == sorted(set(draw(1)))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"subset": "quads"}, "Did you mean quad"),
        ({"split": "test"}, "Available: a, b"),
        ({"limit": 0}, "--limit 0"),
        ({"limit": 1, "sample": 1}, "exclude each other"),
        ({"split": "a", "subset": "pool"}, "no item matches"),
    ],
)
def test_wrong_selections_say_what_there_is(tmp_path, wrong, sentence):
    with pytest.raises(UsageError, match=sentence):
        survey(mixed(tmp_path / "pictures"), Selection(**wrong), tmp_path)


def test_images_that_are_not_there_are_left_out_of_image_kinds_only(tmp_path):
    whole = list(mixed(tmp_path / "pictures"))
    gone = ImageRef("p1.png", "")

    def items():
        for it in whole:
            yield item(it.item_id, it.protocol, [gone] if it.item_id == "tri/1" else it.images, it.texts, it.tags)

    summary = run("fake:ok", Benchmark("mixed", items), ["itc", "gen", "t2t", "prior"])
    assert summary.exit_code == 0
    assert [(e.reason, e.n, e.parts, e.items) for e in summary.left_out] == [
        ("image missing", 1, ["itc", "gen"], ["tri/1"])
    ]
    assert all(part["complete"] for part in summary.parts.values())
    items_of = {part: set(shards.read_part(summary.run_dir, part)["item_no"].to_pylist()) for part in summary.parts}
    assert 1 not in items_of["itc"] | items_of["gen"]
    assert 1 in items_of["t2t"] & items_of["prior@noise:3"]
    later = run("fake:ok", mixed(tmp_path / "pictures"), ["itc", "gen"])
    assert later.run_id == summary.run_id
    assert later.parts["itc"]["new_rows"] == 3
    assert 1 in shards.read_part(later.run_dir, "gen")["item_no"].to_pylist()


def test_nothing_can_be_scored_without_images():
    def items():
        yield item("tri/0", Protocol.TRIPLET, [ImageRef("gone.png", "")], ("a", "b", "c"), {})

    summary = run("fake:ok", Benchmark("bare", items), ["itc"])
    assert summary.exit_code == 1
    assert not summary.parts["itc"]["complete"]


def test_t2t_outside_triplets_is_skipped_with_the_reason(tmp_path):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["itc", "t2t"], selection=Selection(subset="quad"))
    assert "triplets only" in summary.skipped["t2t"]
    with pytest.raises(UsageError, match="triplets only"):
        run("fake:ok", mixed(tmp_path / "p"), ["t2t"], selection=Selection(subset="quad"))


@pytest.mark.parametrize(
    ("spec", "kinds", "priors", "sentence"),
    [
        ("fake:ok/itc,t2t", ["itc", "gen"], [], "fake:ok/itc,t2t gives no gen; it gives itc, t2t"),
        ("fake:ok", ["itd"], [], "unknown kind 'itd'"),
        ("fake:ok", [], [], "no kind given"),
        ("fake:ok", ["itc"], ["noise:3"], "add prior to --kinds"),
        ("fake:ok", ["prior"], ["noise:0"], "noise:0: expected"),
        ("fake:ok", ["prior"], ["images:1001"], "N from 1 to 1000"),
        (
            "fake:ok",
            ["prior"],
            ["lm:bundled:nothing"],
            "--prior lm:bundled:nothing: There is no bundled model 'nothing'",
        ),
        ("fake:ok", ["prior"], ["self"], "no blind model"),
        ("fake:ok/prior", ["prior"], ["noise:3"], "gives no gen"),
        ("fake:ok", ["prior"], ["lm:fake:ok"], "is no blind language model"),
    ],
)
def test_what_a_model_cannot_give_is_wrong_use(tmp_path, spec, kinds, priors, sentence):
    with pytest.raises(UsageError, match=sentence):
        run(spec, mixed(tmp_path / "p"), kinds, priors=priors, root=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_an_unknown_benchmark_is_told_before_the_model_is_loaded(monkeypatch):
    monkeypatch.setattr("backend.models.load", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(UsageError, match="unknown benchmark 'nosuch'"):
        run("fake:ok", "nosuch", ["itc"])


def test_a_text_of_another_item_keeps_its_place_in_the_pool(tmp_path):
    found = survey(mixed(tmp_path / "p"), Selection(subset="pool", sample=2, seed=0), tmp_path)
    pool = make_plan(found, [Kind.GEN, Kind.PRIOR], [NOISE]).pools["pool"]
    everything = [text for it in mixed(tmp_path / "p") if it.subset == "pool" for text in it.texts]
    assert [everything[position] for position, _ in pool.texts] == [text for _, text in pool.texts]
    assert picture(tmp_path / "p", "r0").key == "r0.png"


def test_a_model_of_texts_alone_embeds_the_pools_texts(tmp_path):
    """They grade what other models retrieve; a model with itc stores them there, and has no second copy."""
    benchmark = mixed(tmp_path / "p")
    expected = [(n, t) for n, it in enumerate(benchmark) if it.protocol == "retrieval" for t in range(len(it.texts))]
    summary = run("fake:ok/t2t", benchmark, ["t2t"])
    assert set(shards.read_manifest(summary.run_dir)["parts"]) == {"t2t", "embeddings:text"}
    assert places(summary.run_dir) == expected
    assert run("fake:ok/t2t", benchmark, ["t2t"]).computed == 0
    assert places(run("fake:ok/itc,t2t", benchmark, ["itc", "t2t"]).run_dir) == expected
    only_pool = run("fake:ok/t2t", benchmark, ["t2t"], selection=Selection(subset="pool"))
    assert only_pool.exit_code == 0
    assert places(only_pool.run_dir) == expected


def places(run_dir):
    part = shards.read_manifest(run_dir)["parts"]["embeddings:text"]
    assert part["complete"]
    rows = [row for entry in part["shards"] for row in pq.read_table(run_dir / entry["file"]).to_pylist()]
    return sorted((row["item_no"], row["index"]) for row in rows)


def test_picked_items_alone_are_scored_under_a_run_of_their_own(tmp_path):
    ids = [item.item_id for item in mixed(tmp_path / "p").open_items()]
    picked = frozenset([ids[7], ids[2]])
    found = survey(mixed(tmp_path / "p"), Selection(items=picked), tmp_path)
    assert found.selected.tolist() == [2, 7]
    assert not Selection(items=picked).whole
    said = Selection(items=picked).identity()
    assert said["items"]["n"] == 2
    assert said["items"] == Selection(items=frozenset(sorted(picked, reverse=True))).identity()["items"]
    assert said["items"] != Selection(items=frozenset(ids[:2])).identity()["items"]
    assert "items" not in Selection().identity()  # earlier runs keep their ids
    with pytest.raises(UsageError, match="1 of the 2 picked items are not in it"):
        survey(mixed(tmp_path / "p"), Selection(items=frozenset([ids[0], "gone"])), tmp_path)
    with pytest.raises(UsageError, match="set is empty"):
        Selection(items=frozenset())
