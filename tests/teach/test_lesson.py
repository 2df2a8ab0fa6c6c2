"""From a model, data and a recipe to folders that load and score: bundled models and real architectures."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")

from backend.errors import UsageError  # noqa: E402
from backend.models import load  # noqa: E402
from backend.teach.lesson import Lesson, teach  # noqa: E402
from backend.teach.pairs.examples import Data, from_world  # noqa: E402
from backend.teach.pairs.generated import generate  # noqa: E402
from backend.teach.students import saving  # noqa: E402
from backend.teach.training import checkpoint  # noqa: E402
from backend.teach.training.recipes import recipe  # noqa: E402


@pytest.fixture(scope="module")
def world():
    return from_world(16, ("attribute",), 7)


def scored(model, data):
    """Every image of four examples with every caption, as `run` would score them."""
    images, texts = [e.image.uri for e in data.examples[:4]], [e.text for e in data.examples[:4]]
    if "itm" in model.kinds:
        pairs = [(image, text) for image in images for text in texts]
        return model.itm_logits([p[0] for p in pairs], [p[1] for p in pairs])
    return model.encode_images(images) @ model.encode_texts(texts).T


def lesson(tmp_path, world, **more):
    given = {"model": "bundled:clip", "data": world, "folder": tmp_path / "mine", "batch": 6, "device": "cpu"}
    plan = {"steps": 10, "warm_up": 2, "learning_rate": 1e-3}
    return Lesson(**{**given, "plan": plan, **more})


def check(tmp_path, world, asked):
    """Taught, saved twice, loaded, scored: alike to 1e-5, and not what the base gave."""
    learned = teach(asked)
    assert learned.steps == asked.plan["steps"]
    base, merged = load(asked.model, device="cpu", dtype="float32"), load(learned.spec, device="cpu", dtype="float32")
    before, after = scored(base, world), scored(merged, world)
    assert np.abs(after - before).max() > 1e-4
    if learned.adapter is not None:
        assert np.allclose(scored(saving.adapted(base, learned.adapter), world), after, atol=1e-5)
    return learned


@pytest.mark.long
def test_a_bundled_model_is_taught_saved_and_known_as_a_checkpoint_of_its_series(
    tmp_path, world, flipside, flipside_cache
):
    asked = lesson(tmp_path, world, recipe=recipe("binding"), series="bound")
    learned = check(tmp_path, world, asked)
    record = json.loads((learned.merged / "teach.json").read_text())
    assert (record["series"], record["step"], record["base"]) == ("bound", 10, "bundled:clip")
    assert record["recipe"]["name"] == "binding"
    assert record["trained_on"] == [{"world": {"pairs": 16, "concepts": ["attribute"], "seed": 7}}]
    weights = learned.adapter / "adapter_model.safetensors"
    assert weights.stat().st_size < 500_000  # what a bundled variant may take
    assert teach(asked).steps == 10  # done is done: the folders are written again
    assert len(checkpoint.read_log(asked.folder)) == 10
    done = flipside("run", *learned.run, "--benchmark", "world", "--kinds", "itc", "--limit", "4", "--json")
    assert done.code == 0, done.err
    (run,) = [json.loads(path.read_text()) for path in flipside_cache.glob("runs/*/run.json")]
    assert run["series"] == {"bound": 10}


@pytest.mark.long
def test_svlc_with_generated_captions(tmp_path, world):
    texts = [each.text for each in world.examples]
    captions = generate(texts, ("negative_colour", "negative_size", "synonym_adjective", "synonym_noun"))
    assert captions.kept("positive")
    assert captions.kept("negative")
    check(tmp_path, world, lesson(tmp_path, world, recipe=recipe("svlc"), captions=captions))
    log = checkpoint.read_log(tmp_path / "mine")
    assert all(entry["negatives"] > 0 for entry in log)
    assert any(entry["analogy_text"] > 0 and entry["analogy_image"] > 0 for entry in log)


@pytest.mark.long
@pytest.mark.parametrize("name", ["eqsim", "binding"])
def test_the_bundled_matching_head(tmp_path, world, name):
    check(tmp_path, world, lesson(tmp_path, world, model="bundled:matcher", recipe=recipe(name), batch=4))


@pytest.mark.long
def test_a_blip_folder_by_all_weights(tmp_path, world):
    from tests.zoo import cases

    (tmp_path / "base").mkdir()
    next(case for case in cases() if case.name == "BLIP ITM").build(tmp_path / "base")
    spec = f"hf:{tmp_path / 'base'}"
    learned = check(tmp_path, world, lesson(tmp_path, world, model=spec, recipe=recipe("neg"), batch=4, rank=0))
    assert learned.adapter is None


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_open_clip_s_real_vit_b_32_with_random_weights(tmp_path, world):
    pytest.importorskip("open_clip")
    asked = lesson(tmp_path, world, model="openclip:ViT-B-32/none", recipe=recipe("eqsim"), batch=4)
    learned = check(tmp_path, world, asked)
    assert learned.spec == f"openclip:{tmp_path / 'mine' / 'merged'}"
    assert learned.run[1] == learned.spec


def test_what_does_not_fit_is_refused_before_anything_is_written(tmp_path, world):
    plain = Data(tuple(type(e)(e.id, e.image, e.text) for e in world.examples))
    for more, said in (
        ({"model": "bundled:captioner"}, "cannot be taught here"),
        ({"data": plain, "recipe": recipe("binding")}, "needs minimal pairs"),
        ({"data": plain, "recipe": recipe("neg")}, "needs pairs with negatives"),
        ({"batch": 99}, "do not fill a batch of 99"),
        ({"plan": {"steps": 0}}, "steps go from 1 to"),
    ):
        with pytest.raises(UsageError, match=said):
            teach(lesson(tmp_path, world, **more))
    assert not (tmp_path / "mine").exists()


@pytest.mark.long
def test_results_on_items_that_were_trained_on_are_marked(tmp_path, flipside, flipside_cache):
    said = flipside(
        "teach", "--model", "bundled:clip", "--recipe", "neg", "--benchmark", "world", "--subset", "attribute",
        "--limit", "16", "--held-out", "0.5", "--steps", "1", "--batch", "4", "--out", str(tmp_path / "mine"), "--json",
    )  # fmt: skip
    assert said.code == 0, said.err
    n = json.loads(said.out)["examples"] // 2
    spec = f"hf:{tmp_path / 'mine' / 'merged'}"
    for model in (spec, "bundled:clip"):
        run = flipside("run", "--model", model, "--benchmark", "world", "--kinds", "itc", "--subset", "attribute")
        assert run.code == 0, run.err
    (marked,) = [
        record for path in flipside_cache.glob("runs/*/run.json")
        if "taught" in (record := json.loads(path.read_text()))["model"]
    ]  # fmt: skip
    assert marked["model"]["taught"]["trained_on"][0]["items"] == n
    report = flipside("report", "--model", spec, "--benchmark", "world", "--subset", "attribute")
    assert f"Trained on: {spec} was taught on {n} of its items" in report.out + report.err
    table = flipside("table", "--models", f"{spec},bundled:clip", "--benchmarks", "world", "--subset", "attribute")
    assert f"Models that were trained on items of this table compete with no other for bold: {spec}." in table.out
