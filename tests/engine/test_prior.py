import numpy as np
import pytest

from backend.engine.inputs.prior import PriorSource
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.items import Benchmark, ImageRef
from backend.models import load
from tests.engine.samples import item, mixed


def stored(summary, part):
    """(item, text index, sample) -> (value, n_tokens)."""
    table = shards.read_part(summary.run_dir, part).to_pylist()
    return {(r["item_no"], r["text_index"], r["sample"]): (r["value"], r["n_tokens"]) for r in table}


def test_noise_sums_are_those_of_the_model_each_sample_a_row(tmp_path):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["prior"], selection=Selection(seed=5))
    model = load("fake:ok", seed=5)
    text = "the one 2"
    sums = model.prior_from(model.noise_images(3, 5), [text])[:, 0]
    found = stored(summary, "prior@noise:3")
    assert [found[2, 1, k][0] for k in range(3)] == pytest.approx(sums, abs=1e-5)
    assert {found[2, 1, k][1] for k in range(3)} == {4}
    assert "tokens:prior@noise:3" not in summary.parts


def test_sampled_images_are_the_benchmarks_own_and_recorded(tmp_path):
    benchmark = mixed(tmp_path / "p")
    summary = run("fake:ok", benchmark, ["prior"], priors=["images:4", "images:2"])
    keys = files.read_json(summary.run_dir / "run.json")["priors"]["prior@images:4"]["images"]
    own = {image.key: image.uri for it in benchmark for image in it.images}
    assert len(set(keys)) == 4
    assert set(keys) <= set(own)
    assert files.read_json(summary.run_dir / "run.json")["priors"]["prior@images:2"]["images"] == keys[:2]
    sums = load("fake:ok").prior_from([open_image(own[key]) for key in keys], ["left 1"])[:, 0]
    found = stored(summary, "prior@images:4")
    assert [found[5, 0, k][0] for k in range(4)] == pytest.approx(sums, abs=1e-5)


def test_other_sampled_images_do_not_continue_a_run(tmp_path):
    first = run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=["images:16"])
    record = first.run_dir / "run.json"
    for path in first.run_dir.glob("prior*.parquet"):
        path.unlink()
    (first.run_dir / "manifest.json").unlink()
    document = files.read_json(record)
    document["priors"]["prior@images:16"]["images"].reverse()
    files.replace_json(record, document)
    with pytest.raises(FlipsideError, match="begun with other images"):
        run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=["images:16"])


def test_what_cannot_begin_leaves_no_run(tmp_path):
    with pytest.raises(FlipsideError, match="has only 16 images here"):
        run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=["images:999"], root=tmp_path / "cache")
    assert [*(tmp_path / "cache" / "runs").iterdir()] == []


def test_what_cannot_go_on_leaves_the_run_as_it_was(tmp_path):
    begun = run("fake:ok", mixed(tmp_path / "p"), ["itc"]).run_dir
    before = {path.name: path.read_bytes() for path in begun.iterdir() if path.name != "lock"}
    with pytest.raises(FlipsideError, match="has only 16 images here"):
        run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=["images:999"])
    assert {path.name: path.read_bytes() for path in begun.iterdir() if path.name != "lock"} == before


def test_images_that_are_missing_are_not_drawn(tmp_path):
    items = [item(i.item_id, i.protocol, i.images, i.texts, i.tags) for i in mixed(tmp_path / "p")]
    items[0] = item("tri/0", items[0].protocol, [ImageRef("gone", "")], items[0].texts, {})
    summary = run("fake:ok", Benchmark("mixed", lambda: iter(items)), ["prior"], priors=["images:16"])
    assert summary.exit_code == 0


def test_a_blind_model_scores_texts_by_itself_with_tokens(tmp_path):
    summary = run("fake:ok/prior", mixed(tmp_path / "p"), ["prior"])
    ((tokens, logprobs),) = load("fake:ok/prior").text_logprobs(["right 3"])
    assert stored(summary, "prior@self")[7, 1, 0] == (pytest.approx(float(logprobs.sum()), abs=1e-5), 3)
    table = shards.read_part(summary.run_dir, "tokens:prior@self").to_pylist()
    (row,) = [r for r in table if (r["item_no"], r["text_index"]) == (7, 1)]
    assert row["tokens"] == tokens == ["right", "3", "<eos>"]
    assert np.allclose(row["logprobs"], logprobs)


def test_a_blind_model_beside_a_captioner(tmp_path):
    blind = run("fake:ok/prior", mixed(tmp_path / "p"), ["prior"], root=tmp_path / "blind")
    beside = run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=["lm:fake:ok/prior"])
    assert stored(beside, "prior@lm:fake:ok/prior") == stored(blind, "prior@self")
    about = files.read_json(beside.run_dir / "run.json")["priors"]["prior@lm:fake:ok/prior"]["model"]
    assert about["spec"] == "fake:ok/prior"
    assert all(shards.file_stem(part) for part in beside.parts)


def test_gen_rows_are_sums_over_their_tokens(tmp_path):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["gen"])
    gen = shards.read_part(summary.run_dir, "gen").to_pylist()
    tokens = {
        (r["item_no"], r["image_index"], r["text_index"]): r
        for r in shards.read_part(summary.run_dir, "tokens:gen").to_pylist()
    }
    outside_pools = [r for r in gen if r["item_no"] < 12]
    assert len(tokens) == len(outside_pools) < len(gen)
    for row in outside_pools:
        own = tokens[row["item_no"], row["image_index"], row["text_index"]]
        assert row["value"] == pytest.approx(sum(own["logprobs"]), abs=1e-5)
        assert row["n_tokens"] == len(own["tokens"]) == len(own["logprobs"])


@pytest.mark.parametrize("text", ["noise", "noise:x", "noise:-1", "images:", "lm:", "blind", "self:1", ""])
def test_wrong_sources_say_what_is_expected(text):
    with pytest.raises(UsageError, match=r"noise:N, images:N, images:N@FOLDER \(N from 1 to 1000\), lm:SPEC"):
        PriorSource.parse(text)
