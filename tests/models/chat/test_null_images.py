"""Null images: noise in the place of the processor's own pixels."""

from typing import Any

import numpy as np
import pytest

from backend.errors import UsageError
from backend.models.fidelity import pictures
from tests.models.chat.conftest import every

FIXED = ("LLaVA-1.5", "LLaVA-1.5, pads right, without chat template", "PaliGemma", "PaliGemma 2, pads left", "Gemma 3")


@pytest.mark.parametrize("name", every())
def test_noise_is_standard_normal_in_every_pixel_and_scores(chat: Any, name: str) -> None:
    model, _, _ = chat(name)
    three = model.noise_images(3, seed=5)
    assert all(image.dtype == np.float32 for image in three)
    np.testing.assert_array_equal(three[0], model.noise_images(1, seed=5)[0])
    real = np.concatenate([mask.ravel() for mask in model.sight.real.values()])
    pixels = np.concatenate([image.ravel()[real] for image in three])
    assert not three[0].ravel()[~real].any()
    assert abs(pixels.mean()) < 0.06
    assert pixels.std() == pytest.approx(1.0, abs=0.05)
    assert model.image_size == ((32, 32) if name in FIXED else None)
    assert (three[0].shape == (3, 32, 32)) == (name in FIXED)
    sums = model.prior_from(three, ["a cat", "the red ball on the blue mat"])
    assert sums.shape == (3, 2)
    assert (sums < 0).all()
    assert len(set(sums[:, 0].tolist())) == 3
    mixed = model.caption_logprobs([three[0], pictures()[0]], ["a cat", "a cat"])
    assert mixed[0][1].sum() == pytest.approx(sums[0, 0], abs=1e-4)


def test_the_model_sees_the_noise_itself(chat: Any, torch: Any) -> None:
    """LLaVA-1.5's pixels are the array, neither resized nor normalised again."""
    model, _, _ = chat("LLaVA-1.5")
    noise = model.noise_images(1, seed=0)[0]
    seen = model.sight.look(noise, model.dialogue.caption())
    np.testing.assert_array_equal(seen.picture["pixel_values"][0].numpy(), noise)


def test_both_frames_of_a_still_image_are_equal(chat: Any) -> None:
    """As Qwen's processor makes them of a picture; seen on its own output first."""
    model, _, _ = chat("Qwen2-VL")
    real = model.reference().picture["pixel_values"].numpy()
    photo = model.sight.look(pictures()[4], model.dialogue.caption()).picture["pixel_values"].numpy()
    noise = model.noise_images(1, seed=0)[0]
    for patches in (photo, noise):
        frames = patches.reshape(len(patches), 3, 2, -1)
        np.testing.assert_array_equal(frames[:, :, 0], frames[:, :, 1])
        assert frames[:, 0].std() > 0
    assert noise.shape == real.shape


def test_an_array_of_another_shape_is_no_null_image(chat: Any) -> None:
    model, _, _ = chat("InternVL")
    with pytest.raises(UsageError, match="no null image here"):
        model.caption_logprobs([np.zeros((3, 32, 32), dtype=np.float32)], ["a cat"])
