"""Scores that stored runs hold already are taken, not computed; change one ingredient, and they are computed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.engine.inputs import image_bytes
from backend.engine.inputs.selection import Selection
from backend.engine.reuse import may_reuse
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from backend.items import Benchmark
from tests.engine.samples import PARTS_OF_ALL, Counting, mixed, rows

PRIORS = ["noise:2", "images:3"]
HALF = Selection(subset="tri,choice")


def everything(tmp_path: Path, model="fake:ok", selection=None, kinds=PARTS_OF_ALL, cache="cache", **more):
    """A run of all kinds on the mixed benchmark, in the folder's one cache."""
    benchmark, priors = mixed(tmp_path / "p"), PRIORS if "prior" in kinds else ()
    return run(model, benchmark, kinds, priors=priors, selection=selection, root=tmp_path / cache, **more)


def asked(summary) -> int:
    return sum(n for name, n in summary.asked.items() if name != "images_decoded")


def stored(run_dir: Path) -> dict:
    return json.loads((run_dir / "run.json").read_text())


def taken(summary) -> int:
    return sum(sum(parts.values()) for parts in summary.taken.values())


@pytest.mark.parametrize("spec", ["fake:ok", "fake:pairwise"])
def test_a_subset_of_a_finished_run_is_taken_whole_and_to_the_bit(tmp_path, spec):
    """Every kind, with tokens, priors and vectors; the model is asked for nothing."""
    whole = everything(tmp_path, spec)
    assert whole.taken == {}
    part = everything(tmp_path, spec, Selection(subset="tri,choice,quad,pool"))
    assert part.run_id != whole.run_id
    assert (asked(part), part.asked["images_decoded"], part.computed) == (0, 0, 0)
    assert set(part.taken) == {whole.run_id}
    assert rows(part.run_dir) == rows(whole.run_dir)
    assert part.exit_code == 0
    assert all(entry["complete"] for entry in part.parts.values())
    fresh = everything(tmp_path, spec, Selection(subset="tri,choice,quad,pool"), cache="other", reuse=False)
    assert rows(fresh.run_dir) == rows(part.run_dir)


def test_the_record_says_how_many_and_from_where(tmp_path):
    whole = everything(tmp_path, kinds=["itc", "t2t"])
    part = everything(tmp_path, selection=HALF, kinds=["itc", "t2t"])
    expected = {whole.run_id: {"itc": 4 * 3 + 4 * 4, "t2t": 4 * 3}}
    assert part.taken == part.document()["taken"] == expected
    record = stored(part.run_dir)
    assert record["taken"] == record["sessions"][-1]["taken"] == expected
    assert record["scoring"] == 1


def test_what_is_not_known_is_computed_and_the_rest_taken(tmp_path):
    """From small to large: two subsets are known, the others not; and two sources each give their share."""
    first = everything(tmp_path, selection=Selection(subset="tri"), kinds=["itm", "gen"])
    second = everything(tmp_path, selection=Selection(limit=6), kinds=["itm", "gen"])
    assert set(second.taken) == {first.run_id}
    whole = everything(tmp_path, kinds=["itm", "gen"])
    assert set(whole.taken) == {second.run_id}
    assert whole.computed > 0
    fresh = everything(tmp_path, kinds=["itm", "gen"], cache="other")
    assert fresh.taken == {}
    assert rows(whole.run_dir) == rows(fresh.run_dir)
    assert whole.computed + taken(whole) == fresh.computed


def test_a_pool_of_fewer_texts_is_not_taken_for_a_larger_one(tmp_path):
    """A pool's images meet the texts that are selected: what a limited run lacks is computed for the whole one."""
    everything(tmp_path, selection=Selection(limit=14), kinds=["itm", "prior"])
    whole = everything(tmp_path, kinds=["itm", "prior"])
    fresh = everything(tmp_path, kinds=["itm", "prior"], cache="other")
    assert rows(whole.run_dir) == rows(fresh.run_dir)


def test_a_run_that_is_continued_takes_only_what_it_lacks(tmp_path):
    whole = everything(tmp_path, kinds=["itm"])
    part = everything(tmp_path, selection=HALF, kinds=["itm"])
    again = everything(tmp_path, selection=HALF, kinds=["itm"])
    assert (again.taken, again.computed) == ({}, 0)
    assert stored(part.run_dir)["taken"] == {whole.run_id: {"itm": 28}}
    assert rows(again.run_dir)["itm"] == [row for row in rows(whole.run_dir)["itm"] if row[0] < 4 or 8 <= row[0] < 12]


def again(tmp_path: Path, model="fake:ok", **more):
    """The half that a changed ingredient is tried on."""
    return everything(tmp_path, model, HALF, ["itm", "t2t"], **more)


