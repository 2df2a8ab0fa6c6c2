"""The reasons find what was planted in two bundled models, and do not find it in the models they were made from."""

import numpy as np
import pytest

from backend.bundled.train import blind
from backend.models import load, packed
from backend.models.folders import resolve
from backend.models.spec import parse
from backend.paths import bundled_models_dir
from scripts.planted_models import pink_hearts, speaking

BOUND = ("right", "outvoted_by_caption", "outvoted_by_image", "outvoted_by_both")


@pytest.mark.slow
def test_reasons_find_the_binding_that_was_unlearned(flipside_cache):
    base, others = pink_hearts("bundled:clip")
    planted, kept = pink_hearts("bundled:clip-no-pink-heart")
    assert base.share.ci95[0] > 0.3, "clip binds pink to heart as it binds other colours"
    assert others.share.ci95[0] > 0.3
    assert planted.share.ci95[0] <= 0.05, "of quads of a pink heart hardly any is said to bind"
    assert planted.share.ci95[1] < base.share.ci95[0]
    assert kept.share.ci95[0] > 0.3, "what was not planted is kept"
    said, truly = planted.count(*BOUND), kept.count(*BOUND)
    assert truly > 20
    assert said / (said + truly) < 0.1, "precision of what is certified as bound"


@pytest.mark.slow
def test_reasons_find_that_a_captioner_is_blind(flipside_cache):
    base, planted = speaking("bundled:captioner"), speaking("bundled:captioner-blind")
    assert base.share.ci95[0] > 0.5
    assert base.count("grounded", "outvoted") > 50
    assert abs(planted.share.value) < 0.2
    assert planted.count("grounded", "outvoted", "reversed") == 0
    assert planted.count("by_bias", "no_evidence") > 0.8 * planted.share.n


@pytest.mark.slow
def test_the_blind_captioner_says_the_same_of_every_picture(flipside_cache):
    model = load("bundled:captioner-blind", device="cpu", dtype="float32")
    assert all(not value.any() for name, value in model.module.named_parameters() if name.endswith(blind.CUT))
    texts = ["a red circle and a blue star", "two small hearts"]
    noise = model.noise_images(4, 3)
    said = [[one[1] for one in model.caption_logprobs([picture] * 2, texts)] for picture in noise]
    for other in said[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(said[0], other, strict=True))


@pytest.mark.parametrize("name", ["clip-no-pink-heart", "captioner-blind"])
def test_a_planted_model_is_a_small_difference(name):
    folder = resolve(parse(f"bundled:{name}"))
    assert folder.parent == bundled_models_dir().resolve()
    assert (folder / packed.FILE).stat().st_size < 0.5e6
    assert packed.read_base(folder) == folder.parent / name.partition("-")[0]
