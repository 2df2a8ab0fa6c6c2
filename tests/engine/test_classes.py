"""Class names through prompts: what open_clip's own classifier gives, encoded once, and what other kinds read."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from backend.engine.inputs import classes
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage.ledger import Pace
from backend.intake.survey import survey
from backend.items import Benchmark, ImageRef, Item, Protocol
from tests.engine.samples import Counting, picture, rows
from tests.zoo import openclip as zoo

NAMES = ("tench", "missile", "red {cup}", "missile", "dog")
PROMPTS = ("a photo of a {}.", "itap of the {}.", "a {} in a video game.")


def benchmark(folder, n=6, templates=PROMPTS):
    folder.mkdir(parents=True, exist_ok=True)

    def items():
        for k in range(n):
            own = k % len(NAMES)
            yield Item(f"val/{k}", "val", Protocol.CLASSIFY, (picture(folder, f"c{k}"),), NAMES, ((0, own),), {}, "t")

    return Benchmark("classes", items, templates={"val": templates} if templates else {})


@pytest.mark.long
def test_the_vectors_are_those_of_open_clips_classifier(tmp_path):
    open_clip = pytest.importorskip("open_clip")
    torch = pytest.importorskip("torch")
    from backend.models import load

    reference = zoo.build(tmp_path, {"vision_cfg": zoo.VIT, "text_cfg": zoo.TEXT})
    model = load(f"openclip:{tmp_path}", device="cpu", dtype="float32")
    found = classes.class_vectors(NAMES, PROMPTS, lambda texts: list(model.encode_texts(texts)))
    tokenizer = open_clip.get_tokenizer(f"local-dir:{tmp_path}")
    callables = [lambda name, prompt=prompt: prompt.replace("{}", name) for prompt in PROMPTS]
    with torch.no_grad():
        expected = open_clip.build_zero_shot_classifier(reference, tokenizer, NAMES, callables).T.numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert (found[1] == found[3]).all()  # one name, one vector: such classes always tie


def test_prompts_are_averaged_as_unit_vectors(monkeypatch):
    monkeypatch.setattr(classes, "SENTENCES", 4)  # two names at a time
    rng = np.random.default_rng(0)
    known = {}

    def encode(texts):
        for text in texts:
            assert text not in known
            vector = rng.standard_normal(5)
            known[text] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return [known[text] for text in texts]

    found = classes.class_vectors(["a", "b", "c"], ["x {}", "{} y"], encode)
    for name, row in zip("abc", found, strict=True):
        mean = (known[f"x {name}"].astype(float) + known[f"{name} y"]) / 2
        np.testing.assert_allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def test_names_are_encoded_once_and_scores_are_images_times_vectors(tmp_path):
    counting = Counting()
    summary = run(counting.model, benchmark(tmp_path), ["itc"], pace=Pace(cells=6, first_cells=6))
    sentences = {prompt.replace("{}", name) for prompt in PROMPTS for name in NAMES}
    assert set(counting.inputs["encode_texts"]) == sentences
    assert set(counting.inputs["encode_texts"].values()) == {1}
    assert summary.asked["texts_encoded"] == len(sentences)
    stored = np.array([row[5] for row in rows(summary.run_dir)["itc"]]).reshape(6, len(NAMES))
    from backend.images import open_image

    model = counting.model
    images = model.encode_images([open_image(item.images[0].uri) for item in benchmark(tmp_path)])
    vectors = classes.class_vectors(NAMES, PROMPTS, lambda texts: list(model.encode_texts(texts)))
    np.testing.assert_allclose(stored, images @ vectors.T, atol=1e-6)


def test_kinds_that_read_one_text_read_the_first_prompt(tmp_path):
    counting = Counting()
    run(counting.model, benchmark(tmp_path, n=2), ["itm", "gen", "prior"], priors=["noise:1"])
    first = {PROMPTS[0].replace("{}", name) for name in NAMES}
    assert {text for _, text in counting.inputs["itm_logits"]} == first
    assert {text for _, text in counting.inputs["caption_logprobs"]} == first


def test_without_prompts_names_are_read_as_they_stand(tmp_path):
    counting = Counting()
    run(counting.model, benchmark(tmp_path, n=1, templates=()), ["itc", "itm"])
    assert set(counting.inputs["encode_texts"]) == set(NAMES)
    assert {text for _, text in counting.inputs["itm_logits"]} == set(NAMES)


def test_other_prompts_are_another_benchmark_and_are_kept_with_it(tmp_path):
    one, other = benchmark(tmp_path), benchmark(tmp_path, templates=PROMPTS[:1])
    assert one.content_hash() != other.content_hash()
    summary = run("fake:ok", one, ["itc"])
    folder = summary.run_dir.parent.parent / "benchmarks" / one.content_hash()[:16]
    assert json.loads((folder / "benchmark.json").read_text())["templates"] == {"val": list(PROMPTS)}


def test_a_model_that_fails_on_a_name_says_at_which_item(tmp_path):
    counting = Counting()

    def refuse(texts):
        raise RuntimeError(f"cannot read {texts[0]}")

    counting.model.encode_texts = refuse
    summary = run(counting.model, benchmark(tmp_path), ["itc"])
    assert summary.failed["itc"].startswith("itc stopped at item val/0: RuntimeError: cannot read a photo of a tench.")


def test_an_item_whose_image_is_missing_is_left_out_and_named(tmp_path):
    missing = Item("val/x", "val", Protocol.CLASSIFY, (ImageRef("x.png", ""),), NAMES, ((0, 0),), {}, "t")
    found = Benchmark("classes", lambda: iter([*benchmark(tmp_path, n=1), missing]), templates={"val": PROMPTS})
    summary = run("fake:ok", found, ["itc"])
    assert [entry.items for entry in summary.left_out] == [["val/x"]]


def test_many_images_go_through_the_model_together(tmp_path):
    """A cell between vectors costs little, so a window holds more images than its cells would say."""
    counting = Counting()
    run(counting.model, benchmark(tmp_path, n=40), ["itc"], pace=Pace(cells=64, first_cells=64))
    assert counting.calls["encode_images"] == 1


def test_names_that_items_share_are_kept_once_and_written_with_each(tmp_path, monkeypatch):
    found = survey(benchmark(tmp_path / "pictures"), Selection(), tmp_path)
    assert found.items[0].texts == NAMES
    assert found.items[5].texts is found.items[0].texts
    folder = tmp_path / "benchmarks" / found.content_hash[:16]
    assert pq.read_table(folder / "items.parquet")["texts"].to_pylist() == [list(NAMES)] * 6
    monkeypatch.setattr("backend.intake.survey.LISTS", 0)
    apart = survey(benchmark(tmp_path / "pictures"), Selection(), tmp_path)
    assert apart.items[5].texts == NAMES
    assert apart.items[5].texts is not apart.items[0].texts
