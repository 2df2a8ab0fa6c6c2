"""Vectors that a run keeps beside its cosines: each different image and caption once, as the model encodes it."""

import numpy as np
import pytest

from backend.engine.inputs import kept_vectors
from backend.engine.inputs.kept_vectors import PARTS, kept
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.engine.storage.ledger import Pace
from backend.images import open_image
from backend.intake.survey import survey
from backend.items import Benchmark, Protocol
from backend.models import load
from tests.engine.samples import Counting, item, mixed, picture, rows


def vectors(run_dir, part):
    return {(r["item_no"], r["index"]): np.array(r["vector"]) for r in shards.read_part(run_dir, part).to_pylist()}


def test_every_image_and_caption_is_kept_once_and_as_the_model_encodes_it(tmp_path):
    benchmark = mixed(tmp_path / "p")
    summary = run("fake:ok", benchmark, ["itc"])
    images, texts = (vectors(summary.run_dir, part) for part in PARTS)
    model, items = load("fake:ok"), list(benchmark)
    expected = {True: {}, False: {}}
    for number, it in enumerate(items):
        if it.protocol == Protocol.RETRIEVAL:  # pools keep theirs as embeddings
            continue
        for is_text, names in ((False, [image.key for image in it.images]), (True, it.texts)):
            for index, name in enumerate(names):
                expected[is_text].setdefault((it.subset, name), (number, index))
    assert set(images) == set(expected[False].values())
    assert set(texts) == set(expected[True].values())
    for (number, index), vector in images.items():
        own = model.encode_images([open_image(items[number].images[index].uri)])[0]
        assert np.array_equal(vector, own.astype(np.float16))
    for (number, index), vector in texts.items():
        assert np.array_equal(vector, model.encode_texts([items[number].texts[index]])[0].astype(np.float16))


def test_they_are_the_same_whichever_way_a_run_came_about(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    whole = run("fake:ok", benchmark, ["itc"], root=tmp_path / "whole")
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    pace = Pace(cells=4, first_cells=4, rows=8)
    broken = run("fake:ok", benchmark, ["itc"], root=tmp_path / "broken", progress=stop, pace=pace)
    assert broken.interrupted
    begun = shards.read_manifest(broken.run_dir)["parts"]["vectors:text"]
    assert begun["shards"]
    assert not begun["complete"]
    again = run("fake:ok", benchmark, ["itc"], root=tmp_path / "broken", pace=pace)
    assert again.run_id == whole.run_id
    assert rows(again.run_dir) == rows(whole.run_dir)
    assert all(part["complete"] for part in shards.read_manifest(again.run_dir)["parts"].values())


def test_what_a_run_has_is_taken_and_what_has_none_costs_nothing(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    first = run("fake:ok", benchmark, ["itc"])
    counting = Counting()
    part = run(counting.model, benchmark, ["itc"], selection=Selection(limit=9))
    assert counting.inputs["encode_images"] == {}
    theirs = vectors(first.run_dir, "vectors:text")
    mine = vectors(part.run_dir, "vectors:text")
    assert mine
    assert all(np.array_equal(theirs[place], vector) for place, vector in mine.items())

    # A run from before vectors were kept: its cosines are read as before, and nothing is computed for a map.
    manifest = shards.read_manifest(first.run_dir)
    for name in PARTS:
        del manifest["parts"][name]
    shards.write_manifest(first.run_dir, manifest)
    files.replace_json(part.run_dir / shards.MANIFEST, {**shards.read_manifest(part.run_dir), "parts": {}})
    for again in (
        run(counting.model, benchmark, ["itc"]),
        run(counting.model, benchmark, ["itc"], selection=Selection(limit=8)),
    ):
        assert counting.inputs["encode_images"] == {}
        assert not set(PARTS) & set(shards.read_manifest(again.run_dir)["parts"])
        assert shards.read_manifest(again.run_dir)["parts"]["itc"]["complete"]


def test_a_subset_of_too_many_is_left_out_whole_and_said(tmp_path, monkeypatch):
    found = survey(mixed(tmp_path / "p", 5), Selection(), tmp_path)
    items = np.arange(len(found), dtype=np.int32)
    sizes = {"tri": 5 + 15, "quad": 10 + 10, "choice": 5 + 5 + 7}
    assert len(kept(found, items).left_out) == 0
    few = kept(found, items, most=sizes["tri"] + sizes["choice"])
    assert few.left_out == {"quad": sizes["quad"]}
    subsets = {found.items[number].subset for number in few.items.tolist()}
    assert subsets == {"tri", "choice"}
    monkeypatch.setattr(kept_vectors, "MOST", 0)
    monkeypatch.setattr(kept_vectors.kept, "__defaults__", (0,))
    summary = run("fake:ok", mixed(tmp_path / "p", 5), ["itc"])
    assert not set(PARTS) & set(shards.read_manifest(summary.run_dir)["parts"])
    assert "too many to keep the vectors of" in summary.skipped["vectors"]


@pytest.mark.parametrize("kinds", [["itm", "gen"], ["t2t"]])
def test_other_kinds_keep_none(tmp_path, kinds):
    summary = run("fake:ok", mixed(tmp_path / "p"), kinds)
    assert not set(PARTS) & set(shards.read_manifest(summary.run_dir)["parts"])


def test_class_names_are_not_kept(tmp_path):
    (tmp_path / "p").mkdir()
    items = [
        item(f"c/{k}", Protocol.CLASSIFY, [picture(tmp_path / "p", f"c{k}")], ("cat", "dog"), {}) for k in range(3)
    ]
    benchmark = Benchmark("classes", lambda: iter(items), templates={"c": ("a photo of a {}",)})
    summary = run("fake:ok", benchmark, ["itc"])
    assert not set(PARTS) & set(shards.read_manifest(summary.run_dir)["parts"])