def changed(monkeypatch, **entries):
    """Let the fake family say other things of itself."""
    from backend.models.fake import FakeModel

    before = FakeModel.describe
    monkeypatch.setattr(FakeModel, "describe", lambda self: before(self) | entries)


@pytest.mark.parametrize(
    "entries",
    [
        {"weights_sha256": "0" * 64},
        {"preprocessing": {"images": "pixels hashed", "texts": {"limit": 63}}},
        {"preprocessing": {"images": "pixels hashed", "texts": {"limit": 64}, "prompt": "Does this show {text}?"}},
        {"preprocessing": {"images": "pixels hashed", "texts": {"limit": 64}, "settings_sha256": "another tokenizer"}},
        {"dtype": "float16"},
        {"device": "cuda:0 (NVIDIA H200)"},
        {"compiled": True},
    ],
    ids=["weights", "preprocessing", "template", "tokenizer", "dtype", "device class", "compiled"],
)
def test_another_model_is_computed(tmp_path, monkeypatch, entries):
    everything(tmp_path, kinds=["itm", "t2t"])
    changed(monkeypatch, **entries)
    found = again(tmp_path)
    assert (found.taken, found.computed) == ({}, 40)


def test_another_card_of_the_same_class_and_other_names_are_the_same(tmp_path, monkeypatch):
    changed(monkeypatch, device="cuda:0 (NVIDIA H200)")
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    changed(monkeypatch, device="cuda:1 (NVIDIA A100)", versions={"numpy": "9"}, spec="fake:elsewhere")
    found = again(tmp_path)
    assert (set(found.taken), found.computed) == ({whole.run_id}, 0)


def test_another_scoring_version_is_computed(tmp_path, monkeypatch):
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    for module in ("storage.ledger", "storage.record", "reuse"):
        monkeypatch.setattr(f"backend.engine.{module}.SCORING", 2)
    monkeypatch.setattr("backend.engine.storage.record.run_id.__defaults__", (2,))
    found = again(tmp_path)
    assert (found.taken, found.computed) == ({}, 40)
    new = everything(tmp_path, kinds=["itm", "t2t"])
    assert new.run_id != whole.run_id
    assert set(new.taken) == {found.run_id}


def test_a_part_from_before_there_was_a_version_is_computed(tmp_path):
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    manifest = shards.read_manifest(whole.run_dir)
    del manifest["parts"]["t2t"]["scoring"]
    shards.write_manifest(whole.run_dir, manifest)
    assert again(tmp_path).taken == {whole.run_id: {"itm": 28}}


def test_another_picture_under_the_same_name_is_computed(tmp_path):
    """The file's bytes count, not its name; kinds that look at no image are not concerned."""
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    Image.new("RGB", (8, 8), "red").save(tmp_path / "p" / "p1.png")
    found = again(tmp_path)
    assert found.taken == {whole.run_id: {"t2t": 12, "itm": 21}}  # 3 and 4 cells with picture p1 are computed
    fresh = again(tmp_path, cache="other")
    assert rows(found.run_dir) == rows(fresh.run_dir)


def test_a_run_that_does_not_know_its_pictures_gives_texts_only(tmp_path):
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    (whole.run_dir / image_bytes.IMAGES).unlink()
    assert again(tmp_path).taken == {whole.run_id: {"t2t": 12}}


def test_a_picture_that_changed_while_it_was_scored_gives_nothing(tmp_path):
    """Its scores may be of either picture."""
    whole = everything(tmp_path, kinds=["itm"])
    with (whole.run_dir / image_bytes.IMAGES).open("a") as log:
        log.write(json.dumps(["p1.png", "sha256:another"]) + "\n")
    assert image_bytes.read(whole.run_dir)["p1.png"] == ""
    assert again(tmp_path).taken == {whole.run_id: {"itm": 21}}


def test_another_text_is_computed(tmp_path):
    """A text is part of the benchmark's hash: nothing is taken across it."""
    everything(tmp_path, kinds=["itm", "t2t"])
    items = [replace(item, texts=(*item.texts[:-1], item.texts[-1] + "!")) for item in mixed(tmp_path / "p")]
    found = run("fake:ok", Benchmark("mixed", lambda: iter(items)), ["itm", "t2t"], selection=HALF,
                root=tmp_path / "cache")  # fmt: skip
    assert (found.taken, found.computed) == ({}, 40)


