"""What ships of scores under other images: cosines in place of vectors, and no vectors computed beside them."""

from dataclasses import replace

import numpy as np
import pytest

from backend import paths
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.items import Benchmark
from backend.store.build.reader import open_store
from backend.store.report.report import report
from backend.store.scores.counterfactuals import under_others
from scripts.compact_results import compact
from tests.engine.samples import mixed, picture


@pytest.fixture(autouse=True)
def nothing_ships(tmp_path, monkeypatch):
    """Reading what ships takes seconds."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")


@pytest.mark.long
def test_cosines_say_what_the_vectors_said(tmp_path, flipside_cache, monkeypatch):
    summary = run("fake:ok", mixed(tmp_path / "p", 20), ["itc", "itm"], counterfactual=16, root=flipside_cache)
    before = {kind: under_others(open_store().run(summary.run_id), kind) for kind in ("itc", "itm")}
    compact(flipside_cache, mixed(tmp_path / "p", 20))
    manifest = shards.read_manifest(summary.run_dir)
    assert all(len(part["shards"]) == 1 for part in manifest["parts"].values())
    assert shards.verify(summary.run_dir) == []
    assert {part for part in manifest["parts"] if part.startswith("counterfactual:")} == {
        "counterfactual:itc", "counterfactual:itm"}  # fmt: skip
    assert {path.name for path in summary.run_dir.glob("*.parquet")} == {
        entry["file"] for part in manifest["parts"].values() for entry in part["shards"]}  # fmt: skip
    after = open_store().run(summary.run_id)
    for kind, groups in before.items():
        for old, new in zip(groups, under_others(after, kind), strict=True):
            assert old.items["item_no"].tolist() == new.items["item_no"].tolist()
            assert (new.images >= 0).sum(axis=1).max() <= 16
            by_image = [dict(zip(i.tolist(), s, strict=True)) for i, s in zip(old.images, old.scores, strict=True)]
            for row, known in enumerate(by_image):
                for image, scores in zip(new.images[row].tolist(), new.scores[row], strict=True):
                    if image >= 0:
                        assert np.allclose(scores, known[image], rtol=2.0**-11, atol=1e-6, equal_nan=True)
    monkeypatch.setattr(paths, "bundled_runs_dir", lambda: flipside_cache)
    again = run("fake:ok", mixed(tmp_path / "p", 20), ["itc"], counterfactual=16, root=tmp_path / "another")
    assert "counterfactual:text" not in again.parts
    more = run("fake:ok", mixed(tmp_path / "p", 20), ["itc"], counterfactual=17, root=tmp_path / "another")
    assert "counterfactual:text" in more.parts


@pytest.mark.long
def test_of_other_subsets_enough_ships_to_see_whether_it_matters_which_images(tmp_path, flipside_cache):
    """Choices and triplets that show other pictures; the intervals under images of the other subset stand beside."""

    def items():
        for it in mixed(tmp_path / "p", 24):
            if it.subset == "choice":
                it = replace(it, images=(picture(tmp_path / "p", f"c{it.item_id.rpartition('/')[2]}"),))
            if it.subset in ("choice", "tri"):
                yield it

    benchmark = Benchmark("apart", items)
    summary = run("fake:ok", benchmark, ["itc", "itm"], counterfactual=16, root=flipside_cache)
    vectors = {group.subset: group for group in under_others(open_store().run(summary.run_id), "itc")}
    assert {group.elsewhere.shape[1] for group in vectors.values()} == {24}
    compact(flipside_cache, benchmark)
    store = open_store()
    for group in under_others(store.run(summary.run_id), "itc"):
        assert (group.elsewhere.shape[1], (group.images >= 0).sum(axis=1).max()) == (8, 16)
        assert np.isfinite(group.elsewhere).sum() == 24 * 8 * group.own.shape[1]
        known = np.sort(vectors[group.subset].elsewhere[:, :8], axis=1)  # the first of the same draw
        assert np.allclose(np.sort(group.elsewhere, axis=1), known, rtol=2.0**-11, atol=1e-6)
    for kind, compared in (("itc", True), ("itm", False)):
        told = report(store, "fake:ok", "apart", kind=kind)["reasons"]
        assert {bool(each["at_least"]["elsewhere"]) for each in told.values()} == {compared}


def test_log_probabilities_are_rounded_far_below_what_is_shown(tmp_path, flipside_cache):
    summary = run(
        "fake:ok", mixed(tmp_path / "p", 20), ["gen", "itc", "prior"], priors=["noise:3"], root=flipside_cache
    )
    parts = [part for part in shards.read_manifest(summary.run_dir)["parts"] if not part.startswith("vectors:")]
    before = {part: shards.read_part(summary.run_dir, part) for part in parts}
    compact(flipside_cache, mixed(tmp_path / "p", 20))
    assert {"gen", "tokens:gen", "prior@noise:3", "itc"} <= set(parts)
    assert set(shards.read_manifest(summary.run_dir)["parts"]) == set(parts)  # other vectors do not ship
    for part in parts:
        old, new = before[part], shards.read_part(summary.run_dir, part)
        column = "logprobs" if part.startswith("tokens:") else "vector" if "embeddings" in part else "value"
        a, b = (np.concatenate([np.atleast_1d(v) for v in t[column].to_pylist()]) for t in (old, new))
        assert np.abs(a - b).max() <= (2.0**-17 if part == "itc" else 0 if column == "vector" else 2.0**-14), part
        others = [name for name in old.column_names if name != column]
        assert old.select(others).equals(new.select(others)), part
