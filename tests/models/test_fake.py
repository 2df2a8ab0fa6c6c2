import time

import numpy as np
import pytest
from PIL import Image

from backend.errors import UsageError
from backend.models import load

RED, BLUE = Image.new("RGB", (4, 4), "red"), Image.new("RGB", (4, 4), "blue")


def test_scores_depend_on_pixels_text_and_seed_alone() -> None:
    one, again, other = load("fake:ok"), load("fake:ok"), load("fake:ok", seed=1)
    assert one.kinds == {"itc", "itm", "gen", "vqa", "verdict", "t2t", "prior"}
    for score in ("itm_logits", "vqa_logits", "itm", "vqa"):
        first = getattr(one, score)([RED, BLUE, RED], ["a", "a", "b"])
        np.testing.assert_array_equal(first, getattr(again, score)([RED.copy(), BLUE, RED], ["a", "a", "b"]))
        assert len(set(first.tolist())) == 3
        assert not np.array_equal(first, getattr(other, score)([RED, BLUE, RED], ["a", "a", "b"]))
    np.testing.assert_allclose(np.linalg.norm(one.encode_images([RED, BLUE]), axis=1), 1, atol=1e-6)
    tokens, logprobs = one.caption_logprobs([RED], ["a red cube"])[0]
    assert tokens == ["a", "red", "cube", "<eos>"]
    assert (logprobs <= 0).all()
    assert one.prior_from(one.noise_images(2, 0), ["a", "b c"]).shape == (2, 2)
    assert len(one.text_logprobs(["a b"])[0][1]) == 3
    assert one.truncated(["a", "a " * 99]).tolist() == [False, True]


def test_modes() -> None:
    assert np.ptp(load("fake:constant").itm_logits([RED, BLUE], ["a", "b"])) == 0
    assert np.isnan(load("fake:nan").encode_texts(["a"])).all()
    with pytest.raises(RuntimeError, match="on purpose"):
        load("fake:raise").encode_texts(["a"])
    before = time.monotonic()
    load("fake:slow").encode_texts(["a", "b"])
    assert time.monotonic() - before >= 0.04


def test_chosen_kinds() -> None:
    mine = load("fake:ok/itc,prior")
    assert mine.kinds == {"itc", "prior"}
    assert mine.encode_texts(["a"]).shape == (1, 16)
    with pytest.raises(UsageError, match="gives no gen; it gives itc, prior"):
        mine.caption_logprobs([RED], ["a"])


def test_the_record_tells_modes_and_seeds_apart() -> None:
    hashes = {load(s, seed=n).describe()["weights_sha256"] for s in ("fake:ok", "fake:nan") for n in (0, 1)}
    assert len(hashes) == 4


def test_contests_do_not_depend_on_which_text_comes_first() -> None:
    model, texts = load("fake:ok"), [f"text {n}" for n in range(40)]
    forth = model.prefer([RED] * 39, texts[:-1], texts[1:])
    np.testing.assert_array_equal(forth, 1 - model.prefer([RED] * 39, texts[1:], texts[:-1]))
    assert set(forth.tolist()) == {0.0, 0.5, 1.0}
    assert not np.array_equal(forth, model.prefer([BLUE] * 39, texts[:-1], texts[1:]))
    assert load("fake:constant").prefer([RED], ["a"], ["b"]).tolist() == [0.5]
    assert np.isnan(load("fake:nan").prefer([RED], ["a"], ["b"])).all()
    with pytest.raises(UsageError, match="gives no verdict; it gives itc"):
        load("fake:ok/itc").prefer([RED], ["a"], ["b"])
    with pytest.raises(ValueError, match="2 images with 1 and 1 texts"):
        model.prefer([RED, BLUE], ["a"], ["b"])