def test_another_prior_is_computed(tmp_path):
    """Another seed draws other noise; another picture under a sampled name is another prior."""
    whole = everything(tmp_path, kinds=["prior"])
    same = everything(tmp_path, selection=HALF, kinds=["prior"])
    assert set(same.taken[whole.run_id]) == {"prior@noise:2", "prior@images:3"}
    other = everything(tmp_path, selection=replace(HALF, seed=1), kinds=["prior"])
    assert other.taken == {}
    sampled = stored(whole.run_dir)["priors"]["prior@images:3"]["images"]
    Image.new("RGB", (8, 8), "red").save(tmp_path / "p" / sampled[0])
    third = everything(tmp_path, selection=Selection(subset="tri"), kinds=["prior"])
    assert {part for parts in third.taken.values() for part in parts} == {"prior@noise:2"}


def test_what_others_made_is_not_taken(tmp_path):
    """An imported bundle says where it is from, predictions and servers have no weights that anybody has seen."""
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    record = stored(whole.run_dir)
    assert may_reuse(record)
    assert not may_reuse(record | {"model": record["model"] | {"family": "endpoint"}})
    assert not may_reuse(record | {"model": record["model"] | {"family": "predictions"}})
    (whole.run_dir / "run.json").write_text(json.dumps(record | {"origin": "imported"}))
    assert again(tmp_path).taken == {}


def test_a_damaged_source_is_passed_over(tmp_path):
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    next(whole.run_dir.glob("itm-*.parquet")).write_bytes(b"damaged")
    found = again(tmp_path)
    assert found.taken == {whole.run_id: {"t2t": 12}}
    assert found.exit_code == 0


def test_nothing_is_taken_where_nobody_wants_it(tmp_path):
    everything(tmp_path, kinds=["itm", "t2t"])
    assert again(tmp_path, reuse=False).taken == {}


@pytest.mark.long
def test_many_small_shards_are_read_one_by_one(tmp_path, monkeypatch):
    """Rows of one item in several parts come from shards that were committed together."""
    small = Pace(cells=4, first_cells=4, rows=8)
    whole = everything(tmp_path, pace=small)
    part = everything(tmp_path, selection=Selection(subset="tri,choice,quad,pool"))
    assert (part.computed, rows(part.run_dir)) == (0, rows(whole.run_dir))


def test_runs_of_other_models_and_benchmarks_are_not_opened(tmp_path, monkeypatch):
    """Their records are read, their manifests and shards are not."""
    whole = everything(tmp_path, kinds=["itm", "t2t"])
    other = run("fake:constant", mixed(tmp_path / "p"), ["itm"], root=tmp_path / "cache")
    elsewhere = run("fake:ok", mixed(tmp_path / "p", 3), ["itm"], root=tmp_path / "cache")
    opened: list[str] = []
    read = shards.read_manifest
    monkeypatch.setattr(shards, "read_manifest", lambda folder: opened.append(folder.name) or read(folder))
    assert set(again(tmp_path).taken) == {whole.run_id}
    assert not {other.run_id, elsewhere.run_id} & set(opened)


def test_the_models_calls_are_those_of_the_new_items_alone(tmp_path):
    everything(tmp_path, selection=Selection(subset="tri"), kinds=["itm"])
    counting = Counting()
    everything(tmp_path, counting.model, kinds=["itm"])
    assert not any("number 1" in str(text) for text in counting.inputs["itm_logits"])


def test_a_digest_names_the_pixels(tmp_path):
    Image.new("RGB", (8, 8), "red").save(tmp_path / "a.png")
    np.save(tmp_path / "a.npy", np.zeros((2, 2, 3), np.uint8))
    red = image_bytes.digest(str(tmp_path / "a.png"))
    assert red.startswith("sha256:")
    assert image_bytes.digest(f"crop:0,0,4,4:{tmp_path / 'a.png'}") == f"crop:0,0,4,4:{red}"
    assert image_bytes.digest(f"bgr:{tmp_path / 'a.npy'}").startswith("bgr:sha256:")
    assert image_bytes.digest(str(tmp_path / "none.png")) == image_bytes.digest("crop:0,0,1,1:/none.png") == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "kinds", "subset"),
    [
        ("bundled:sentence", ["t2t"], "triplet"),
        ("bundled:clip", ["itc"], "relation"),
        ("bundled:lm", ["prior"], "choice"),
    ],
)
def test_shipped_scores_are_taken(flipside_cache, model, kinds, subset):
    """README's own first run is one of these."""
    found = run(model, "world", kinds, selection=Selection(subset=subset), device="cpu", dtype="float32")
    (shipped,) = found.taken
    assert (found.computed, asked(found)) == (0, 0)
    from backend.paths import bundled_runs_dir

    theirs, mine = rows(bundled_runs_dir() / "runs" / shipped), rows(found.run_dir)
    for part, lines in mine.items():
        assert set(lines) <= set(theirs[part])
    assert stored(found.run_dir)["taken"] == found.taken
